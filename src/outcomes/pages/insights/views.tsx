/** The breakdowns by a dimension: first texts, prompts and models, channels and sources, hours and weekdays, weeks. */
import { Badge, Group, Stack } from '@mantine/core';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import {
  type Dimension,
  type FunnelOfValue,
  type OutcomeFilter,
  readOutcomeCohorts,
  readOutcomesBy,
  readOutcomesByStep,
} from '../../outcomeContract.ts';
import { countColumn, type FigureColumn, funnelColumns, rateColumn, textColumn } from '../shared/figureColumns.tsx';
import { shownRate } from '../shared/results.ts';
import { dayRange, dayText } from './dayText.ts';
import { FigureSection, MetricControl, openOf, Rates, useMetric } from './FigureSection.tsx';
import { REACHED_LABELS } from './outcomeFilters.ts';

export interface ViewProps {
  /** The days and filters of the page. */
  query: OutcomeFilter;
}

interface BreakdownProps extends ViewProps {
  dimension: Exclude<Dimension, 'week'>;
  title: string;
  /** Head of the first column. */
  label: string;
  note?: string;
  chart?: 'rows' | 'columns';
  /** The columns that say something; default all. */
  without?: readonly string[];
  withMetric?: boolean;
}

const keyOfValue = ({ value }: FunnelOfValue): string => String(value);

function Breakdown({ query, dimension, title, label, note, chart, without = [], withMetric = false }: BreakdownProps) {
  const read = useEndpoint(readOutcomesBy, { params: { dimension }, query }, { keepPrevious: true });
  const names = (['answered', 'qualified', 'success'] as const).filter((name) => !without.includes(name));
  const metric = useMetric(names);
  // What lacks a value comes last: nothing can be done about it here.
  const rows = read.data?.items.toSorted((a, b) => Number(a.value === null) - Number(b.value === null));
  return (
    <FigureSection
      title={title}
      fileName={`insights-${dimension.replaceAll('_', '-')}`}
      {...(note === undefined ? {} : { note })}
      query={read}
      rows={rows}
      keyOf={keyOfValue}
      columns={[
        textColumn<FunnelOfValue>('label', label, {
          text: (row) => (row.value === null ? t('None') : row.label),
          sort: ({ value, label: name }) => (typeof value === 'number' ? value : name),
        }),
        ...funnelColumns<FunnelOfValue>().filter(({ key }) => !without.includes(key)),
      ]}
      actions={withMetric && <MetricControl names={names} />}
    >
      {chart && rows && (
        <Rates
          isHorizontal={chart === 'rows'}
          measure={t(REACHED_LABELS[metric])}
          points={rows.flatMap((row) =>
            row.value === null ? [] : [{ label: row.label, rate: shownRate(row, metric, row.filter) }],
          )}
        />
      )}
    </FigureSection>
  );
}

export function FirstTextsView({ query }: ViewProps) {
  return (
    <Breakdown
      query={query}
      dimension="first_text"
      title={t('First texts')}
      label={t('First text')}
      note={t('The message that opened the attempt: a prepared message, or the prompt version that wrote it.')}
      chart="rows"
      withMetric
    />
  );
}

export function PromptsView({ query }: ViewProps) {
  return (
    <Stack gap="md">
      <Breakdown
        query={query}
        dimension="prompt_version"
        title={t('Prompt versions')}
        label={t('Prompt and version')}
        note={t('The version that wrote the first answer. Each of these leads has written, so all are answered.')}
        chart="rows"
        without={['answered']}
        withMetric
      />
      <Breakdown query={query} dimension="model" title={t('Models')} label={t('Model')} without={['answered']} />
    </Stack>
  );
}

export function ChannelsView({ query }: ViewProps) {
  return (
    <Stack gap="md">
      <Breakdown query={query} dimension="messenger" title={t('Messengers')} label={t('Messenger')} />
      <Breakdown query={query} dimension="channel" title={t('Channels')} label={t('Channel')} chart="rows" withMetric />
      <Breakdown query={query} dimension="source" title={t('Sources')} label={t('Source')} />
      <Breakdown
        query={query}
        dimension="language"
        title={t('Languages')}
        label={t('Script')}
        note={t('The script of the lead’s first words. Languages in Latin script are one.')}
      />
    </Stack>
  );
}

export function TimesView({ query }: ViewProps) {
  return (
    <Stack gap="md">
      <Breakdown
        query={query}
        dimension="hour"
        title={t('Hours')}
        label={t('Hour')}
        note={t('The hour of the first message on the product’s clock.')}
        chart="columns"
        withMetric
      />
      <Breakdown query={query} dimension="weekday" title={t('Weekdays')} label={t('Weekday')} chart="columns" />
    </Stack>
  );
}

export function OperatorsTable({ query }: ViewProps) {
  return (
    <Breakdown
      query={query}
      dimension="operator"
      title={t('Operators')}
      label={t('Operator')}
      note={t('Attempts in which an operator was the last to write for us.')}
    />
  );
}

/** Share of attempts without an end from which a week is marked as still open. */
const OPEN_SHARE = 0.1;

export function WeeksView({ query }: ViewProps) {
  const read = useEndpoint(readOutcomeCohorts, { query }, { keepPrevious: true });
  const metric = useMetric();
  const rows = read.data?.items.toReversed();
  type Cohort = NonNullable<typeof rows>[number];
  const isOpen = (row: Cohort) => openOf(row) >= OPEN_SHARE * row.attempts;
  const name = ({ filter }: Cohort) => dayRange(filter.started_from ?? '', filter.started_to ?? '');
  const columns: FigureColumn<Cohort>[] = [
    {
      ...textColumn<Cohort>('week', t('Week of the first message'), {
        text: name,
        sort: ({ week }) => week,
        render: (row) => (
          <Group gap="0 0.5rem">
            {name(row)}
            {isOpen(row) && (
              <Badge color="gray" flex="none">
                {t('Still open')}
              </Badge>
            )}
          </Group>
        ),
      }),
      csv: [{ label: t('Week'), of: ({ week }) => week }],
    },
    ...funnelColumns<Cohort>(),
    countColumn('open', t('Still open'), (row) => ({
      count: openOf(row),
      filter: { ...row.filter, without: [...new Set([...(row.filter.without ?? []), 'outcome' as const])] },
    })),
  ];
  return (
    <FigureSection
      title={t('Weeks')}
      fileName="insights-weeks"
      note={t(
        'Attempts by the week of their first message. A week is marked “Still open” while at least a tenth of its attempts have not ended, and its figures can still change. Recent weeks have had less time to get answers.',
      )}
      query={read}
      rows={rows}
      keyOf={({ week }) => week}
      columns={columns}
      actions={<MetricControl />}
    >
      {rows && (
        <Rates
          measure={t(REACHED_LABELS[metric])}
          points={rows.toReversed().map((row) => ({
            label: dayText(row.filter.started_from ?? row.week),
            rate: shownRate(row, metric, row.filter),
            open: isOpen(row),
          }))}
        />
      )}
    </FigureSection>
  );
}

export function FollowUpsView({ query }: ViewProps) {
  const read = useEndpoint(readOutcomesByStep, { query }, { keepPrevious: true });
  const rows = read.data?.items;
  type Step = NonNullable<typeof rows>[number];
  const withStep = ({ filter, value }: Step, name: 'step_answered' | 'step_opted_out'): OutcomeFilter => ({
    ...filter,
    [name]: [...new Set([...(filter[name] ?? []), value])],
  });
  const rateOfStep = (row: Step, name: 'answered' | 'opted_out') => ({
    ...row.rates[name],
    count: row[name],
    of: row.sent,
    tooFew: row.too_few,
    filter: withStep(row, `step_${name}`),
  });
  const answered = t('Answered before the next');
  return (
    <FigureSection
      title={t('Follow-ups')}
      fileName="insights-follow-ups"
      note={t('Counted once in each attempt. A follow-up is answered if the lead writes before the next one is sent.')}
      query={read}
      rows={rows}
      emptyText={t('No follow-up was sent in this range.')}
      keyOf={({ value }) => String(value)}
      columns={[
        textColumn<Step>('step', t('Follow-up'), { text: ({ label }) => label, sort: ({ value }) => value }),
        countColumn<Step>('sent', t('Sent'), ({ sent, filter }) => ({ count: sent, filter })),
        rateColumn<Step>('answered', answered, (row) => rateOfStep(row, 'answered')),
        rateColumn<Step>('opted_out', t('Opted out'), (row) => rateOfStep(row, 'opted_out')),
      ]}
    >
      {rows && (
        <Rates
          isHorizontal
          measure={answered}
          points={rows.map((row) => ({ label: row.label, rate: rateOfStep(row, 'answered') }))}
        />
      )}
    </FigureSection>
  );
}

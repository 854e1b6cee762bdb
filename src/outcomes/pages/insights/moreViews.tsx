/** What Insights shows besides the funnel: refusals, people and how fast they answer, and what models cost. */
import { Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { formatDollars, formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { useEndpoint } from '../../../ui/query.ts';
import { isTooFew } from '../../funnel.ts';
import {
  type RefusalGroup,
  type ResponseTimesOfOperator,
  readOutcomeSpending,
  readRefusals,
  readResponseTimes,
  type SpentInPeriod,
} from '../../insightContract.ts';
import {
  costColumn,
  countColumn,
  formatSeconds,
  numberColumn,
  rateColumn,
  textColumn,
} from '../shared/figureColumns.tsx';
import { AttemptsLink, formatRate } from '../shared/RateText.tsx';
import { insightsParams, withReached } from '../shared/results.ts';
import { dayRange, dayText } from './dayText.ts';
import { FigureSection } from './FigureSection.tsx';
import classes from './insights.module.css';
import { OperatorsTable, type ViewProps } from './views.tsx';

const CostChart = lazy(() => import('./CostChart.tsx'));

export function RefusalsView({ query }: ViewProps) {
  const read = useEndpoint(readRefusals, { query }, { keepPrevious: true });
  const data = read.data;
  const reasonOf = ({ refusal, reason }: RefusalGroup) =>
    refusal === 'opted_out' ? t('Asked for no more messages') : (reason ?? t('No reason stored'));
  return (
    <FigureSection
      title={t('Refusals')}
      fileName="insights-refusals"
      query={read}
      rows={data?.items}
      emptyText={t('Nobody refused in this range.')}
      keyOf={({ refusal, ended_by, reason }) => JSON.stringify([refusal, ended_by, reason])}
      columns={[
        textColumn<RefusalGroup>('reason', t('Reason'), { text: reasonOf }),
        rateColumn<RefusalGroup>('count', t('Attempts'), ({ rate, count, filter }) => ({
          ...rate,
          count,
          of: data?.attempts ?? 0,
          tooFew: isTooFew(data?.attempts ?? 0),
          filter,
        })),
        textColumn<RefusalGroup>('by', t('Set by'), { text: ({ ended_by: by }) => by ?? t('The lead') }),
        {
          key: 'examples',
          label: t('Newest examples'),
          render: ({ examples }) => <Examples of={examples} />,
          csv: [
            { label: t('Newest examples'), of: ({ examples }) => examples.map(({ text }) => text ?? '').join('\n') },
          ],
        },
      ]}
    >
      {data && (
        <Text size="sm" mb="sm">
          <AttemptsLink count={data.refusals} filter={data.filter} inText />{' '}
          {t('of {{of, number}} attempts ended with a refusal or an opt-out', { of: data.attempts })}
          {data.rate.rate !== null && !isTooFew(data.attempts) && ` (${formatRate(data.rate.rate)})`}
          {data.others.count > 0 && `; ${t('{{count, number}} more have rarer reasons', { count: data.others.count })}`}
        </Text>
      )}
    </FigureSection>
  );
}

function Examples({ of }: { of: RefusalGroup['examples'] }) {
  return (
    <ul className={classes.examples}>
      {of.map(({ lead_id: leadId, lead_name: name, text }) => (
        <li key={leadId}>
          <PageLink to="lead-detail" params={{ leadId }} inText>
            {name}
          </PageLink>
          {text !== null && (
            <Text span size="xs" c="dimmed">
              {' '}
              {t('“{{text}}”', { text })}
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}

export function PeopleView({ query }: ViewProps) {
  const read = useEndpoint(readResponseTimes, { query }, { keepPrevious: true });
  const data = read.data;
  const seconds = { format: formatSeconds };
  return (
    <Stack gap="md">
      <FigureSection
        title={t('Human response times')}
        fileName="insights-response-times"
        note={t('From the hand-over of an attempt to the next message that a person wrote.')}
        query={read}
        rows={data?.items}
        emptyText={t('Nobody has answered after a hand-over in this range.')}
        keyOf={({ operator }) => operator ?? ''}
        columns={[
          textColumn<ResponseTimesOfOperator>('operator', t('Who answered'), {
            text: ({ operator }) => operator ?? t('From a phone'),
          }),
          countColumn<ResponseTimesOfOperator>('answered', t('Attempts'), ({ answered, filter }) => ({
            count: answered,
            filter,
          })),
          {
            ...numberColumn<ResponseTimesOfOperator>('median', t('Median'), { ...seconds, of: ({ median }) => median }),
            csv: [{ label: t('Median, seconds'), of: ({ median }) => median }],
          },
          {
            ...numberColumn<ResponseTimesOfOperator>('p90', t('Nine of ten within'), {
              ...seconds,
              of: ({ p90 }) => p90,
            }),
            csv: [{ label: t('Nine of ten within, seconds'), of: ({ p90 }) => p90 }],
          },
        ]}
      >
        {data && (
          <Text size="sm" mb="sm">
            <AttemptsLink count={data.handed_over} filter={data.handed_over_filter} inText /> {t('handed over')},{' '}
            <AttemptsLink count={data.unanswered} filter={data.unanswered_filter} inText /> {t('not answered yet')}
            {data.overall.median !== null &&
              `; ${t('median {{median}}, nine of ten within {{p90}}', {
                median: formatSeconds(data.overall.median),
                p90: formatSeconds(data.overall.p90 ?? 0),
              })}`}
          </Text>
        )}
      </FigureSection>
      <OperatorsTable query={query} />
    </Stack>
  );
}

export function SpendingView({ query }: ViewProps) {
  const read = useEndpoint(readOutcomeSpending, { query: { ...query, by: 'week' } }, { keepPrevious: true });
  const data = read.data;
  const weeks = data?.periods;
  const newest = weeks?.toReversed();
  type Model = NonNullable<typeof data>['models'][number];
  const range = ({ from, to }: SpentInPeriod) => dayRange(from, to);
  return (
    <Stack gap="md">
      <FigureSection
        title={t('Spending by week')}
        fileName="insights-spending-weeks"
        note={t('What models cost for the attempts that began in a week, whenever they ran.')}
        query={read}
        rows={newest}
        keyOf={({ from }) => from}
        columns={[
          {
            ...textColumn<SpentInPeriod>('week', t('Week of the first message'), {
              text: range,
              sort: ({ from }) => from,
            }),
            csv: [{ label: t('Week'), of: ({ from }) => from }],
          },
          countColumn<SpentInPeriod>('attempts', t('Attempts'), ({ attempts, filter }) => ({
            count: attempts,
            filter,
          })),
          countColumn<SpentInPeriod>('qualified', t('Qualified'), ({ qualified, filter }) => ({
            count: qualified,
            filter: withReached(filter, 'qualified'),
          })),
          costColumn<SpentInPeriod>('cost', t('Cost'), ({ cost }) => cost),
          costColumn<SpentInPeriod>('per_attempt', t('Per attempt'), (row) => row.cost_per_attempt),
          costColumn<SpentInPeriod>('per_qualified', t('Per qualified'), (row) => row.cost_per_qualified),
          costColumn<SpentInPeriod>('per_success', t('Per success'), (row) => row.cost_per_success),
        ]}
      >
        {weeks && weeks.length > 1 && (
          <div className={classes.chart}>
            <Suspense fallback={<Skeleton height={240} />}>
              <CostChart periods={weeks.map(({ from, cost }) => ({ label: dayText(from), cost }))} />
            </Suspense>
          </div>
        )}
      </FigureSection>
      <FigureSection
        title={t('Spending by model')}
        fileName="insights-spending-models"
        query={read}
        rows={data?.models}
        emptyText={t('No model was used in this range.')}
        keyOf={({ purpose, model }) => `${purpose} ${model}`}
        columns={[
          textColumn<Model>('purpose', t('Purpose'), { text: ({ purpose }) => t(PURPOSES[purpose] ?? purpose) }),
          textColumn<Model>('model', t('Model'), { text: ({ model }) => model }),
          numberColumn<Model>('runs', t('Runs'), { of: ({ runs }) => runs, format: formatNumber }),
          numberColumn<Model>('unpriced', t('Without a price'), {
            of: ({ unpriced }) => unpriced,
            format: formatNumber,
          }),
          {
            ...costColumn<Model>('cost', t('Cost'), ({ cost }) => cost),
            render: ({ cost, filter }) => (
              <PageLink to="insights-attempts" params={insightsParams(filter)}>
                {formatDollars(cost)}
              </PageLink>
            ),
          },
        ]}
      />
    </Stack>
  );
}

const PURPOSES: Readonly<Record<string, string>> = {
  chatbot: 'Chatbot',
  classification: 'Classification',
  ping: 'Follow-ups',
  document: 'Documents',
  summary: 'Summaries',
};

import { ActionIcon, Button, Group, Table, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconPrinter } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from '../../ui/Failure.tsx';
import { addDays, formatDollars, formatNumber, today } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { useEndpoint } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { readOutcomeSpending, readRefusals, readResponseTimes } from '../insightContract.ts';
import { type OutcomeFilter, readOutcomeStrip, readOutcomesBy, readOutcomesByStep } from '../outcomeContract.ts';
import { dayRange } from './insights/dayText.ts';
import { LoadingFigures } from './insights/FigureSection.tsx';
import classes from './insights/report.module.css';
import { reportContext } from './insights/reportContext.ts';
import { Strip } from './insights/Strip.tsx';
import { lastWeek, weekIn } from './insights/week.ts';
import { formatSeconds } from './shared/figureColumns.tsx';
import { RateText } from './shared/RateText.tsx';
import { type ShownRate, shownRate } from './shared/results.ts';

/** Rows of each table, so that all of them fit on one sheet. */
const MOST_ROWS = 5;

/** The figures of one week on one sheet of A4. */
export default function ReportPage() {
  const page = usePage();
  const { product } = useScope();
  const zone = product?.timezone ?? 'UTC';
  const newest = lastWeek(today(zone));
  const week = weekIn(page.params['week'], newest);
  const query: OutcomeFilter = { product_id: product?.id ?? 0, started_from: week, started_to: addDays(week, 6) };
  const open = (next: string) => page.setParams({ productId: product?.id, week: next });
  const strip = useEndpoint(readOutcomeStrip, { query }, { enabled: product !== null });
  usePageContext(reportContext({ product, week, figures: strip.data, open, print: () => window.print() }));
  return (
    <PageFrame
      title={t('Weekly report')}
      onBack={() => page.back('insights')}
      actions={
        <>
          <ActionIcon
            variant="default"
            size="input-xs"
            aria-label={t('Previous week')}
            onClick={() => open(addDays(week, -7))}
          >
            <IconChevronLeft size="1rem" />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size="input-xs"
            aria-label={t('Next week')}
            disabled={week >= newest}
            onClick={() => open(addDays(week, 7))}
          >
            <IconChevronRight size="1rem" />
          </ActionIcon>
          <Button size="xs" leftSection={<IconPrinter size="1rem" />} onClick={() => window.print()}>
            {t('Print')}
          </Button>
        </>
      }
    >
      <article className={classes.sheet} data-print aria-label={t('Weekly report')}>
        <header className={classes.head}>
          <Text component="h2" className={classes.title}>
            {product?.name}
          </Text>
          <Text size="sm" c="dimmed">
            {t('Week of {{days}}', { days: dayRange(week, addDays(week, 6)) })}
          </Text>
        </header>
        {strip.error && <Failure error={strip.error} onRetry={() => strip.refetch()} />}
        {strip.data ? (
          <Strip figures={strip.data} filter={query} />
        ) : (
          !strip.error && <LoadingFigures entity={t('Figures')} />
        )}
        <Tables query={query} />
      </article>
    </PageFrame>
  );
}

function Tables({ query }: { query: OutcomeFilter }) {
  const texts = useEndpoint(readOutcomesBy, { params: { dimension: 'first_text' }, query });
  const prompts = useEndpoint(readOutcomesBy, { params: { dimension: 'prompt_version' }, query });
  const steps = useEndpoint(readOutcomesByStep, { query });
  const refusals = useEndpoint(readRefusals, { query });
  return (
    <div className={classes.tables}>
      <Rows
        title={t('First texts')}
        heads={[t('Attempts'), t('Answered'), t('Qualified')]}
        read={texts}
        rows={texts.data?.items.map((row) => ({
          key: String(row.value),
          cells: [
            row.label,
            formatNumber(row.attempts),
            rate(shownRate(row, 'answered', row.filter)),
            rate(shownRate(row, 'qualified', row.filter)),
          ],
        }))}
      />
      <Rows
        title={t('Prompt versions')}
        heads={[t('Attempts'), t('Qualified'), t('Per qualified')]}
        read={prompts}
        rows={prompts.data?.items.map((row) => ({
          key: String(row.value),
          cells: [
            row.label,
            formatNumber(row.attempts),
            rate(shownRate(row, 'qualified', row.filter)),
            dollars(row.cost_per_qualified),
          ],
        }))}
      />
      <Rows
        title={t('Follow-ups')}
        heads={[t('Sent'), t('Answered'), t('Opted out')]}
        read={steps}
        rows={steps.data?.items.map(({ value, label, sent, answered, opted_out, rates, too_few: tooFew, filter }) => ({
          key: String(value),
          cells: [
            label,
            formatNumber(sent),
            rate({
              ...rates.answered,
              count: answered,
              of: sent,
              tooFew,
              filter: { ...filter, step_answered: [value] },
            }),
            rate({
              ...rates.opted_out,
              count: opted_out,
              of: sent,
              tooFew,
              filter: { ...filter, step_opted_out: [value] },
            }),
          ],
        }))}
      />
      <Rows
        title={t('Refusals')}
        heads={[t('Attempts')]}
        read={refusals}
        rows={refusals.data?.items.map(({ refusal, ended_by: by, reason, count }) => ({
          key: JSON.stringify([refusal, by, reason]),
          cells: [
            refusal === 'opted_out' ? t('Asked for no more messages') : (reason ?? t('No reason stored')),
            formatNumber(count),
          ],
        }))}
      />
      <Foot query={query} />
    </div>
  );
}

const rate = (one: ShownRate): ReactNode => <RateText rate={one} />;
const dollars = (value: number | null): string => (value === null ? '–' : formatDollars(value));

interface RowsProps {
  title: string;
  /** Heads of the columns after the first. */
  heads: readonly string[];
  read: Pick<UseQueryResult<unknown>, 'error' | 'refetch'>;
  rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[] | undefined;
}

function Rows({ title, heads, read, rows }: RowsProps) {
  return (
    <section aria-label={title}>
      {read.error && <Failure error={read.error} onRetry={() => read.refetch()} />}
      {rows === undefined ? (
        !read.error && <LoadingFigures entity={title} />
      ) : (
        <Table className={classes.table} horizontalSpacing={0}>
          <Table.Thead>
            <Table.Tr>
              {[title, ...heads].map((head) => (
                <Table.Th key={head}>{head}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, MOST_ROWS).map(({ key, cells: [name, ...cells] }) => (
              <Table.Tr key={key}>
                <Table.Th scope="row">{name}</Table.Th>
                {cells.map((cell, place) => (
                  <Table.Td key={heads[place]}>{cell}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {rows?.length === 0 && (
        <Text size="xs" c="dimmed">
          {t('None in this week.')}
        </Text>
      )}
      {rows && rows.length > MOST_ROWS && (
        <Text size="xs" c="dimmed">
          {t('{{count, number}} more in Insights', { count: rows.length - MOST_ROWS })}
        </Text>
      )}
    </section>
  );
}

/** How fast people answered, and which models cost most. */
function Foot({ query }: { query: OutcomeFilter }) {
  const times = useEndpoint(readResponseTimes, { query });
  const spending = useEndpoint(readOutcomeSpending, { query: { ...query, by: 'week' } });
  const overall = times.data?.overall;
  return (
    <Group className={classes.foot} gap="xl">
      {times.data && overall && (
        <Text size="sm">
          <b>{t('Human answers')}</b>{' '}
          {overall.median === null
            ? t('none after a hand-over')
            : t('median {{median}}, nine of ten within {{p90}}; {{count, number}} not answered', {
                median: formatSeconds(overall.median),
                p90: formatSeconds(overall.p90 ?? 0),
                count: times.data.unanswered,
              })}
        </Text>
      )}
      {spending.data && (
        <Text size="sm">
          <b>{t('Models')}</b>{' '}
          {spending.data.models
            .slice(0, 3)
            .map(({ model, purpose, cost }) => `${model} (${purpose}) ${formatDollars(cost)}`)
            .join(', ') || t('none used')}
        </Text>
      )}
    </Group>
  );
}

import { ActionIcon, Button, Group, Table, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconPrinter, IconWebhook } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Failure } from '../../ui/Failure.tsx';
import { addDays, formatDollars, formatNumber, today } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { useEndpoint } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { readWeeklyReport, type WeeklyReport } from '../reportContract.ts';
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
  const open = (next: string) => page.setParams({ productId: product?.id, week: next });
  const query = { product_id: product?.id ?? 0, week };
  const { data: report, error, refetch } = useEndpoint(readWeeklyReport, { query }, { enabled: product !== null });
  usePageContext(reportContext({ product, week, figures: report?.strip, open, print: () => window.print() }));
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
          <Button
            size="xs"
            variant="default"
            leftSection={<IconWebhook size="1rem" />}
            onClick={() => page.go('webhooks', {})}
          >
            {t('Send by webhook')}
          </Button>
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
        {error && <Failure error={error} onRetry={() => refetch()} />}
        {report ? (
          <>
            <Strip
              figures={report.strip}
              filter={{ product_id: report.product_id, started_from: report.from, started_to: report.to }}
            />
            <Tables report={report} />
          </>
        ) : (
          !error && <LoadingFigures entity={t('Figures')} />
        )}
      </article>
    </PageFrame>
  );
}

function Tables({ report }: { report: WeeklyReport }) {
  return (
    <div className={classes.tables}>
      <Rows
        title={t('First texts')}
        heads={[t('Attempts'), t('Answered'), t('Qualified')]}
        rows={report.first_texts.map((row) => ({
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
        rows={report.prompt_versions.map((row) => ({
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
        rows={report.follow_ups.map(({ value, label, sent, answered, opted_out, rates, too_few: tooFew, filter }) => ({
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
        rows={report.refusals.items.map(({ refusal, ended_by: by, reason, count }) => ({
          key: JSON.stringify([refusal, by, reason]),
          cells: [
            refusal === 'opted_out' ? t('Asked for no more messages') : (reason ?? t('No reason stored')),
            formatNumber(count),
          ],
        }))}
      />
      <Foot report={report} />
    </div>
  );
}

const rate = (one: ShownRate): ReactNode => <RateText rate={one} />;
const dollars = (value: number | null): string => (value === null ? '–' : formatDollars(value));

interface RowsProps {
  title: string;
  /** Heads of the columns after the first. */
  heads: readonly string[];
  rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}

function Rows({ title, heads, rows }: RowsProps) {
  return (
    <section aria-label={title}>
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
      {rows.length === 0 && (
        <Text size="xs" c="dimmed">
          {t('None in this week.')}
        </Text>
      )}
      {rows.length > MOST_ROWS && (
        <Text size="xs" c="dimmed">
          {t('{{count, number}} more in Insights', { count: rows.length - MOST_ROWS })}
        </Text>
      )}
    </section>
  );
}

/** How fast people answered, and which models cost most. */
function Foot({ report: { response_times: times, models } }: { report: WeeklyReport }) {
  return (
    <Group className={classes.foot} gap="xl">
      <Text size="sm">
        <b>{t('Human answers')}</b>{' '}
        {times.median === null
          ? t('none after a hand-over')
          : t('median {{median}}, nine of ten within {{p90}}; {{count, number}} not answered', {
              median: formatSeconds(times.median),
              p90: formatSeconds(times.p90 ?? 0),
              count: times.unanswered,
            })}
      </Text>
      <Text size="sm">
        <b>{t('Models')}</b>{' '}
        {models
          .slice(0, 3)
          .map(({ model, purpose, cost }) => `${model} (${purpose}) ${formatDollars(cost)}`)
          .join(', ') || t('none used')}
      </Text>
    </Group>
  );
}

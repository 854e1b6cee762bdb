import { useMemo, useState } from 'react';
import type { Column } from '../../ui/columns.ts';
import { formatDateTime, formatDollars, formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { hrefOf, usePage } from '../../ui/page.ts';
import { ResourceList, type VisibleRows } from '../../ui/ResourceList.tsx';
import { useScope } from '../../ui/scope.ts';
import { useListContext } from '../../ui/useListContext.ts';
import { listOutcomes, type OutcomeRow } from '../outcomeContract.ts';
import classes from './insights/insights.module.css';
import { REACHED_LABELS, SOURCE_LABELS, useOutcomeFilters } from './insights/outcomeFilters.ts';
import { RangeControl } from './insights/RangeControl.tsx';
import { dayParams, readDays } from './insights/useInsights.ts';

const ATTEMPTS = {
  plural: 'attempts',
  list: listOutcomes,
  orderBy: ['started_at', 'id'] as const,
  search: [],
};

/** The attempts behind a figure of Insights. */
export default function AttemptsPage() {
  const page = usePage();
  const { product } = useScope();
  const zone = product?.timezone ?? 'UTC';
  const columns = useMemo(() => attemptColumns(zone), [zone]);
  const filters = useOutcomeFilters();
  const [visibleRows, setVisibleRows] = useState<VisibleRows<OutcomeRow> | null>(null);
  const days = readDays(page.params);
  const fixedQuery = { product_id: product?.id, ...dayParams(days) };
  useListContext({
    title: t('Attempts'),
    description: t('The attempts to win leads behind a figure of Insights. A row opens its lead.'),
    crud: ATTEMPTS,
    filters,
    fixedQuery,
    visibleRows,
    describeRow: ({ id, lead_id, lead_name, dialogue_id, started_at, outcome, cost, ...row }: OutcomeRow) => ({
      id,
      lead_id,
      lead_name,
      dialogue_id,
      started_at,
      reached: reachedText(row),
      outcome,
      cost,
    }),
    tools: [],
  });
  return (
    <PageFrame title={t('Attempts')} fill onBack={() => page.back('insights')}>
      <div className={classes.bar} data-framed>
        <RangeControl
          days={days}
          withAllTime
          onChange={(next) => page.setParams({ ...dayParams(next), list_page: undefined })}
        />
      </div>
      <ResourceList
        crud={ATTEMPTS}
        columns={columns}
        filters={filters}
        fixedQuery={fixedQuery}
        rowTarget={({ lead_id: leadId }) => ({
          href: hrefOf('lead-detail', { leadId }),
          open: () => page.go('lead-detail', { leadId }),
        })}
        emptyText={t('An attempt begins with the first message to or from a lead.')}
        onRowsChange={setVisibleRows}
      />
    </PageFrame>
  );
}

const STEPS = [
  ['written', 'written_at'],
  ['delivered', 'delivered_at'],
  ['read', 'read_at'],
  ['answered', 'answered_at'],
  ['qualified', 'qualified_at'],
  ['handed_over', 'handed_over_at'],
  ['opted_out', 'opted_out_at'],
] as const;

type Times = Pick<OutcomeRow, (typeof STEPS)[number][1]>;

/** Say how far an attempt got: the last of these that it reached. */
function reachedText(row: Times): string {
  const last = STEPS.findLast(([, at]) => row[at] !== null);
  return last ? t(REACHED_LABELS[last[0]]) : '';
}

const OUTCOMES = { success: 'Success', refused: 'Refused', ignore: 'Ignored', failed: 'Failed' } as const;

function attemptColumns(zone: string): Column<OutcomeRow>[] {
  const time = (key: keyof Times, label: string, hiddenByDefault = true): Column<OutcomeRow> => ({
    key,
    label,
    span: 1.6,
    hiddenByDefault,
    render: (row) => timeText(row[key], zone),
  });
  return [
    { key: 'lead_name', label: t('Lead'), span: 2, primary: true, render: (row) => row.lead_name },
    {
      key: 'started_at',
      label: t('First message'),
      sort: 'started_at',
      span: 1.7,
      render: ({ started_at: at }) => timeText(at, zone),
    },
    { key: 'reached', label: t('Reached'), span: 1.3, render: reachedText },
    time('answered_at', t('Answered'), false),
    time('qualified_at', t('Qualified'), false),
    {
      key: 'outcome',
      label: t('Outcome'),
      span: 1.2,
      render: ({ outcome }) => (outcome === null ? t('Still open') : t(OUTCOMES[outcome])),
    },
    { key: 'source', label: t('Source'), span: 1.9, render: ({ source }) => t(SOURCE_LABELS[source]) },
    { key: 'cost', label: t('Cost'), span: 1.3, number: true, render: ({ cost }) => formatDollars(cost) },
    { key: 'attempt', label: t('Attempt'), span: 1, number: true, hiddenByDefault: true, render: (row) => row.attempt },
    time('written_at', t('Written')),
    time('delivered_at', t('Delivered')),
    time('read_at', t('Read')),
    time('handed_over_at', t('Handed over')),
    time('opted_out_at', t('Opted out')),
    {
      key: 'steps',
      label: t('Follow-ups'),
      span: 1,
      number: true,
      hiddenByDefault: true,
      render: ({ steps }) => formatNumber(steps),
    },
    { key: 'model', label: t('Model'), span: 2, hiddenByDefault: true, render: ({ model }) => model ?? '–' },
    {
      key: 'operator',
      label: t('Operator'),
      span: 1.3,
      hiddenByDefault: true,
      render: ({ operator }) => operator ?? '–',
    },
    { key: 'language', label: t('Script'), span: 1, hiddenByDefault: true, render: ({ language }) => language ?? '–' },
  ];
}

const timeText = (iso: string | null, zone: string): string => (iso === null ? '–' : formatDateTime(iso, zone));

/** A table of figures in its section, with its chart above it: both are drawn from the same rows. */
import { Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { usePage } from '../../../ui/page.ts';
import { Section } from '../../../ui/Section.tsx';
import type { Funnel } from '../../outcomeContract.ts';
import { ExportFigures, FigureTable, type FigureTableProps } from '../shared/FigureTable.tsx';
import classes from './insights.module.css';
import { REACHED_LABELS } from './outcomeFilters.ts';
import type { RatePoint } from './RateChart.tsx';

const RateChart = lazy(() => import('./RateChart.tsx'));

interface FigureSectionProps<T> extends Omit<FigureTableProps<T>, 'caption' | 'rows'> {
  title: string;
  /** Name of the CSV file. */
  fileName: string;
  note?: string;
  query: Pick<UseQueryResult<unknown>, 'error' | 'refetch'>;
  /** Undefined while they load. */
  rows: readonly T[] | undefined;
  emptyText?: string;
  /** Controls beside the export. */
  actions?: ReactNode;
  /** Content between heading and table. */
  children?: ReactNode;
}

export function FigureSection<T>(props: FigureSectionProps<T>) {
  const { title, fileName, note, query, columns, rows, keyOf, emptyText, actions, children } = props;
  return (
    <Section
      title={title}
      actions={
        <>
          {actions}
          {rows !== undefined && rows.length > 0 && (
            <ExportFigures name={fileName} caption={title} columns={columns} rows={rows} />
          )}
        </>
      }
    >
      {note !== undefined && (
        <Text size="sm" c="dimmed" mb="sm">
          {note}
        </Text>
      )}
      {query.error && <Failure error={query.error} onRetry={() => query.refetch()} />}
      {rows === undefined ? (
        !query.error && <LoadingFigures entity={title} />
      ) : rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {emptyText ?? t('No attempts in this range.')}
        </Text>
      ) : (
        <>
          {children}
          <FigureTable caption={title} columns={columns} rows={rows} keyOf={keyOf} />
        </>
      )}
    </Section>
  );
}

export function LoadingFigures({ entity }: { entity: string }) {
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed" role="status">
        {t('Loading {{entity}}...', { entity: entity.toLowerCase() })}
      </Text>
      {[100, 100, 70].map((width, index) => (
        <Skeleton key={`${index}-${width}`} height="1.5rem" width={`${width}%`} />
      ))}
    </Stack>
  );
}

const metrics = ['answered', 'qualified', 'success'] as const;
export type Metric = (typeof metrics)[number];

/** Return what charts show, from the address; `qualified` where it is none of `names`. */
export function useMetric(names: readonly Metric[] = metrics): Metric {
  const { params } = usePage();
  return names.find((name) => name === params['metric']) ?? 'qualified';
}

/** Choose what charts show. */
export function MetricControl({ names = metrics }: { names?: readonly Metric[] }) {
  const { setView } = usePage();
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('Show in the chart')}
      value={useMetric(names)}
      onChange={(metric) => setView({ metric: metric === 'qualified' ? undefined : metric })}
      data={names.map((value) => ({ value, label: t(REACHED_LABELS[value]) }))}
    />
  );
}

/** Most rows of a chart; the table has all. */
const MOST_POINTS = 30;

/** A chart of rates with its legend; nothing for a single row, which says the same in the table. */
export function Rates({
  points,
  measure,
  isHorizontal = false,
}: {
  points: readonly RatePoint[];
  measure: string;
  isHorizontal?: boolean;
}) {
  if (points.length < 2) return null;
  const visible = isHorizontal ? points.slice(0, MOST_POINTS) : points;
  return (
    <div className={classes.chart}>
      <Suspense fallback={<Skeleton height={240} />}>
        <RateChart points={visible} measure={measure} isHorizontal={isHorizontal} />
      </Suspense>
      <Group gap="md" justify="flex-end">
        <Text size="xs" c="dimmed">
          {t('Dot: rate. Bar: 95 % interval. Grey: fewer than 30 attempts.')}
          {visible.length < points.length && ` ${t('The first {{count}} rows.', { count: MOST_POINTS })}`}
        </Text>
      </Group>
    </div>
  );
}

/** Attempts that no final stage has ended. */
export const openOf = ({ attempts, success, refused, ignored, failed }: Funnel): number =>
  attempts - success - refused - ignored - failed;

/** Columns of tables of figures: a funnel's counts with their rates, and its cost. Cells and CSV come from the same row. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatDollars, formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import type { Funnel, OutcomeFilter, Reached } from '../../outcomeContract.ts';
import classes from './figures.module.css';
import { AttemptsLink, formatRange, formatRate } from './RateText.tsx';
import { type ShownRate, shownRate } from './results.ts';

export interface FigureColumn<T> {
  /** Unique in its table. */
  readonly key: string;
  readonly label: string;
  readonly render: (row: T) => ReactNode;
  /** What the rows are sorted by; null comes last. Without it the column is not sortable. */
  readonly sort?: (row: T) => number | string | null;
  /** Aligns the cells to the right. */
  readonly number?: boolean;
  /** Columns of the CSV file. */
  readonly csv: readonly { readonly label: string; readonly of: (row: T) => number | string | null }[];
}

/** A row whose attempts are counted. */
export type FunnelRow = Funnel & { readonly filter: OutcomeFilter };

/** A column of texts. */
export function textColumn<T>(
  key: string,
  label: string,
  {
    text,
    render = text,
    sort = text,
  }: Pick<FigureColumn<T>, 'sort'> & {
    text: (row: T) => string;
    render?: (row: T) => ReactNode;
  },
): FigureColumn<T> {
  return { key, label, render, sort, csv: [{ label, of: text }] };
}

/** A column with a number of attempts and their share; the number opens the attempts. */
export function rateColumn<T>(key: string, label: string, rateOf: (row: T) => ShownRate): FigureColumn<T> {
  const part = (row: T, value: (rate: ShownRate) => number): number | null => {
    const rate = rateOf(row);
    return rate.rate === null ? null : value(rate);
  };
  return {
    key,
    label,
    number: true,
    sort: (row) => part(row, ({ rate }) => rate ?? 0),
    render: (row) => <RateCell rate={rateOf(row)} />,
    csv: [
      { label, of: (row) => rateOf(row).count },
      { label: t('{{label}}, rate', { label }), of: (row) => part(row, ({ rate }) => rate ?? 0) },
      { label: t('{{label}}, interval from', { label }), of: (row) => part(row, ({ low }) => low) },
      { label: t('{{label}}, interval to', { label }), of: (row) => part(row, ({ high }) => high) },
    ],
  };
}

/** A column with a number of attempts, which opens them. */
export function countColumn<T>(
  key: string,
  label: string,
  of: (row: T) => { readonly count: number; readonly filter: OutcomeFilter },
): FigureColumn<T> {
  return {
    key,
    label,
    number: true,
    sort: (row) => of(row).count,
    render: (row) => <AttemptsLink {...of(row)} />,
    csv: [{ label, of: (row) => of(row).count }],
  };
}

/** A column of numbers that no rows are behind, such as seconds or a cost. Null shows a dash. */
export function numberColumn<T>(
  key: string,
  label: string,
  { of, format }: { of: (row: T) => number | null; format: (value: number) => string },
): FigureColumn<T> {
  return {
    key,
    label,
    number: true,
    sort: of,
    render: (row) => {
      const value = of(row);
      return value === null ? <Dash /> : format(value);
    },
    csv: [{ label, of }],
  };
}

export const costColumn = <T,>(key: string, label: string, of: (row: T) => number | null): FigureColumn<T> => ({
  ...numberColumn(key, label, { of, format: formatDollars }),
  csv: [{ label: t('{{label}}, USD', { label }), of }],
});

const REACHED_LABELS = {
  answered: 'Answered',
  qualified: 'Qualified',
  success: 'Success',
  opted_out: 'Opted out',
} as const satisfies Partial<Record<Reached, string>>;

/** The columns of every breakdown: attempts, how far they got, and what they cost. */
export function funnelColumns<T extends FunnelRow>(): FigureColumn<T>[] {
  const names = ['answered', 'qualified', 'success', 'opted_out'] as const;
  return [
    countColumn('attempts', t('Attempts'), ({ attempts, filter }) => ({ count: attempts, filter })),
    ...names.map((name) => rateColumn<T>(name, t(REACHED_LABELS[name]), (row) => shownRate(row, name, row.filter))),
    costColumn('cost', t('Cost'), ({ cost }) => cost),
    costColumn('cost_per_qualified', t('Per qualified'), (row) => row.cost_per_qualified),
  ];
}

/** Show `120 · 31 %` above its interval; grey, with 'Too few to tell', below 30 attempts. */
export function RateCell({ rate }: { rate: ShownRate }) {
  const { count, rate: share, low, high, tooFew, filter } = rate;
  if (share === null) return <Dash />;
  return (
    <div className={classes.rate} data-few={tooFew || undefined}>
      <div>
        <span className={classes.number}>
          <AttemptsLink count={count} filter={filter} />
        </span>
        <span className={classes.share}>{formatRate(share)}</span>
      </div>
      <div className={classes.interval}>{tooFew ? t('Too few to tell') : formatRange(low, high)}</div>
    </div>
  );
}

export function Dash() {
  return (
    <Text span inherit c="dimmed">
      –
    </Text>
  );
}

/** Format seconds: `45 s`, `12 min`, `3.5 h`, `2.1 d`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return t('{{count, number}} s', { count: Math.round(seconds) });
  if (seconds < 3600) return t('{{count, number}} min', { count: Math.round(seconds / 60) });
  const [unit, size] = seconds < 86_400 ? (['h', 3600] as const) : (['d', 86_400] as const);
  return `${formatNumber(Math.round((seconds / size) * 10) / 10)} ${t(unit)}`;
}

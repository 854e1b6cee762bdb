/** Rates with their 95 % intervals: a dot for the rate, a bar for where it may really be. Grey where too few are counted. */
import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { Paper, Text } from '@mantine/core';
import { t } from '../../../ui/i18n.ts';
import { formatRange, formatRate } from '../shared/RateText.tsx';
import type { ShownRate } from '../shared/results.ts';
import classes from './insights.module.css';

export interface RatePoint {
  readonly label: string;
  readonly rate: ShownRate;
  /** Part of the attempts may still change: drawn lighter. */
  readonly open?: boolean;
}

interface RateChartProps {
  points: readonly RatePoint[];
  /** What the rates are of, for the axis: `Qualified`. */
  measure: string;
  /** Labels are on the left, for names. By default they are below, for times. */
  isHorizontal?: boolean;
}

type Datum = {
  readonly name: string;
  readonly interval: [number, number] | null;
  readonly point: RatePoint;
};

/** Height of a row of a horizontal chart, and of the axis, in pixels. */
const ROW_PX = 36;
const AXIS_PX = 56;
const COLUMNS_PX = 240;

export default function RateChart({ points, measure, isHorizontal = false }: RateChartProps) {
  const data: Datum[] = points.map((point) => {
    const { rate, low, high } = point.rate;
    return { name: point.label, interval: rate === null ? null : [low, high], point };
  });
  const highest = Math.max(
    0.05,
    ...points.map(({ rate }) => (rate.rate === null ? 0 : rate.tooFew ? rate.rate : rate.high)),
  );
  const ticks = ticksTo(highest);
  const domain = { domain: [0, ticks.at(-1) ?? 1], ticks, allowDataOverflow: true };
  const label = t('{{measure}}, % of attempts', { measure });
  return (
    <BarChart
      h={isHorizontal ? points.length * ROW_PX + AXIS_PX : COLUMNS_PX}
      data={data}
      dataKey="name"
      series={[{ name: 'interval', label: measure, color: 'accent.5' }]}
      orientation={isHorizontal ? 'vertical' : 'horizontal'}
      {...(isHorizontal ? { xAxisLabel: label, gridAxis: 'y' } : { yAxisLabel: label, gridAxis: 'x' })}
      tickLine="none"
      valueFormatter={formatRate}
      textColor="dimmed"
      xAxisProps={isHorizontal ? { ...domain, interval: 'equidistantPreserveStart' } : { interval: 'preserveStartEnd' }}
      yAxisProps={isHorizontal ? { width: 190, tickFormatter: shorten } : { ...domain, width: 60 }}
      barProps={{
        shape: (props: unknown) => <Interval {...(props as IntervalProps)} isHorizontal={isHorizontal} />,
      }}
      tooltipProps={{
        content: ({ payload }) => {
          const datum = payload?.[0]?.payload as Datum | undefined;
          return datum ? <Hint {...datum.point} measure={measure} /> : null;
        },
      }}
    />
  );
}

interface IntervalProps {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly payload: Datum;
  readonly isHorizontal: boolean;
}

const THICK = 8;
const DOT = 4.5;

function Interval({ x, y, width, height, payload: { point }, isHorizontal }: IntervalProps) {
  const { rate, low, high, tooFew } = point.rate;
  if (rate === null) return null;
  const share = (rate - low) / (high - low);
  const bar = isHorizontal
    ? { x: Math.min(x, x + width), y: y + height / 2 - THICK / 2, width: Math.abs(width), height: THICK }
    : { x: x + width / 2 - THICK / 2, y: Math.min(y, y + height), width: THICK, height: Math.abs(height) };
  const dot = isHorizontal
    ? { cx: bar.x + bar.width * share, cy: y + height / 2 }
    : { cx: x + width / 2, cy: bar.y + bar.height * (1 - share) };
  return (
    <g className={classes.interval} data-few={tooFew || undefined} data-open={point.open || undefined}>
      <rect {...bar} rx={THICK / 2} />
      <circle {...dot} r={DOT} />
    </g>
  );
}

function Hint({ label, rate, open, measure }: RatePoint & { measure: string }) {
  const { count, of, rate: share, low, high, tooFew } = rate;
  return (
    <Paper withBorder px="sm" py="xs" shadow="md">
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Text size="sm">
        {t('{{measure}}: {{count, number}} of {{of, number}}', { measure, count, of })}
        {share !== null && `, ${formatRate(share)}`}
      </Text>
      <Text size="xs" c="dimmed">
        {tooFew ? t('Too few to tell') : t('95 % interval {{range}}', { range: formatRange(low, high) })}
        {open && ` · ${t('still open')}`}
      </Text>
    </Paper>
  );
}

/** Return round marks of the axis from 0 up to at least the highest rate. */
function ticksTo(highest: number): number[] {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((one) => highest / one <= 5) ?? 0.25;
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_none, mark) => Math.min(1, mark * step));
}

const LETTERS_IN_FRONT = 14;
const LETTERS_AT_END = 11;

/** Shorten a name in its middle: what tells versions of a prompt apart is at its end. */
const shorten = (name: string): string =>
  name.length > LETTERS_IN_FRONT + LETTERS_AT_END + 1
    ? `${name.slice(0, LETTERS_IN_FRONT)}…${name.slice(-LETTERS_AT_END)}`
    : name;

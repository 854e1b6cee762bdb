/** A bar chart with one bar per day, in one or two colours. Screen readers get it as a table. */
import { Text, VisuallyHidden } from '@mantine/core';
import classes from './DayBars.module.css';
import { formatCalendarDay } from './format.ts';
import { t } from './i18n.ts';

interface DayBarsProps {
  /** What is counted; the caption of the table. */
  caption: string;
  /** Names of the parts of a bar, from the bottom up. */
  series: readonly [string] | readonly [string, string];
  /** Oldest first, each with one value per part. */
  days: readonly { readonly day: string; readonly values: readonly number[] }[];
  /** Time zone of the days. */
  zone: string;
  format: (value: number) => string;
  /** Label of the highest bar. */
  formatHighest: (highest: string) => string;
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

export function DayBars({ caption, series, days, zone, format, formatHighest }: DayBarsProps) {
  const highest = Math.max(0, ...days.map(({ values }) => sum(values)));
  const share = (value: number) => `${highest === 0 ? 0 : (100 * value) / highest}%`;
  const ends = [days[0], days.at(-1)].flatMap((one) => (one ? [formatCalendarDay(one.day, zone)] : []));
  const valuesText = (values: readonly number[]) =>
    series.map((name, at) => `${name} ${format(values[at] ?? 0)}`).join(', ');
  return (
    <>
      <Text size="xs" c="dimmed" aria-hidden>
        {formatHighest(format(highest))}
      </Text>
      <div className={classes.days} aria-hidden>
        {days.map(({ day, values }) => (
          <div key={day} className={classes.day} title={t('{{day}}: {{values}}', { day, values: valuesText(values) })}>
            {values.toReversed().map((value, index) => {
              const part = values.length - 1 - index;
              return (
                <div key={series[part]} className={classes.part} data-part={part} style={{ height: share(value) }} />
              );
            })}
          </div>
        ))}
      </div>
      <div className={classes.axis} aria-hidden>
        <Text size="xs" c="dimmed">
          {ends[0]}
        </Text>
        <Text size="xs" c="dimmed">
          {ends[1]}
        </Text>
      </div>
      {series.length > 1 && (
        <div className={classes.legend} aria-hidden>
          {series.map((name, part) => (
            <Text key={name} size="xs" span>
              <span className={classes.key} data-part={part} /> {name}
            </Text>
          ))}
        </div>
      )}
      <VisuallyHidden>
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th>{t('Day')}</th>
              {series.map((name) => (
                <th key={name}>{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, values }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                {series.map((name, part) => (
                  <td key={name}>{format(values[part] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  );
}

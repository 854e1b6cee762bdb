/** The days of a schedule: «Monday to Friday 9 to 18, Saturday off». */
import { timesIn, weekdaysIn } from './quantities.ts';
import { type Schema, schemaOf } from './schema.ts';

const KEYS = ['0', '1', '2', '3', '4', '5', '6'];

/** Whether a map has the days of a week for its keys, 0 being Monday. */
export function isDays(schema: Schema): boolean {
  const keys = schema.keys ?? Object.keys(schema.properties);
  return keys.length === KEYS.length && KEYS.every((key) => keys.includes(key));
}

const OFF = /\b(?:off|closed|free|no work|not? work\w*|day off|days off)\b|выходн|не рабоч|нерабоч|не работа|отдых/iu;

/** Each day that is named with its hours; undefined when none is. */
export function daysOf(schema: Schema, text: string): Record<string, unknown> | undefined {
  const [working, start, end] = namesOf(schema);
  const mentions = weekdaysIn(text);
  const made: Record<string, unknown> = {};
  const put = (days: readonly number[], part: string): boolean => {
    const times = timesIn(part, 'meant');
    const off = OFF.test(part);
    const [from, to] = [times[0]?.value, times[1]?.value];
    if (!off && (from === undefined || to === undefined)) return false;
    for (const each of days) {
      made[String(each)] = off
        ? { [working]: false, [start]: '00:00', [end]: '00:00' }
        : { [working]: true, [start]: from, [end]: to };
    }
    return true;
  };
  let waiting: number[] = [];
  for (const [index, { at, end: behind, days }] of mentions.entries()) {
    waiting = [...waiting, ...days];
    const next = mentions[index + 1]?.at ?? text.length;
    const ahead = text.slice(index === 0 ? 0 : (mentions[index - 1]?.end ?? 0), at);
    // «9 to 18 on weekdays» as well as «weekdays 9 to 18».
    if (put(waiting, text.slice(behind, next)) || put(waiting, `${ahead} `) || put(waiting, text.slice(at, behind)))
      waiting = [];
  }
  if (mentions.length === 0) {
    const everyDay = timesIn(text, 'meant');
    if (everyDay.length >= 2) put([0, 1, 2, 3, 4], text);
  }
  return Object.keys(made).length > 0 ? made : undefined;
}

/** What the fields of a day are called: whether, from, to. */
function namesOf(schema: Schema): [string, string, string] {
  const day = schemaOf(schema.values ?? schema.properties['0']);
  const names = Object.keys(day.properties);
  const flag = names.find((name) => schemaOf(day.properties[name]).type === 'boolean');
  const [start, end] = names.filter((name) => schemaOf(day.properties[name]).type === 'string');
  return [flag ?? 'is_working_day', start ?? 'time_start', end ?? 'time_end'];
}

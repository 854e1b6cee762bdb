/** Filters of a list. */
import type { Option } from './form.ts';
import { addDays, formatShortDay, today } from './format.ts';
import { t } from './i18n.ts';
import type { ListState } from './listState.ts';
import type { OptionSource } from './optionSource.ts';

export type Filter = { label: string } & (
  | { kind: 'options'; name: string; options: readonly Option[] }
  | { kind: 'source'; name: string; source: OptionSource }
  /** Matches exactly what is typed. `digits`: the value is an id. */
  | { kind: 'text'; name: string; digits?: boolean }
  /** `created_from` and `created_to`: days in the chosen product's time zone, both inclusive. */
  | { kind: 'created' }
);

type Values = ListState['filters'];

/** Return the filter's query parameter names. */
export function filterParamNames(filter: Filter): string[] {
  return filter.kind === 'created' ? ['created_from', 'created_to'] : [filter.name];
}

/** Merge changed values into the filter values. An empty list removes a filter. */
export function mergeFilterValues(values: Values, changed: Values): Values {
  return Object.fromEntries(Object.entries({ ...values, ...changed }).filter(([, list]) => list.length > 0));
}

/** Return whether the filter has a value. */
export function isActive(filter: Filter, values: Values): boolean {
  return filterParamNames(filter).some((name) => (values[name] ?? []).length > 0);
}

/** The most used date ranges. `today` is the current day in the product's time zone. */
export function dayPresets(today: string): { label: string; from: string; to: string }[] {
  return [
    { label: t('Today'), from: today, to: today },
    { label: t('Yesterday'), from: addDays(today, -1), to: addDays(today, -1) },
    { label: t('Last 7 days'), from: addDays(today, -6), to: today },
  ];
}

/** Format a chosen date range: `Today`, `since 3 Nov`, `3 Nov – 9 Nov`. */
export function formatDayRange(from: string | undefined, to: string | undefined, zone: string): string {
  const preset = dayPresets(today(zone)).find((one) => one.from === from && one.to === to);
  if (preset) return preset.label;
  if (to === undefined) return t('since {{day}}', { day: formatShortDay(from ?? '', zone) });
  if (from === undefined) return t('until {{day}}', { day: formatShortDay(to, zone) });
  return from === to
    ? formatShortDay(from, zone)
    : t('{{from}} – {{to}}', { from: formatShortDay(from, zone), to: formatShortDay(to, zone) });
}

/** Filters of a list. */
import type { Option } from './form.ts';
import { addDays, formatShortDay, shortDayInSentence, today } from './format.ts';
import { t } from './i18n.ts';
import type { ListState } from './listState.ts';
import type { OptionSource } from './optionSource.ts';

export type Filter = {
  label: string;
  /** Rarely used: shown once it has a value, or after 'More filters'. */
  more?: boolean;
} & (
  | { kind: 'options'; name: string; options: readonly Option[] }
  | { kind: 'source'; name: string; source: OptionSource }
  /** Matches exactly what is typed. `digits`: the value is an id. */
  | { kind: 'text'; name: string; digits?: boolean }
  /** One of several combinations of values: each option sets all of `names`. */
  | { kind: 'choice'; names: readonly [string, ...string[]]; options: readonly Choice[] }
  /** `{name}_from` and `{name}_to`: days in the chosen product's time zone, both inclusive. */
  | { kind: 'days'; name: string }
  /** Conditions on fields that the operator names: `Budget=5000`, `City~=ber` (contains). */
  | { kind: 'fields'; name: string; fields: readonly string[] }
);

/** An option of a filter that sets several parameters. Those that it lacks are removed. */
export interface Choice {
  readonly label: string;
  readonly values: ListState['filters'];
}

type Values = ListState['filters'];

/** Return the parameters of a filter by days: its first day and its last. */
export const dayParamNames = (name: string): [from: string, to: string] => [`${name}_from`, `${name}_to`];

/** A condition on a field that the operator names. */
export interface FieldCondition {
  readonly field: string;
  readonly contains: boolean;
  readonly value: string;
}

/** Write a condition as the API reads it. */
export const writeFieldCondition = ({ field, contains, value }: FieldCondition): string =>
  `${field.replaceAll('=', '%3D')}${contains ? '~' : ''}=${value}`;

/** Read a condition; null if it is none. */
export function readFieldCondition(text: string): FieldCondition | null {
  const [, field, part, value] = /^([^=]*?)(~?)=(.*)$/s.exec(text) ?? [];
  if (field === undefined || value === undefined) return null;
  return { field: field.replaceAll(/%3d/gi, '='), contains: part === '~', value };
}

/** Return the filter's query parameter names. */
export function filterParamNames(filter: Filter): string[] {
  if (filter.kind === 'choice') return [...filter.names];
  return filter.kind === 'days' ? dayParamNames(filter.name) : [filter.name];
}

/** Return the option whose values are set; undefined for a combination that is none of them. */
export function chosenOption(
  { names, options }: Extract<Filter, { kind: 'choice' }>,
  values: Values,
): Choice | undefined {
  return options.find((option) =>
    names.every((name) => String(values[name] ?? []) === String(option.values[name] ?? [])),
  );
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
  if (to === undefined) return t('since {{day}}', { day: shortDayInSentence(from ?? '', zone) });
  if (from === undefined) return t('until {{day}}', { day: shortDayInSentence(to, zone) });
  return from === to
    ? formatShortDay(from, zone)
    : t('{{from}} – {{to}}', { from: formatShortDay(from, zone), to: shortDayInSentence(to, zone) });
}

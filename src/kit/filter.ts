/** What a list can be narrowed by. */
import type { Option } from './form.ts';
import type { ListState } from './listState.ts';
import type { Source } from './source.ts';

export type Filter = { label: string } & (
  | { kind: 'options'; name: string; options: readonly Option[] }
  | { kind: 'source'; name: string; source: Source }
  /** Exactly what is typed; `digits`: an id. */
  | { kind: 'text'; name: string; digits?: boolean }
  /** `created_from` and `created_to`: days in UTC, both inclusive. */
  | { kind: 'created' }
);

type Values = ListState['filters'];

/** Names on the wire. */
export function namesOf(filter: Filter): string[] {
  return filter.kind === 'created' ? ['created_from', 'created_to'] : [filter.name];
}

/** The values with some of them put in; an empty list takes a filter out. */
export function withValues(values: Values, changed: Values): Values {
  return Object.fromEntries(Object.entries({ ...values, ...changed }).filter(([, list]) => list.length > 0));
}

/** Whether the filter narrows the list. */
export function isActive(filter: Filter, values: Values): boolean {
  return namesOf(filter).some((name) => (values[name] ?? []).length > 0);
}

/** Filters and order of the emulated lists (fact sheet, 5), as far as Rapport uses them. */
import type { Card } from './changes.ts';

/** Return whether a card matches the filters of a list. */
export function isMatching(card: Card, query: URLSearchParams): boolean {
  if (card.updated_at < Number(query.get('filter[updated_at][from]'))) return false;
  const to = query.get('filter[updated_at][to]');
  if (to !== null && card.updated_at > Number(to)) return false;
  const ids = query.getAll('filter[id][]').map(Number);
  if (ids.length > 0 && !ids.includes(card.id)) return false;
  if (!card.name.includes(query.get('query') ?? '')) return false;
  const steps = [...query.keys()].flatMap((key) => /^filter\[statuses\]\[(\d+)\]\[status_id\]$/.exec(key)?.[1] ?? []);
  return (
    steps.length === 0 ||
    steps.some(
      (at) =>
        Number(query.get(`filter[statuses][${at}][status_id]`)) === card.status_id &&
        Number(query.get(`filter[statuses][${at}][pipeline_id]`)) === card.pipeline_id,
    )
  );
}

/** Return the comparison for the order that a list requests. */
export function orderOf(query: URLSearchParams): (one: Card, other: Card) => number {
  for (const key of ['updated_at', 'created_at', 'id'] as const) {
    const expected = query.get(`order[${key}]`);
    if (expected === null) continue;
    const sign = expected === 'desc' ? -1 : 1;
    return (one, other) => sign * (one[key] - other[key]) || one.id - other.id;
  }
  return (one, other) => one.id - other.id;
}

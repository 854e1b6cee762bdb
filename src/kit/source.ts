/** Where a control finds the rows that can be chosen, by name. */
import { ApiError, call } from './api.ts';
import type { Readable, Row } from './resource.ts';

interface Choice {
  value: string;
  label: string;
}

export interface Source {
  /** Prefix of the cache keys of `search`. */
  readonly listKey: readonly unknown[];
  /** Prefix of the cache keys of `one`. */
  readonly oneKey: readonly unknown[];
  /** The first rows whose text matches; all of them when `text` is blank. */
  readonly search: (text: string, signal: AbortSignal) => Promise<Choice[]>;
  /** What is said when the rows cannot be loaded. */
  readonly failed: string | null;
  /** The row of an id; null when there is none (any more). */
  readonly one: (id: number, signal: AbortSignal) => Promise<Choice | null>;
}

const AT_MOST = 50;

/** Prefix of all that is cached of a resource's names: apart from its rows, whose cache holds whole answers. */
export function namesKey(resource: { readonly list: { readonly path: string } }): readonly unknown[] {
  return ['names', resource.list.path];
}

/** The rows of a resource, named by `labelOf`, narrowed by `query`; `failed`: the sentence when they cannot be loaded. */
export function sourceOf<T extends Row>(
  resource: Readable<T>,
  labelOf: (row: T) => string,
  query: Readonly<Record<string, unknown>> = {},
  failed: string | null = null,
): Source {
  const choice = (row: T): Choice => ({ value: String(row.id), label: labelOf(row) });
  const searchable = resource.search.length > 0;
  return {
    listKey: [...namesKey(resource), 'found', query],
    oneKey: [...namesKey(resource), 'one'],
    failed,
    search: async (text, signal) => {
      const search = searchable && text.trim() !== '' ? text.trim() : undefined;
      const page = await call(resource.list, {
        query: { ...query, limit: AT_MOST, with_total: false, search },
        signal,
      });
      return page.items.map(choice);
    },
    one: async (id, signal) => {
      try {
        return choice(await call(resource.get, { params: { id }, signal }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  };
}

/** Where a control finds the rows that can be chosen, by name. */
import { ApiError, call } from './api.ts';
import type { ReadableResource, Row } from './resource.ts';

interface SelectOption {
  value: string;
  label: string;
}

export interface OptionSource {
  /** Prefix of the cache keys of `search`. */
  readonly listKey: readonly unknown[];
  /** Prefix of the cache keys of `one`. */
  readonly itemKey: readonly unknown[];
  /** The first rows whose text matches; all of them when `text` is blank. */
  readonly search: (text: string, signal: AbortSignal) => Promise<SelectOption[]>;
  /** What is said when the rows cannot be loaded. */
  readonly failureText: string | null;
  /** The row of an id; null when there is none (any more). */
  readonly get: (id: number, signal: AbortSignal) => Promise<SelectOption | null>;
}

const MAX_OPTIONS = 50;

/** Prefix of all that is cached of a resource's names: apart from its rows, whose cache holds whole answers. */
export function namesKey(resource: { readonly list: { readonly path: string } }): readonly unknown[] {
  return ['names', resource.list.path];
}

/** The rows of a resource, named by `labelOf`, narrowed by `query`; `failed`: the sentence when they cannot be loaded. */
export function optionSource<T extends Row>(
  resource: ReadableResource<T>,
  labelOf: (row: T) => string,
  query: Readonly<Record<string, unknown>> = {},
  failureText: string | null = null,
): OptionSource {
  const optionOf = (row: T): SelectOption => ({ value: String(row.id), label: labelOf(row) });
  const searchable = resource.search.length > 0;
  return {
    listKey: [...namesKey(resource), 'found', query],
    itemKey: [...namesKey(resource), 'one'],
    failureText,
    search: async (text, signal) => {
      const search = searchable && text.trim() !== '' ? text.trim() : undefined;
      const page = await call(resource.list, {
        query: { ...query, limit: MAX_OPTIONS, with_total: false, search },
        signal,
      });
      return page.items.map(optionOf);
    },
    get: async (id, signal) => {
      try {
        return optionOf(await call(resource.get, { params: { id }, signal }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  };
}

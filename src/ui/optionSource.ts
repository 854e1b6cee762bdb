/** A source of selectable rows for a control, found by name. */
import { ApiError, call } from './api.ts';
import type { ReadableResource, Row } from './resource.ts';

interface SelectOption {
  value: string;
  label: string;
}

export interface OptionSource {
  /** Prefix of the cache keys of `search`. */
  readonly listKey: readonly unknown[];
  /** Prefix of the cache keys of `get`. */
  readonly itemKey: readonly unknown[];
  /** Returns the first rows that match `text`. A blank text matches all rows. */
  readonly search: (text: string, signal: AbortSignal) => Promise<SelectOption[]>;
  /** Error message when the rows cannot be loaded. */
  readonly failureText: string | null;
  /** Returns the row with the given id; null if it does not exist (any more). */
  readonly get: (id: number, signal: AbortSignal) => Promise<SelectOption | null>;
}

const MAX_OPTIONS = 50;
/** Rows that are read where some are left out. */
const MAX_SEEN = 100;

/**
 * Return the prefix of a resource's cached names. They are cached apart from its rows, whose cache holds whole
 * responses.
 */
export function namesKey(resource: { readonly list: { readonly path: string } }): readonly unknown[] {
  return ['names', resource.list.path];
}

/**
 * Create an option source for a resource, with labels from `labelOf` and filtered by `query`. `failureText` is the
 * message when the rows cannot be loaded.
 */
export function optionSource<T extends Row>({
  resource,
  labelOf,
  query = {},
  accepts = null,
  failureText = null,
}: {
  resource: ReadableResource<T>;
  labelOf: (row: T) => string;
  query?: Readonly<Record<string, unknown>> | undefined;
  /** Leaves rows out that `query` cannot. */
  accepts?: ((row: T) => boolean) | null;
  failureText?: string | null | undefined;
}): OptionSource {
  const optionOf = (row: T): SelectOption => ({ value: String(row.id), label: labelOf(row) });
  const searchable = resource.search.length > 0;
  return {
    listKey: [...namesKey(resource), 'found', query],
    itemKey: [...namesKey(resource), 'one'],
    failureText,
    search: async (text, signal) => {
      const search = searchable && text.trim() !== '' ? text.trim() : undefined;
      const page = await call(resource.list, {
        query: { ...query, limit: accepts ? MAX_SEEN : MAX_OPTIONS, with_total: false, search },
        signal,
      });
      return page.items
        .filter((row) => accepts?.(row) ?? true)
        .slice(0, MAX_OPTIONS)
        .map(optionOf);
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

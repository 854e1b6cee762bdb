/** Rows that the address of a page names by their ids. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Endpoint } from '../platform/contract.ts';
import { ApiError, call } from './api.ts';
import { keyOf } from './query.ts';

/** What a row belongs to. */
export type RowOwner = { readonly product_id: number } | { readonly company_id: number };

interface RowOwnerResult {
  /** Undefined while it is not known. */
  readonly owner: RowOwner | undefined;
  /** There is no such row, or the operator may not see it. */
  readonly isMissing: boolean;
}

export interface PageRow {
  /** The parameter that holds its id. */
  readonly param: string;
  /** Singular: `lead`. */
  readonly singular: string;
  /** The page to choose another one from. */
  readonly list: string;
  /** The page opens without one too: as a form that creates one, or as a list of all. */
  readonly optional: boolean;
  /** Reads the row as the page itself does, so that it is asked for once. */
  readonly query: (id: number) => {
    readonly queryKey: readonly unknown[];
    readonly queryFn: (context: { signal: AbortSignal }) => Promise<unknown>;
  };
  /** What the row that was read belongs to. */
  readonly cachedOwner: (cache: QueryClient, id: number) => RowOwner | undefined;
}

type ReadById<T> = Endpoint<z.ZodType<{ id: number }, { id: number }>, z.ZodType, z.ZodType, { 200: z.ZodType<T> }>;

interface PageRowDeclaration<T> extends Pick<PageRow, 'param' | 'singular' | 'list'> {
  optional?: boolean;
  read: ReadById<T>;
}

/** Declares a row that a page's address names; `read` is the endpoint that the page shows it from. */
export function pageRow<T>(declaration: PageRowDeclaration<T>, ownerOf: (row: T) => RowOwner): PageRow {
  const { read, optional = false, ...row } = declaration;
  return {
    ...row,
    optional,
    query: (id) => {
      const params = { id };
      return { queryKey: keyOf(read, { params }), queryFn: ({ signal }) => call(read, { params, signal }) };
    },
    cachedOwner: (cache, id) => {
      const cachedRow = cache.getQueryData<T>(keyOf(read, { params: { id } }));
      return cachedRow === undefined ? undefined : ownerOf(cachedRow);
    },
  };
}

/** Whose row it is that the address names; `id` null: it names none. */
export function useRowOwner(row: PageRow, id: number | null): RowOwnerResult {
  const cache = useQueryClient();
  const { data, error } = useQuery({ ...row.query(id ?? 0), enabled: id !== null });
  const isMissing = data === undefined && error instanceof ApiError && error.status === 404;
  return { owner: id === null || data === undefined ? undefined : row.cachedOwner(cache, id), isMissing };
}

/** Rows that a page's address names by id. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import type { Endpoint } from '../platform/contract.ts';
import { ApiError } from './api.ts';
import { keyOf, queryOf } from './query.ts';

/** The product or company that a row belongs to. */
export type RowOwner = { readonly product_id: number } | { readonly company_id: number; readonly product_id?: never };

interface RowOwnerResult {
  /** Undefined until it is known. */
  readonly owner: RowOwner | undefined;
  /** The row does not exist, or the operator may not see it. */
  readonly isMissing: boolean;
}

export interface PageRow {
  /** Address parameter with the row's id. */
  readonly param: string;
  /** Singular name: `lead`. */
  readonly singular: string;
  /** Page for choosing another row. */
  readonly list: string;
  /** The page also opens without a row: as a form for a new one, or as a list of all. */
  readonly optional: boolean;
  /** Reads the row with the same query as the page, so that it is requested only once. */
  readonly query: (id: number) => ReturnType<typeof queryOf>;
  /** Returns the owner of a cached row. */
  readonly cachedOwner: (cache: QueryClient, id: number) => RowOwner | undefined;
}

type ReadById<T> = Endpoint<z.ZodType<{ id: number }, { id: number }>, z.ZodType, z.ZodType, { 200: z.ZodType<T> }>;

interface PageRowDeclaration<T> extends Pick<PageRow, 'param' | 'singular' | 'list'> {
  optional?: boolean;
  /** Returns the endpoint from which the page loads the row. */
  read: () => ReadById<T>;
}

/**
 * Declare a row that a page's address names. Its endpoint is asked for when the page opens: the menu knows all pages, and
 * most of their endpoints are never made.
 */
export function pageRow<T>(declaration: PageRowDeclaration<T>, ownerOf: (row: T) => RowOwner): PageRow {
  const { read, optional = false, ...row } = declaration;
  return {
    ...row,
    optional,
    query: (id) => queryOf(read(), { params: { id } }),
    cachedOwner: (cache, id) => {
      const cachedRow = cache.getQueryData<T>(keyOf(read(), { params: { id } }));
      return cachedRow === undefined ? undefined : ownerOf(cachedRow);
    },
  };
}

/** Return the owner of the row in the address. `id` null: the address names no row. */
export function useRowOwner(row: PageRow, id: number | null): RowOwnerResult {
  const cache = useQueryClient();
  const { data, error } = useQuery({ ...row.query(id ?? 0), enabled: id !== null });
  const isMissing = data === undefined && error instanceof ApiError && error.status === 404;
  return { owner: id === null || data === undefined ? undefined : row.cachedOwner(cache, id), isMissing };
}

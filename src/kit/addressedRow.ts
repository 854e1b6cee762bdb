/** Rows that the address of a page names by their ids. */
import type { z } from 'zod';
import type { Endpoint } from '../platform/contract.ts';
import { ApiError } from './api.ts';
import { useEndpoint } from './query.ts';

/** What a row belongs to. */
export type Owner = { readonly product_id: number } | { readonly company_id: number };

interface Found {
  /** Undefined while it is not known. */
  readonly owner: Owner | undefined;
  /** There is no such row, or the operator may not see it. */
  readonly isMissing: boolean;
}

export interface AddressedRow {
  /** The parameter that holds its id. */
  readonly param: string;
  /** Singular: `lead`. */
  readonly noun: string;
  /** The page to choose another one from. */
  readonly list: string;
  /** The page opens without one too: as a form that creates one, or as a list of all. */
  readonly optional: boolean;
  /** Reads the row as the page itself does, so that it is asked for once. Null: none. */
  readonly useOwner: (id: number | null) => Found;
}

type ReadById<T> = Endpoint<z.ZodType<{ id: number }, { id: number }>, z.ZodType, z.ZodType, { 200: z.ZodType<T> }>;

/** Declares a row that a page's address names; `read` is the endpoint that the page shows it from. */
export function addressedRow<T>(
  declared: Omit<AddressedRow, 'useOwner' | 'optional'> & { optional?: boolean; read: ReadById<T> },
  ownerOf: (row: T) => Owner,
): AddressedRow {
  const { read, optional = false, ...row } = declared;
  return {
    ...row,
    optional,
    useOwner: (id) => {
      const found = useEndpoint(read, { params: { id: id ?? 0 } }, { enabled: id !== null });
      const isMissing = found.data === undefined && found.error instanceof ApiError && found.error.status === 404;
      return { owner: found.data === undefined ? undefined : ownerOf(found.data), isMissing };
    },
  };
}

/** What a noun's contract has to offer for the console's list, form and delete; `crud()` makes such objects. */
import type { z } from 'zod';
import type { Endpoint } from '../platform/contract.ts';

export interface Row {
  readonly id: number;
}

interface ListPage<T> {
  items: T[];
  total: number | null;
  page: number;
  limit: number;
}

type Anything = z.ZodType;
type ById = z.ZodType<{ id: number }, { id: number }>;
type Query = z.ZodType<unknown, Record<string, unknown>>;

/** The widest shape of a list that can be read with paging alone. */
export type ListOf<T> = Endpoint<Anything, Query, Anything, { 200: z.ZodType<ListPage<T>> }>;

export interface Readable<T extends Row> {
  /** Singular: `lead`. */
  readonly noun: string;
  /** Plural: `leads`. */
  readonly plural: string;
  readonly orderBy: readonly [string, ...string[]];
  /** Columns that `search` looks into; none: the list cannot be searched. */
  readonly search: readonly string[];
  readonly list: ListOf<T>;
  readonly get: Endpoint<ById, Anything, Anything, { 200: z.ZodType<T> }>;
}

export interface Removable<T extends Row> extends Readable<T> {
  readonly remove: Endpoint<ById, Anything, Anything, { 204: z.ZodNull }>;
}

export interface Writable<T extends Row> extends Removable<T> {
  readonly create: Endpoint<Anything, Anything, Anything, { 201: z.ZodType<T> }>;
  /** PUT, or PATCH where the wire has it. */
  readonly replace: Endpoint<ById, Anything, Anything, { 200: z.ZodType<T> }>;
}

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

type AnySchema = z.ZodType;
type ById = z.ZodType<{ id: number }, { id: number }>;
type Query = z.ZodType<unknown, Record<string, unknown>>;

/** The widest shape of a list that can be read with paging alone. */
export type ListOf<T> = Endpoint<AnySchema, Query, AnySchema, { 200: z.ZodType<ListPage<T>> }>;

export interface ReadableResource<T extends Row> {
  /** Singular: `lead`. */
  readonly resource: string;
  /** Plural: `leads`. */
  readonly plural: string;
  readonly orderBy: readonly [string, ...string[]];
  /** Columns that `search` looks into; none: the list cannot be searched. */
  readonly search: readonly string[];
  readonly list: ListOf<T>;
  readonly get: Endpoint<ById, AnySchema, AnySchema, { 200: z.ZodType<T> }>;
}

export interface DeletableResource<T extends Row> extends ReadableResource<T> {
  readonly remove: Endpoint<ById, AnySchema, AnySchema, { 204: z.ZodNull }>;
}

export interface WritableResource<T extends Row> extends DeletableResource<T> {
  readonly create: Endpoint<AnySchema, AnySchema, AnySchema, { 201: z.ZodType<T> }>;
  /** PUT, or PATCH where the wire has it. */
  readonly replace: Endpoint<ById, AnySchema, AnySchema, { 200: z.ZodType<T> }>;
}

/**
 * The part of a resource's contract that the console needs for its list, form and deletion. `crud()` creates such
 * objects.
 */
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

/** The widest type of a list that can be read with paging alone. */
export type ListOf<T> = Endpoint<AnySchema, Query, AnySchema, { 200: z.ZodType<ListPage<T>> }>;

export interface ReadableResource<T extends Row> {
  /** Singular name: `lead`. */
  readonly resource: string;
  /** Plural name: `leads`. */
  readonly plural: string;
  readonly orderBy: readonly [string, ...string[]];
  /** Columns covered by `search`. If empty, the list is not searchable. */
  readonly search: readonly string[];
  readonly list: ListOf<T>;
  readonly get: Endpoint<ById, AnySchema, AnySchema, { 200: z.ZodType<T> }>;
}

export interface DeletableResource<T extends Row> extends ReadableResource<T> {
  readonly remove: Endpoint<ById, AnySchema, AnySchema, { 204: z.ZodNull }>;
}

export interface WritableResource<T extends Row> extends DeletableResource<T> {
  readonly create: Endpoint<AnySchema, AnySchema, AnySchema, { 201: z.ZodType<T> }>;
  /** PUT, or PATCH where the API has it. */
  readonly replace: Endpoint<ById, AnySchema, AnySchema, { 200: z.ZodType<T> }>;
}

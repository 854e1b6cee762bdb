/**
 * CRUD, declared once: one declaration yields the endpoints, and from them the server's routes (`resource()`) and the
 * console's list, form and delete (`ResourcePage`). Browser-safe.
 */
import { z } from 'zod';
import { type ChangeShape, changeShape, createShape } from './change.ts';
import {
  day,
  type EmptyObject,
  type Endpoint,
  endpoint,
  errorReply,
  listReply,
  nameShape,
  oneOrMany,
  reference,
} from './contract.ts';
import { type FiltersOf, filtersOf } from './filters.ts';
import { timeZone } from './zones.ts';

type Shape = z.ZodType;
type ItemShape = z.ZodObject;

/** Page sizes that the tables offer; the API accepts any limit from 1 to 100. */
export const PAGE_SIZES = [10, 25, 50, 100] as const;
const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

interface CrudDeclaration<I extends ItemShape, C extends Shape, U extends Shape, F extends z.ZodRawShape> {
  /**
   * Singular, as in `reference(resource)`. The item's shape, unless it has a name, is named after it in the API
   * document: `LeadEvent`.
   */
  resource: string;
  /** Plural, as in the console's texts: `No {plural} found`. */
  plural: string;
  path: `/v1/${string}/`;
  item: I;
  create: C;
  /** The whole row after a PUT or PATCH; each names the fields that it changes. */
  update: U;
  /**
   * Equality filters in addition to those of the item's own ids, enums and booleans. They replace one of those where a
   * field is named differently from its resource.
   */
  filters: F;
  /** Columns that a list can be ordered by. The first one is the default, descending. */
  orderBy: readonly [string, ...string[]];
  /** Columns that `search` searches; when empty, the list has no `search`. */
  search: readonly string[];
  /** Fields of the item that read other tables: a list includes them only on request, by `with_{field}`. */
  optionalFields?: readonly string[];
}

/** Days in the time zone `created_timezone`, both inclusive. */
const dateFilters = {
  created_from: day.optional(),
  created_to: day.optional(),
  created_timezone: timeZone.optional().describe('Time zone of the days in created_from and created_to; default UTC'),
};

const paging = {
  page: z.int().positive().max(10_000_000).default(1),
  limit: z.int().positive().max(MAX_LIMIT).default(DEFAULT_LIMIT),
  order: z.enum(['asc', 'desc']).default('desc'),
  ...dateFilters,
  /** `false` skips the count; `total` is then null. */
  with_total: z.boolean().default(true),
};

/** The general type of a list's query, which the server's list builder reads. */
export interface ListQuery {
  page: number;
  limit: number;
  order: 'asc' | 'desc';
  order_by: string;
  created_from?: string | undefined;
  created_to?: string | undefined;
  created_timezone?: string | undefined;
  with_total: boolean;
  search?: string | undefined;
  [filter: string]: unknown;
}

/** All filters of a list: the item's own, and those that its contract adds. */
type AllFilters<I extends ItemShape, F extends z.ZodRawShape> = Omit<FiltersOf<I>, keyof F> & F;
type FilterShape<F extends z.ZodRawShape> = { [K in keyof F]: z.ZodOptional<z.ZodArray<F[K] & z.ZodType>> };
type OrderedShape<F extends z.ZodRawShape> = FilterShape<F> &
  typeof paging & { order_by: z.ZodDefault<z.ZodEnum<Record<string, string>>> };
type ListQueryShape<F extends z.ZodRawShape> = z.ZodObject<OrderedShape<F> & { search: z.ZodOptional<z.ZodString> }>;

/** The filters of a list, without page and order. */
type FilterQueryShape<F extends z.ZodRawShape> = z.ZodObject<
  FilterShape<F> & typeof dateFilters & { search: z.ZodOptional<z.ZodString> }
>;

type IdParams = z.ZodObject<{ id: z.ZodInt }>;
type ErrorReply = typeof errorReply;

export interface Crud<
  I extends ItemShape = ItemShape,
  C extends Shape = Shape,
  U extends Shape = Shape,
  F extends z.ZodRawShape = z.ZodRawShape,
> {
  readonly resource: string;
  readonly plural: string;
  readonly path: string;
  readonly item: I;
  readonly update: U;
  readonly orderBy: readonly [string, ...string[]];
  readonly search: readonly string[];
  readonly optionalFields: readonly string[];
  /** The list's query without page and order: for actions on all rows that a list finds. */
  readonly filterQuery: FilterQueryShape<AllFilters<I, F>>;
  readonly list: Endpoint<
    EmptyObject,
    ListQueryShape<AllFilters<I, F>>,
    EmptyObject,
    { 200: ReturnType<typeof listReply<I>> }
  >;
  readonly create: Endpoint<EmptyObject, EmptyObject, C, { 201: I; 404: ErrorReply; 409: ErrorReply }>;
  readonly get: Endpoint<IdParams, EmptyObject, EmptyObject, { 200: I; 404: ErrorReply }>;
  readonly replace: Endpoint<IdParams, EmptyObject, ChangeShape<U, I>, { 200: I; 404: ErrorReply; 409: ErrorReply }>;
  /** PATCH, the same as PUT: both keep omitted fields. */
  readonly change: Endpoint<IdParams, EmptyObject, ChangeShape<U, I>, { 200: I; 404: ErrorReply; 409: ErrorReply }>;
  readonly remove: Endpoint<IdParams, EmptyObject, EmptyObject, { 204: z.ZodNull; 404: ErrorReply; 409: ErrorReply }>;
}

/** Declare filters that accept one value or several, of which a row has any. */
export const arrayFilters = <F extends z.ZodRawShape>(filters: F): FilterShape<F> =>
  Object.fromEntries(Object.entries(filters).map(([key, value]) => [key, oneOrMany(value as Shape)])) as FilterShape<F>;

/**
 * Declare the query that every list takes: page, days, equality filters and order, by default the first of `orderBy`.
 * Use it for lists whose rows have no id of their own in the address; lists of `crud()` have it already.
 */
export function listQuery<F extends z.ZodRawShape>(
  filters: F,
  orderBy: readonly [string, ...string[]],
  order: ListQuery['order'] = 'desc',
): z.ZodObject<OrderedShape<F>> {
  return z.strictObject({
    ...arrayFilters(filters),
    ...paging,
    order: paging.order.unwrap().default(order),
    order_by: z.enum(orderBy as unknown as [string, ...string[]]).default(orderBy[0]),
  }) as unknown as z.ZodObject<OrderedShape<F>>;
}

/** Who may read and who may write; the two differ for channels and companies. */
interface CrudAccess {
  read: 'session' | 'admin';
  write: 'session' | 'admin';
  /** Whether creating and changing count as a change of credentials. */
  reauthentication?: Endpoint['reauthentication'];
}

/** `lead_event`: `LeadEvent`; `/v1/lead-events/`: `LeadEvents`. */
const pascalCase = (words: string): string =>
  words
    .replace(/^\/v1\//, '')
    .split(/[^a-z]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Declare a resource: its endpoints, and what lists and forms need to know about it. */
export function crud<I extends ItemShape, C extends Shape, U extends Shape, F extends z.ZodRawShape>(
  declaration: CrudDeclaration<I, C, U, F>,
  access: CrudAccess = { read: 'session', write: 'session' },
): Crud<I, C, U, F> {
  const { resource, plural, path, item, update, orderBy, search, optionalFields = [] } = declaration;
  const filters = (): z.ZodRawShape => ({ ...filtersOf(item, resource), ...declaration.filters });
  const searchField = search.length > 0 ? { search: z.string().max(200).optional() } : {};
  const query = () =>
    z.strictObject({
      ...listQuery(filters(), orderBy).shape,
      ...searchField,
      ...Object.fromEntries(optionalFields.map((field) => [`with_${field}`, z.boolean().default(false)])),
    }) as unknown as ListQueryShape<AllFilters<I, F>>;
  return lazily(
    { resource, plural, path, item, update, orderBy, search, optionalFields },
    {
      filterQuery: () =>
        z.strictObject({
          ...arrayFilters(filters()),
          ...dateFilters,
          ...searchField,
        }) as unknown as FilterQueryShape<AllFilters<I, F>>,
      ...endpointsOf(declaration, query, access),
    },
  );
}

/**
 * Add properties, each of which is made when it is first read. The console's menu knows the resources of all pages, and a
 * page reads two or three endpoints of them. [a fifth of the time in which the console's first scripts run]
 */
function lazily<T extends object, L extends Readonly<Record<string, () => unknown>>>(
  target: T,
  makers: L,
): T & { readonly [K in keyof L]: ReturnType<L[K]> } {
  for (const [key, make] of Object.entries(makers)) {
    Object.defineProperty(target, key, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = make();
        Object.defineProperty(target, key, { value, enumerable: true });
        return value;
      },
    });
  }
  return target as T & { readonly [K in keyof L]: ReturnType<L[K]> };
}

/** Return the functions that declare a resource's endpoints. */
function endpointsOf<I extends ItemShape, C extends Shape, U extends Shape, F extends z.ZodRawShape, Q extends Shape>(
  { resource, plural, path, item, create, update }: CrudDeclaration<I, C, U, F>,
  query: () => Q,
  access: CrudAccess,
) {
  const params = (): IdParams => z.strictObject({ id: reference(resource) });
  const itemPath = `${path}{id}`;
  const label = resource.replaceAll('_', ' ');
  const schemaName = z.globalRegistry.get(item)?.id ?? pascalCase(resource);
  nameShape(schemaName, item);
  const versioned = Object.hasOwn(item.shape, 'version');
  const reauthentication = access.reauthentication ?? false;
  // One shape for both: what is known of a shape is kept by its identity.
  let shared: ChangeShape<U, I> | undefined;
  const body = () => (shared ??= changeShape(update, item));
  const write = (method: 'PUT' | 'PATCH', verb: string, does: string) =>
    endpoint({
      operation: `${verb}${schemaName}`,
      method,
      path: itemPath,
      access: access.write,
      summary: `${does} a ${label}; omitted fields keep their values`,
      params: params(),
      body: body(),
      versioned,
      reauthentication,
      replies: { 200: item, 404: errorReply, 409: errorReply },
    });
  return {
    list: () =>
      endpoint({
        operation: `list${pascalCase(path)}`,
        method: 'GET',
        path,
        access: access.read,
        summary: `List ${plural}`,
        query: query(),
        replies: { 200: listReply(item) },
      }),
    create: () =>
      endpoint({
        operation: `create${schemaName}`,
        method: 'POST',
        path,
        access: access.write,
        summary: `Create a ${label}`,
        body: createShape(create, item),
        versioned,
        reauthentication,
        replies: { 201: item, 404: errorReply, 409: errorReply },
      }),
    get: () =>
      endpoint({
        operation: `get${schemaName}`,
        method: 'GET',
        path: itemPath,
        access: access.read,
        summary: `Read a ${label}`,
        params: params(),
        versioned,
        replies: { 200: item, 404: errorReply },
      }),
    replace: () => write('PUT', 'replace', 'Replace'),
    change: () => write('PATCH', 'update', 'Change'),
    remove: () =>
      endpoint({
        operation: `delete${schemaName}`,
        method: 'DELETE',
        path: itemPath,
        access: access.write,
        summary: `Delete a ${label}`,
        params: params(),
        versioned,
        replies: { 204: z.null(), 404: errorReply, 409: errorReply },
      }),
  };
}

/**
 * Select the parts of a CRUD declaration that list and read: for rows that are not created or changed through the API.
 */
export function readOnlyCrud<I extends ItemShape, C extends Shape, U extends Shape, F extends z.ZodRawShape>(
  declared: Crud<I, C, U, F>,
): Pick<Crud<I, C, U, F>, 'resource' | 'plural' | 'orderBy' | 'search' | 'list' | 'get'> {
  const { resource, plural, orderBy, search, list, get } = declared;
  return { resource, plural, orderBy, search, list, get };
}

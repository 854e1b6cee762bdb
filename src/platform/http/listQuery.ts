/**
 * The SQL of lists. The text of a statement depends only on which filters are given, and for each filter on whether it
 * has one value or several. So each shape is one named prepared statement (measured: 1.5 times as fast as plain ones;
 * building the SQL at each call cost a quarter).
 */
import type pg from 'pg';
import type { ListQuery } from '../crud.ts';
import { instantAt, parseDay } from '../days.ts';
import { preparedList } from '../statements.ts';
import { AS_TEXT, JsonText, writeRows } from './jsonRows.ts';

export interface Listing {
  /** Table with alias and joins: `leads t`. */
  readonly from: string;
  /** Item field → SQL expression. Equality filters use these fields, or are listed in `conditions`. */
  readonly select: Readonly<Record<string, string>>;
  /** Item field → SQL expression, for fields that are read only on request with `with_{field}`. */
  readonly optionalFields?: Readonly<Record<string, string>>;
  /** Filters of other fields: an SQL condition with `= $` for the value. For several values it becomes `= any($)`. */
  readonly conditions?: Readonly<Record<string, string>>;
  /** Filters whose condition depends on their values: they bind what they need, and return the condition. */
  readonly conditionsOf?: Readonly<Record<string, (filter: FilterValues) => string>>;
  /** SQL expressions that `search` matches against. */
  readonly search: readonly string[];
  /** Additional search condition, with `$` for the search text. */
  readonly searchCondition?: string;
  /** Item field → SQL expression with `$` for the search text, for fields that exist only in a search. */
  readonly searchFields?: Readonly<Record<string, string>>;
  /**
   * Condition that limits members to rows of their companies, with `$` for the array of company ids; null for no limit.
   */
  readonly scopeCondition: string | null;
  /**
   * Filter whose values imply the scope: the request is refused unless the caller can reach every one. The condition
   * would check the same rows again.
   */
  readonly scopeFilter?: string;
  /**
   * What the rows belong to, and the query of all that companies have, with `$` for the array of company ids. Rows of
   * several owners are read owner by owner, each by its index. Otherwise the whole table may be read backwards until a page
   * of rows of an owner that has few comes by [300,000 rows, 176 ms instead of 0.3].
   */
  readonly owner?: { readonly column: string; readonly ofCompanies: string };
  /** Condition that all listed rows meet. */
  readonly where?: string;
  /** Unique expression of a row. It makes paging stable, and pages are found by it. */
  readonly id: string;
  /** Fields that may be null: they come last in either direction. Do not list others, or no index can be used. */
  readonly nullable?: readonly string[];
}

/** The values of a filter. */
export interface FilterValues {
  readonly values: readonly unknown[];
  /** Bind a parameter and return its place: `$3`. */
  readonly bind: (value: unknown) => string;
  /** Return seconds since 1970 at the beginning of a day, `more` days later, in the query's time zone. */
  readonly dayStart: (day: string, more: number) => number;
  /** The query's time zone. */
  readonly timezone: string;
}

/** A grouping expression or an aggregate; a function binds the values that it needs. */
type GroupColumn = string | ((bind: FilterValues['bind']) => string);

export const escapeLike = (value: string): string => value.replace(/[\\%_]/g, '\\$&');

export interface ListPage<Row> {
  items: Row[];
  total: number | null;
}

/** What narrows a list: these fields, and filters by name. */
interface ListFilter {
  created_from?: string | undefined;
  created_to?: string | undefined;
  /** IANA name; default UTC. */
  created_timezone?: string | undefined;
  search?: string | undefined;
  [filter: string]: unknown;
}

/** Build the condition of a list's rows, and the values of its parameters. */
function buildFilter(listing: Listing, query: ListFilter, companies: readonly number[] | null) {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions: string[] = listing.where ? [listing.where] : [];
  // The query of the ids of several owners, whose rows are to be read owner by owner.
  let owners: string | null = null;
  let ofOwners = '';
  const timezone = query.created_timezone ?? 'UTC';
  const dayStart = (text: string, more: number) => instantAt(timezone, parseDay(text) + more) / 1000;
  for (const [filter, requested] of Object.entries(query)) {
    if (!Array.isArray(requested) || requested.length === 0) continue;
    const values = [...new Set<unknown>(requested)];
    const build = listing.conditionsOf?.[filter];
    if (build) {
      conditions.push(build({ values, bind, dayStart, timezone }));
      continue;
    }
    const field = listing.select[filter];
    const condition = listing.conditions?.[filter] ?? (field === undefined ? undefined : `${field} = $`);
    if (condition === undefined) throw new Error(`There is no field ${filter} to filter by`);
    if (listing.owner && filter === listing.scopeFilter && values.length > 1) {
      const place = bind(values);
      owners = `select unnest(${place}::bigint[])`;
      ofOwners = `${listing.owner.column} = any(${place})`;
    }
    // With a single value the order of an index can still be used.
    else if (values.length === 1) conditions.push(condition.replaceAll('$', bind(values[0])));
    else if (condition.includes('= $')) conditions.push(condition.replaceAll('= $', `= any(${bind(values)})`));
    else throw new Error(`The filter ${filter} takes one value`);
  }
  const searchText = query.search?.trim();
  if (searchText) {
    const alternatives: string[] = [];
    if (listing.search.length > 0) {
      const place = bind(`%${escapeLike(searchText)}%`);
      alternatives.push(...listing.search.map((expression) => `${expression} ilike ${place}`));
    }
    if (listing.searchCondition) alternatives.push(listing.searchCondition.replaceAll('$', bind(searchText)));
    if (alternatives.length > 0) conditions.push(`(${alternatives.join(' or ')})`);
  }
  if (query.created_from)
    conditions.push(`t.created_at >= to_timestamp(${bind(dayStart(query.created_from, 0))}::float8)`);
  if (query.created_to) conditions.push(`t.created_at < to_timestamp(${bind(dayStart(query.created_to, 1))}::float8)`);
  if (companies && listing.scopeCondition && !isScoped(listing, query)) {
    const place = bind(companies);
    ofOwners = listing.scopeCondition.replaceAll('$', place);
    owners = listing.owner?.ofCompanies.replaceAll('$', place) ?? null;
  }
  const rest = conditions.map((condition) => ` and ${condition}`).join('');
  if (ofOwners !== '') conditions.push(ofOwners);
  const where = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
  const isNarrowedByIds =
    !searchText &&
    !query.created_from &&
    !query.created_to &&
    values.flat().every((value) => typeof value === 'number');
  // An index on other ids, or on words, finds fewer rows than one on owners.
  const isFound = searchText !== undefined && searchText !== '';
  const isByOwner = !isFound && !Object.keys(query).some((one) => isGiven(query[one]) && isOtherId(listing, one));
  return { where, values, put: bind, isNarrowedByIds, owners: isByOwner && owners ? { ids: owners, rest } : null };
}

const isGiven = (values: unknown): boolean => Array.isArray(values) && values.length > 0;

const isOtherId = ({ scopeFilter }: Listing, filter: string): boolean =>
  filter !== scopeFilter && /(?:^|_)id$/.test(filter);

function isScoped({ scopeFilter }: Listing, query: ListFilter): boolean {
  return scopeFilter !== undefined && isGiven(query[scopeFilter]);
}

/** Read the ids of all rows that match, in ascending order, up to `limit`. */
export async function readIds(
  pool: pg.Pool,
  {
    listing,
    query,
    companies,
    limit,
  }: { listing: Listing; query: ListFilter; companies: readonly number[] | null; limit: number },
): Promise<number[]> {
  const { where, values, put: bind } = buildFilter(listing, query, companies);
  const text = `select ${listing.id} as id from ${listing.from}${where} order by ${listing.id} limit ${bind(limit)}`;
  const { rows } = await pool.query<{ id: number }>({ ...preparedList(text), values });
  return rows.map((row) => row.id);
}

interface IdRange {
  /** Lower bound, exclusive. `upTo` is inclusive. */
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

/** Read the next rows that match, in the order of their ids. An export reads one range after another. */
export async function readIdRange<Row extends object>(
  pool: pg.Pool,
  { listing, query, range: { after, upTo, limit } }: { listing: Listing; query: ListFilter; range: IdRange },
): Promise<Row[]> {
  const { where, values, put: bind } = buildFilter(listing, query, null);
  const columns = Object.entries(listing.select).map(([field, expression]) => `${expression} as "${field}"`);
  const bounds = `${listing.id} > ${bind(after)} and ${listing.id} <= ${bind(upTo)}`;
  const text = `select ${columns.join(', ')} from ${listing.from}${where === '' ? ' where' : `${where} and`} ${bounds}
    order by ${listing.id} limit ${bind(limit)}`;
  const { rows } = await pool.query<Row>({ ...preparedList(text), values });
  return rows;
}

/** Groups `g` that are grouped once more by what other tables say of them: fewer rows are joined and compared. */
interface Regrouping {
  readonly join: string;
  readonly where?: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly by: readonly string[];
}

/**
 * Group the rows that match, the largest groups first. `columns` are grouping expressions and aggregates by name. Without
 * `by` there is one group, of all rows. Groups that are grouped once more come in no order.
 */
export async function readGroups<Row extends object>(
  pool: pg.Pool,
  {
    listing,
    query,
    columns,
    by,
    limit = null,
    regrouped,
  }: {
    listing: Listing;
    query: ListFilter;
    columns: Readonly<Record<string, GroupColumn>>;
    by: readonly string[];
    limit?: number | null;
    regrouped?: Regrouping;
  },
): Promise<Row[]> {
  const { where, values, put: bind } = buildFilter(listing, query, null);
  const selected = Object.entries(columns).map(
    ([field, column]) => `${typeof column === 'string' ? column : column(bind)} as "${field}"`,
  );
  // By their places in the result: an expression with a bound value is written once.
  const places = by.map((field) => Object.keys(columns).indexOf(field) + 1);
  const groups = places.length > 0 ? ` group by ${places.join(', ')}` : '';
  const grouped = `select ${selected.join(', ')}, count(*) as "count" from ${listing.from}${where}${groups}`;
  if (regrouped) {
    const { join, where: condition, columns: outer, by: outerBy } = regrouped;
    const named = Object.entries(outer).map(([field, expression]) => `${expression} as "${field}"`);
    const outerPlaces = outerBy.map((field) => Object.keys(outer).indexOf(field) + 1);
    const { rows } = await pool.query<Row>(
      `select ${named.join(', ')}, sum(g."count")::bigint as "count" from (${grouped}) as g ${join}${condition ? ` where ${condition}` : ''}
        group by ${outerPlaces.join(', ')}`,
      values,
    );
    return rows;
  }
  const text = `${grouped}
    order by ${['count(*) desc', ...places].join(', ')} limit ${bind(limit)}`;
  // Not prepared: it reads many rows, and one plan does not fit a range of days and all of them.
  const { rows } = await pool.query<Row>(text, values);
  return rows;
}

interface ListRequest {
  readonly listing: Listing;
  readonly query: ListQuery;
  /** Null: no restriction. */
  readonly companies: readonly number[] | null;
}

/** Build the statements of a page, whose last column is the total if it is asked for, and of the total alone. */
function buildPage({ listing, query, companies }: ListRequest) {
  const { where, values, put: bind, isNarrowedByIds, owners } = buildFilter(listing, query, companies);
  const asked = Object.entries(listing.optionalFields ?? {}).filter(([field]) => query[`with_${field}`] === true);
  const counted = [...values];
  const searchText = query.search?.trim();
  const found = searchText
    ? Object.entries(listing.searchFields ?? {}).map(([field, expression]) => [
        field,
        expression.replaceAll('$', bind(searchText)),
      ])
    : [];
  const columns = [...Object.entries(listing.select), ...asked, ...found].map(
    ([field, expression]) => `${expression} as "${field}"`,
  );
  // Of each owner `o`.
  const ofOwner = owners && `${listing.from} where ${listing.owner?.column} = o.id${owners.rest}`;
  const count = owners
    ? `select coalesce(sum(x.count), 0)::bigint from (${owners.ids}) as o (id), lateral (select count(*) from ${ofOwner}) as x`
    : `select count(*) from ${listing.from}${where}`;
  const by = listing.select[query.order_by] ?? listing.id;
  const direction = query.order === 'asc' ? 'asc' : 'desc';
  const orderOf = (one: string, id: string) =>
    ` order by ${one} ${direction}${listing.nullable?.includes(query.order_by) ? ' nulls last' : ''}${by === listing.id ? '' : `, ${id} ${direction}`}`;
  const order = orderOf(by, listing.id);
  const total = query.with_total ? `, (${count}) as "total_"` : '';
  // With a literal limit PostgreSQL knows how short the page is, and plans the statement once instead of at each call
  // (0.100 ms instead of 0.175 ms). One plan fits all ids, but not a status that is rare and one that most rows have.
  const page =
    query.page === 1 && isNarrowedByIds
      ? ` limit ${query.limit}`
      : ` limit ${bind(query.limit)} offset ${bind((query.page - 1) * query.limit)}`;
  const selected = `select ${columns.join(', ')}${total} from ${listing.from}`;
  // No owner has more of the page than a page and what is before it.
  const idsOfPage = ofOwner
    ? `select x.id from (${owners.ids}) as o (id), lateral (
         select ${listing.id} as id, ${by} as "by" from ${ofOwner}${order} limit ${bind(query.page * query.limit)}) as x${orderOf('x."by"', 'x.id')}${page}`
    : `select ${listing.id} from ${listing.from}${where}${order}${page}`;
  // PostgreSQL reads the rows that an offset skips in full, with the lookups of their columns. So only ids are skipped,
  // mostly within an index. An array, because the planner would not know how short a joined page is.
  const text =
    query.page === 1 && !owners
      ? `${selected}${where}${order}${page}`
      : `${selected} where ${listing.id} = any(array(${idsOfPage}))${order}`;
  return {
    columns: columns.length,
    page: { ...preparedList(text), values },
    count: () => ({ ...preparedList(count), values: counted }),
  };
}

type PageStatements = ReturnType<typeof buildPage>;

/** Return the total of a page without a row to carry it: nothing matches, or it is past the last one. */
async function totalWithoutRows(pool: pg.Pool, query: ListQuery, count: PageStatements['count']): Promise<number> {
  if (query.page === 1) return 0;
  const { rows } = await pool.query<{ count: number }>(count());
  return rows[0]?.count ?? 0;
}

/** Read one page. */
export async function readList<Row extends object>(pool: pg.Pool, request: ListRequest): Promise<ListPage<Row>> {
  const { page, count } = buildPage(request);
  const { rows } = await pool.query<Row & { total_?: number | undefined }>(page);
  if (!request.query.with_total) return { items: rows, total: null };
  const total = rows[0]?.total_ ?? (await totalWithoutRows(pool, request.query, count));
  // Set to undefined, which is not serialized. `delete` would cost the row its shape.
  for (const row of rows) row.total_ = undefined;
  return { items: rows, total };
}

/** Read one page as the JSON of its reply. */
export async function readListAsJson(pool: pg.Pool, request: ListRequest): Promise<JsonText> {
  const { columns, page, count } = buildPage(request);
  const { rows, fields } = await pool.query<(string | null)[]>({ ...page, ...AS_TEXT });
  const { query } = request;
  const total = query.with_total ? (rows[0]?.[columns] ?? (await totalWithoutRows(pool, query, count))) : null;
  return new JsonText(
    `{"items":${writeRows(rows, fields, columns)},"total":${total},"page":${query.page},"limit":${query.limit}}`,
  );
}

/**
 * CRUD routes, generated from the declaration of a noun. Special rules of a noun are plain functions passed to
 * `create`, `replace` or `remove`. They run in the transaction of the write and may refuse.
 */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { AppContext } from '../appContext.ts';
import { recordAuditEntry } from '../audit.ts';
import { applyChange } from '../change.ts';
import type { BodyOf } from '../contract.ts';
import type { Crud, ListQuery } from '../crud.ts';
import type { Reader, Tx } from '../db.ts';
import { commonRefusals, refuse } from '../refuse.ts';
import { type ExpectedVersions, versionField, versionOf } from '../rowVersion.ts';
import { prepared } from '../statements.ts';
import type { Caller } from './caller.ts';
import { validationError } from './errors.ts';
import { type Listing, readList, readListAsJson } from './listQuery.ts';
import { type Call, ok, type Route, route } from './routes.ts';
import { isFlat, jsonSchemaOf } from './shapes.ts';

/** Columns and their values. Arrays and objects are written as JSON. */
export type ColumnValues = Readonly<Record<string, unknown>>;

interface WriteContext {
  readonly caller: Caller;
  readonly requestId: string;
}

export interface Resource<Item extends object, C, U> {
  /** Read one row as the API shows it; null if there is none. */
  read(reader: Reader, id: number): Promise<Item | null>;
  list: Route;
  get: Route;
  /**
   * Return the create route. `toColumns` returns the columns; without it they are the body's fields. `afterWrite` runs
   * once the row exists.
   */
  create(
    toColumns?: (tx: Tx, body: C, writeContext: WriteContext) => Promise<ColumnValues>,
    afterWrite?: (tx: Tx, item: Item, writeContext: WriteContext) => Promise<void>,
  ): Route;
  /**
   * Return the PUT and PATCH routes. Omitted fields keep their values, and nothing is written if nothing would change.
   * `toColumns` receives the body with every field that the row will have, and returns the columns.
   */
  replace(
    toColumns?: (tx: Tx, change: { before: Item; body: U }, writeContext: WriteContext) => Promise<ColumnValues>,
    afterWrite?: (tx: Tx, change: { before: Item; item: Item }, writeContext: WriteContext) => Promise<void>,
  ): Route[];
  /** Return the delete route. `check` may refuse; it may also delete the row itself and return `removed`. */
  remove(check?: (tx: Tx, before: Item, writeContext: WriteContext) => Promise<'removed' | undefined>): Route;
}

interface ResourceSource extends Listing {
  readonly table: string;
}

/** Insert a row and return its id. */
async function insertRow(tx: Tx, table: string, values: ColumnValues): Promise<number> {
  const columns = Object.keys(values);
  const { rows } = await sql<{ id: number }>`
    insert into ${sql.table(table)} (${sql.join(columns.map((one) => sql.ref(one)))}) overriding system value
    values (${sql.join(columns.map((one) => asColumn(values[one])))})
    returning id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`${table} gave no id`);
  return row.id;
}

async function updateRow(
  tx: Tx,
  { table, id, values }: { table: string; id: number; values: ColumnValues },
): Promise<void> {
  const sets = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${asColumn(value)}`);
  if (sets.length > 0) await sql`update ${sql.table(table)} set ${sql.join(sets)} where id = ${id}`.execute(tx);
}

async function lockRow(tx: Tx, { noun, table, id }: { noun: string; table: string; id: number }): Promise<void> {
  const { rows } = await sql`select 1 from ${sql.table(table)} where id = ${id} for update`.execute(tx);
  if (rows.length === 0) throw refuse(commonRefusals, 'not_found', { noun: noun.replaceAll('_', ' ') });
}

/** Convert arrays and objects to JSON. An SQL expression stays as it is. */
const asColumn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !('toOperationNode' in value) ? JSON.stringify(value) : value;

const companyIdOf = (item: object): number | null =>
  'company_id' in item && typeof item.company_id === 'number' ? item.company_id : null;
const productIdOf = (item: object): number | null =>
  'product_id' in item && typeof item.product_id === 'number' ? item.product_id : null;

/**
 * Refuse a write that was based on another version of the row. The refusal names who changed it if the audit log knows.
 * The row must be locked.
 */
export async function requireVersion(
  tx: Tx,
  row: { readonly noun: string; readonly rowId: number; readonly item: object },
  expected: ExpectedVersions | null,
): Promise<void> {
  const version = versionOf(row.item);
  if (version === null || expected === null || expected === '*' || expected.includes(version)) return;
  const { rows } = await sql<{ login: string; time: string }>`
    select operator as login, at as time from audit
     where noun = ${row.noun} and row_id = ${row.rowId} and operator is not null
       and after ->> ${versionField(row.item)} = ${String(version)}
       and coalesce(product_id = ${productIdOf(row.item)}, true)
     order by id desc limit 1`.execute(tx);
  const [last] = rows;
  throw last ? refuse(commonRefusals, 'changed', { ...last }) : refuse(commonRefusals, 'changed_meanwhile');
}

/** A PUT or PATCH of a locked row. */
interface RowChange<Item extends object, U extends z.ZodType> {
  readonly noun: string;
  readonly rowId: number;
  readonly before: Item;
  /** The shape of the whole row, as it is written. */
  readonly shape: U;
  readonly body: object;
  readonly ifMatch: ExpectedVersions | null;
}

/**
 * Change a row by the one rule of PUT and PATCH: the version must be the expected one, omitted fields keep their values,
 * and `write` receives the whole that the row becomes, unless nothing would change. Throws `ValidationError` if that
 * whole breaks a rule.
 */
export async function changeRow<Item extends object, U extends z.ZodType>(
  tx: Tx,
  { noun, rowId, before, shape, body, ifMatch }: RowChange<Item, U>,
  write: (whole: z.output<U>) => Promise<Item>,
): Promise<Item> {
  await requireVersion(tx, { noun, rowId, item: before }, ifMatch);
  const changed = applyChange(shape, before, body);
  if (!changed.success) throw validationError('body', changed.error);
  const fields = Object.entries(changed.data as object);
  const isUnchanged = fields.every(([key, value]) => isDeepStrictEqual(value, Reflect.get(before, key)));
  return isUnchanged ? before : write(changed.data);
}

/** Read one row as the API shows it, by a prepared statement outside transactions. */
function rowReader<Item extends object>({ pool }: AppContext, noun: string, source: ResourceSource) {
  const columns = Object.entries(source.select)
    .map(([field, expression]) => `${expression} as "${field}"`)
    .join(', ');
  const statement = prepared(
    `select ${columns} from ${source.from} where ${source.id} = $1${source.where ? ` and ${source.where}` : ''}`,
  );
  async function read(reader: Reader, id: number): Promise<Item | null> {
    const { rows } = reader.isTransaction
      ? await sql<Item>`${sql.raw(statement.text.replace('$1', String(id)))}`.execute(reader)
      : await pool.query<Item>({ ...statement, values: [id] });
    return rows[0] ?? null;
  }
  async function readOrRefuse(reader: Reader, id: number): Promise<Item> {
    const item = await read(reader, id);
    if (!item) throw refuse(commonRefusals, 'not_found', { noun: noun.replaceAll('_', ' ') });
    return item;
  }
  async function lockAndRead(tx: Tx, id: number): Promise<Item> {
    await lockRow(tx, { noun, table: source.table, id });
    return readOrRefuse(tx, id);
  }
  return { read, readOrRefuse, lockAndRead };
}

function record(
  tx: Tx,
  writeContext: WriteContext,
  change: { noun: string; action: string; rowId: number; before: object | null; after: object | null },
): Promise<void> {
  const item = change.after ?? change.before ?? {};
  return recordAuditEntry(tx, {
    ...writeContext,
    ...change,
    productId: productIdOf(item),
    companyId: companyIdOf(item),
  });
}

/** Create the routes of a noun. */
export function resource<I extends z.ZodObject, C extends z.ZodType, U extends z.ZodType, F extends z.ZodRawShape>(
  context: AppContext,
  crud: Crud<I, C, U, F>,
  source: ResourceSource,
): Resource<z.output<I>, BodyOf<Crud<I, C, U, F>['create']>, z.output<U>> {
  type Item = z.output<I>;
  const { resource: noun } = crud;
  const unknownField = Object.keys({ ...source.select, ...source.optionalFields, ...source.searchFields }).find(
    (field) => !Object.hasOwn(crud.item.shape, field),
  );
  if (unknownField !== undefined) throw new Error(`The ${noun} has no field ${unknownField}`);
  // Flat rows cannot contain undeclared fields, so the serializer that drops them has nothing to do.
  const isFlatItem = isFlat(jsonSchemaOf(crud.item, 'output'));
  const { read, readOrRefuse, lockAndRead } = rowReader<Item>(context, noun, source);
  return {
    read,
    list: route(crud.list, async ({ query, caller }) => {
      const listQuery = query as unknown as ListQuery;
      const request = { listing: source, query: listQuery, companies: caller.companies };
      if (isFlatItem) return ok(200, await readListAsJson(context.pool, request)) as never;
      const listed = await readList<Item>(context.pool, request);
      return ok(200, { ...listed, page: listQuery.page, limit: listQuery.limit }) as never;
    }),
    get: route(crud.get, async ({ params }) => ok(200, await readOrRefuse(context.reader, params.id)) as never),
    create: (toColumns, afterWrite) =>
      route(crud.create, async ({ body, caller, requestId }) => {
        const writeContext = { caller, requestId };
        const item = await context.transact(async (tx) => {
          const values = toColumns ? await toColumns(tx, body, writeContext) : (body as ColumnValues);
          const id = await insertRow(tx, source.table, values);
          const row = await readOrRefuse(tx, id);
          await record(tx, writeContext, { noun, action: 'created', rowId: id, before: null, after: row });
          await afterWrite?.(tx, row, writeContext);
          return row;
        });
        return ok(201, item) as never;
      }),
    replace: (toColumns, afterWrite) => {
      const update = async ({ params, body, caller, requestId, ifMatch }: Call<Crud['replace']>) => {
        const writeContext = { caller, requestId };
        const item = await context.transact(async (tx) => {
          const rowId = params.id;
          const before = await lockAndRead(tx, rowId);
          return changeRow(tx, { noun, rowId, before, shape: crud.update, body, ifMatch }, async (whole) => {
            const values = toColumns
              ? await toColumns(tx, { before, body: whole }, writeContext)
              : (whole as ColumnValues);
            await updateRow(tx, { table: source.table, id: rowId, values });
            const row = await readOrRefuse(tx, rowId);
            await record(tx, writeContext, { noun, action: 'changed', rowId, before, after: row });
            await afterWrite?.(tx, { before, item: row }, writeContext);
            return row;
          });
        });
        return ok(200, item) as never;
      };
      return [
        route(crud.replace as unknown as Crud['replace'], update),
        route(crud.change as unknown as Crud['change'], update),
      ];
    },
    remove: (check) =>
      route(crud.remove, async ({ params, caller, requestId, ifMatch }) => {
        const writeContext = { caller, requestId };
        await context.transact(async (tx) => {
          const before = await lockAndRead(tx, params.id);
          await requireVersion(tx, { noun, rowId: params.id, item: before }, ifMatch);
          const done = await check?.(tx, before, writeContext);
          if (done !== 'removed') await sql`delete from ${sql.table(source.table)} where id = ${params.id}`.execute(tx);
          await record(tx, writeContext, { noun, action: 'deleted', rowId: params.id, before, after: null });
        });
        return ok(204, null);
      }),
  };
}

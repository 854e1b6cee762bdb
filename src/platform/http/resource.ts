/**
 * CRUD on the server, from a noun's one declaration. What is special about a noun is a plain function handed to
 * `create`, `replace` or `remove`, which runs in the write's transaction and may refuse.
 */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { z } from 'zod';
import { recordDeed } from '../audit.ts';
import { applyChange } from '../change.ts';
import type { BodyOf } from '../contract.ts';
import type { Crud, ListQuery } from '../crud.ts';
import type { Reader, Tx } from '../db.ts';
import type { Ground } from '../ground.ts';
import { commonRefusals, refuse } from '../refuse.ts';
import { type Expected, versionField, versionOf } from '../rowVersion.ts';
import { prepared } from '../statements.ts';
import type { Caller } from './caller.ts';
import { invalid } from './errors.ts';
import { type Listing, readList } from './listQuery.ts';
import { type Call, ok, type Route, route } from './routes.ts';
import { isFlat, jsonSchemaOf } from './shapes.ts';

/** Columns and their values; arrays and objects are written as JSON. */
export type Values = Readonly<Record<string, unknown>>;

interface Writing {
  readonly caller: Caller;
  readonly requestId: string;
}

export interface Resource<Item extends object, C, U> {
  /** One row as the API shows it, or null. */
  read(reader: Reader, id: number): Promise<Item | null>;
  list: Route;
  get: Route;
  /** `prepare` gives the columns; without it they are the body's fields. `after` runs once the row is there. */
  create(
    prepare?: (tx: Tx, body: C, writing: Writing) => Promise<Values>,
    after?: (tx: Tx, item: Item, writing: Writing) => Promise<void>,
  ): Route;
  /**
   * PUT and PATCH: what is left out keeps its value, and nothing is done where nothing would change. `prepare` gets the
   * whole that the row becomes, and gives the columns.
   */
  replace(
    prepare?: (tx: Tx, before: Item, whole: U, writing: Writing) => Promise<Values>,
    after?: (tx: Tx, item: Item, before: Item, writing: Writing) => Promise<void>,
  ): Route[];
  /** `check` may refuse; it may also do the deletion itself and say so. */
  remove(check?: (tx: Tx, before: Item, writing: Writing) => Promise<'removed' | undefined>): Route;
}

interface ResourceSource extends Listing {
  readonly table: string;
}

/** Inserts a row and gives its id. */
async function insertRow(tx: Tx, table: string, values: Values): Promise<number> {
  const columns = Object.keys(values);
  const { rows } = await sql<{ id: number }>`
    insert into ${sql.table(table)} (${sql.join(columns.map((one) => sql.ref(one)))}) overriding system value
    values (${sql.join(columns.map((one) => asColumn(values[one])))})
    returning id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`${table} gave no id`);
  return row.id;
}

/** JSON for arrays and objects; an SQL expression stays one. */
const asColumn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !('toOperationNode' in value) ? JSON.stringify(value) : value;

const companyIn = (item: object): number | null =>
  'company_id' in item && typeof item.company_id === 'number' ? item.company_id : null;
const productIn = (item: object): number | null =>
  'product_id' in item && typeof item.product_id === 'number' ? item.product_id : null;

/**
 * Refuses a write that was made up from another version of the row than it has; names who changed it where the audit
 * log knows. The row has to be locked.
 */
export async function mustMatch(
  tx: Tx,
  row: { readonly noun: string; readonly rowId: number; readonly item: object },
  expected: Expected | null,
): Promise<void> {
  const version = versionOf(row.item);
  if (version === null || expected === null || expected === '*' || expected.includes(version)) return;
  const { rows } = await sql<{ login: string; time: string }>`
    select operator as login, at as time from audit
     where noun = ${row.noun} and row_id = ${row.rowId} and operator is not null
       and after ->> ${versionField(row.item)} = ${String(version)}
       and coalesce(product_id = ${productIn(row.item)}, true)
     order by id desc limit 1`.execute(tx);
  const [last] = rows;
  throw last ? refuse(commonRefusals, 'changed', { ...last }) : refuse(commonRefusals, 'changed_meanwhile');
}

/**
 * The whole that a row becomes by a PUT or PATCH; null: nothing would change. Throws `Invalid` where the whole breaks a
 * rule.
 */
export function wholeAfter<U extends z.ZodType>(shape: U, before: object, given: object): z.output<U> | null {
  const changed = applyChange(shape, before, given);
  if (!changed.success) throw invalid('body', changed.error);
  const fields = Object.entries(changed.data as object);
  const isSame = fields.every(([key, value]) => isDeepStrictEqual(value, Reflect.get(before, key)));
  return isSame ? null : changed.data;
}

/** Makes the routes of a noun. */
export function resource<I extends z.ZodObject, C extends z.ZodType, U extends z.ZodType, F extends z.ZodRawShape>(
  ground: Ground,
  crud: Crud<I, C, U, F>,
  source: ResourceSource,
): Resource<z.output<I>, BodyOf<Crud<I, C, U, F>['create']>, z.output<U>> {
  type Item = z.output<I>;
  const { noun } = crud;
  const surplus = Object.keys({ ...source.select, ...source.extras, ...source.found }).find(
    (field) => !Object.hasOwn(crud.item.shape, field),
  );
  if (surplus !== undefined) throw new Error(`The ${noun} has no field ${surplus}`);
  // Such rows cannot hold what is not declared, so the serialiser that leaves it out has nothing to do; the language's
  // own takes half its time.
  const isPlain = isFlat(jsonSchemaOf(crud.item, 'output'));
  const columns = Object.entries(source.select)
    .map(([field, expression]) => `${expression} as "${field}"`)
    .join(', ');
  const oneText = prepared(
    `select ${columns} from ${source.from} where ${source.id} = $1${source.where ? ` and ${source.where}` : ''}`,
  );

  async function read(reader: Reader, id: number): Promise<Item | null> {
    if (reader.isTransaction) {
      const { rows } = await sql<Item>`${sql.raw(oneText.text.replace('$1', String(id)))}`.execute(reader);
      return rows[0] ?? null;
    }
    const { rows } = await ground.pool.query<Item>({ ...oneText, values: [id] });
    return rows[0] ?? null;
  }

  async function mustRead(reader: Reader, id: number): Promise<Item> {
    const item = await read(reader, id);
    if (!item) throw refuse(commonRefusals, 'not_found', { noun: noun.replaceAll('_', ' ') });
    return item;
  }

  async function lock(tx: Tx, id: number): Promise<void> {
    const { rows } = await sql`select 1 from ${sql.table(source.table)} where id = ${id} for update`.execute(tx);
    if (rows.length === 0) throw refuse(commonRefusals, 'not_found', { noun: noun.replaceAll('_', ' ') });
  }

  const record = (tx: Tx, writing: Writing, action: string, id: number, before: Item | null, after: Item | null) =>
    recordDeed(tx, {
      caller: writing.caller,
      action,
      noun,
      rowId: id,
      productId: productIn(after ?? before ?? {}),
      companyId: companyIn(after ?? before ?? {}),
      before,
      after,
      requestId: writing.requestId,
    });

  return {
    read,
    list: route(crud.list, async ({ query, caller, reply }) => {
      const wanted = query as unknown as ListQuery;
      const found = await readList<Item>(ground.pool, source, wanted, caller.companies);
      if (isPlain) reply.serializer(JSON.stringify);
      return ok(200, { ...found, page: wanted.page, limit: wanted.limit }) as never;
    }),
    get: route(crud.get, async ({ params }) => ok(200, await mustRead(ground.reader, params.id)) as never),
    create: (prepare, after) =>
      route(crud.create, async ({ body, caller, requestId }) => {
        const writing = { caller, requestId };
        const item = await ground.transact(async (tx) => {
          const values = prepare ? await prepare(tx, body, writing) : (body as Values);
          const id = await insertRow(tx, source.table, values);
          const made = await mustRead(tx, id);
          await record(tx, writing, 'created', id, null, made);
          await after?.(tx, made, writing);
          return made;
        });
        return ok(201, item) as never;
      }),
    replace: (prepare, after) => {
      const perform = async ({ params, body, caller, requestId, ifMatch }: Call<Crud['replace']>) => {
        const writing = { caller, requestId };
        const item = await ground.transact(async (tx) => {
          await lock(tx, params.id);
          const before = await mustRead(tx, params.id);
          await mustMatch(tx, { noun, rowId: params.id, item: before }, ifMatch);
          const whole = wholeAfter(crud.update, before, body);
          if (whole === null) return before;
          const values = prepare ? await prepare(tx, before, whole, writing) : (whole as Values);
          const given = Object.entries(values);
          if (given.length > 0) {
            const sets = given.map(([column, value]) => sql`${sql.ref(column)} = ${asColumn(value)}`);
            await sql`update ${sql.table(source.table)} set ${sql.join(sets)} where id = ${params.id}`.execute(tx);
          }
          const made = await mustRead(tx, params.id);
          await record(tx, writing, 'changed', params.id, before, made);
          await after?.(tx, made, before, writing);
          return made;
        });
        return ok(200, item) as never;
      };
      return [
        route(crud.replace as unknown as Crud['replace'], perform),
        route(crud.change as unknown as Crud['change'], perform),
      ];
    },
    remove: (check) =>
      route(crud.remove, async ({ params, caller, requestId, ifMatch }) => {
        const writing = { caller, requestId };
        await ground.transact(async (tx) => {
          await lock(tx, params.id);
          const before = await mustRead(tx, params.id);
          await mustMatch(tx, { noun, rowId: params.id, item: before }, ifMatch);
          const done = await check?.(tx, before, writing);
          if (done !== 'removed') await sql`delete from ${sql.table(source.table)} where id = ${params.id}`.execute(tx);
          await record(tx, writing, 'deleted', params.id, before, null);
        });
        return ok(204, null);
      }),
  };
}

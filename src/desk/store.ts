/** SQL of the inbox. */
import { sql } from 'kysely';
import type pg from 'pg';
import type { Dialogue } from '../conversations/contract.ts';
import {
  DIALOGUE_COLUMNS,
  DIALOGUE_TABLES,
  SEARCH_CONDITION,
  SEARCH_SNIPPET,
  selectList,
} from '../conversations/store/columns.ts';
import type { DueIn } from '../jobs/store/dueWork.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { prepared, preparedList } from '../platform/statements.ts';
import { type Colleague, type InboxCounts, type InboxRow, type InboxView, inboxViews, type Note } from './contract.ts';
import { oldestFirst, type ViewRule, viewRules } from './views.ts';

/** Whose inbox is read, and of which products. */
export interface InboxScope {
  readonly operatorId: number;
  /** Companies that the operator may see; null: all. */
  readonly companies: readonly number[] | null;
  readonly productId?: number | undefined;
  readonly companyId?: number | undefined;
}

/** The condition of a view's rule about the assignee; `$2` is the operator. */
const ASSIGNEE_SQL: Readonly<Record<ViewRule['assignee'], string>> = {
  me_or_nobody: '(assignee_id is null or assignee_id = $2)',
  me: 'assignee_id = $2',
  nobody: 'assignee_id is null',
  others: 'assignee_id <> $2',
  anyone: 'true',
};

const stateList = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(', ');

/** A view's rule as SQL. */
function viewSql(view: InboxView): { states: string; by: string } {
  const { states, assignee } = viewRules[view];
  return { states: stateList(states), by: ASSIGNEE_SQL[assignee] };
}

/** The order of a view, for dialogues of `table`: `compareInView` in SQL. */
function orderSql(table: string): string {
  const isOldestFirst = `${table}.inbox_state in (${stateList(oldestFirst)})`;
  const sign = `case when ${isOldestFirst} then 1 else -1 end`;
  return `(${isOldestFirst}) desc, extract(epoch from ${table}.inbox_at) * (${sign}), ${table}.id * (${sign})`;
}

/** The first rows of a part of a view, which has one state, by the index; the parts are `p`. */
function firstOfPart(view: InboxView, most: number): string {
  const { states } = viewRules[view];
  const directions = [
    { of: states.filter((state) => oldestFirst.includes(state)), order: 'asc' },
    { of: states.filter((state) => !oldestFirst.includes(state)), order: 'desc' },
  ];
  return directions
    .filter(({ of }) => of.length > 0)
    .map(
      ({ of, order }) => `
        (select id, inbox_state, inbox_at from dialogues
          where product_id = p.product_id and inbox_state = p.inbox_state and coalesce(assignee_id, 0) = p.assignee
            and p.inbox_state in (${stateList(of)})
          order by inbox_at ${order}, id ${order} limit ${most})`,
    )
    .join(' union all');
}

/**
 * Products in sight: of the product `$1`, the company `$3` and the companies `$4` of the operator, each if not null. The
 * planner does not see the values: one plan fits all, and the database keeps it instead of planning each call, which
 * takes longer than the call.
 */
const PRODUCTS = `select p.id from products p, (select $1::bigint as product, $3::bigint as company, $4::bigint[] as companies offset 0) as scope
  where $2::bigint is not null and p.id = coalesce(scope.product, p.id) and p.company_id = coalesce(scope.company, p.company_id)
    and (scope.companies is null or p.company_id = any(scope.companies))`;

const scopeValues = ({ operatorId, companies, productId, companyId }: InboxScope) => [
  productId ?? null,
  operatorId,
  companyId ?? null,
  companies,
];

/** Count the dialogues of each view. The number of dialogues does not matter: differences are summed. */
export async function readCounts(pool: pg.Pool, scope: InboxScope): Promise<InboxCounts> {
  const sums = inboxViews.map((view) => {
    const { states, by } = viewSql(view);
    return `coalesce(sum(count) filter (where inbox_state in (${states}) and ${by}), 0)::int as ${view}`;
  });
  const { rows } = await pool.query<InboxCounts>({
    ...prepared(`select ${sums.join(', ')} from inbox_counts where product_id in (${PRODUCTS})`),
    values: scopeValues(scope),
  });
  const [counts] = rows;
  if (!counts) throw new Error('No counts');
  return counts;
}

/**
 * Read a page of a view. What exists of product, state and assignee is known from the counts; of each the first rows are
 * read by the index, and merged.
 */
export async function readInbox(
  pool: pg.Pool,
  scope: InboxScope,
  { view, search, limit, offset }: { view: InboxView; search: string | null; limit: number; offset: number },
): Promise<{ rows: InboxRow[]; total: number }> {
  const { states, by } = viewSql(view);
  if (search !== null) return searchInbox(pool, scope, { view, search, limit, offset });
  const { rows } = await pool.query<InboxRow & { total: number }>({
    ...preparedList(`
      with parts as materialized (
        select product_id, inbox_state, coalesce(assignee_id, 0) as assignee, sum(count) as count from inbox_counts
         where product_id in (${PRODUCTS}) and inbox_state in (${states}) and ${by}
         group by product_id, inbox_state, assignee_id having sum(count) > 0
      ), page as materialized (
        select d.id from parts p cross join lateral (${firstOfPart(view, limit + offset)}) as d
         order by ${orderSql('d')} limit ${limit} offset ${offset}
      )
      select ${selectList(DIALOGUE_COLUMNS)}, (select name from products where id = t.product_id) as product_name,
             (select sum(count)::int from parts) as total
        from page join (${DIALOGUE_TABLES}) on t.id = page.id order by ${orderSql('t')}`),
    values: scopeValues(scope),
  });
  return { rows: rows.map(({ total: _total, ...row }) => row), total: rows[0]?.total ?? 0 };
}

async function searchInbox(
  pool: pg.Pool,
  scope: InboxScope,
  { view, search, limit, offset }: { view: InboxView; search: string; limit: number; offset: number },
): Promise<{ rows: InboxRow[]; total: number }> {
  const { states, by } = viewSql(view);
  const { rows } = await pool.query<InboxRow & { total: number }>({
    ...prepared(`
      select ${selectList(DIALOGUE_COLUMNS)}, (select name from products where id = t.product_id) as product_name,
             ${SEARCH_SNIPPET.replaceAll('$', '$8')} as found, count(*) over ()::int as total
        from ${DIALOGUE_TABLES}
       where t.product_id in (${PRODUCTS}) and t.inbox_state in (${states}) and ${by.replaceAll('assignee_id', 't.assignee_id')}
         and (l.name ilike $7 or c.contact ilike $7 or ${SEARCH_CONDITION.replaceAll('$', '$8')})
       order by ${orderSql('t')} limit $5::int offset $6::int`),
    values: [...scopeValues(scope), limit, offset, `%${search.replace(/[\\%_]/g, '\\$&')}%`, search],
  });
  return { rows: rows.map(({ total: _total, ...row }) => row), total: rows[0]?.total ?? 0 };
}

/** Return the operators who can see all of these products. */
export async function readColleagues(reader: Reader, productIds: readonly number[]): Promise<Colleague[]> {
  const { rows } = await sql<Colleague>`
    select o.id, o.login from operators o
     where o.is_active
       and (o.role = 'admin'
            or not exists (select from products p where p.id = any(${[...productIds]}::bigint[])
                              and not exists (select from operator_companies m where m.operator_id = o.id and m.company_id = p.company_id)))
     order by lower(o.login)`.execute(reader);
  return rows;
}

/** A dialogue as it is before an operator's change. */
export type DeskState = Pick<
  Dialogue,
  'id' | 'product_id' | 'assignee_id' | 'snoozed_until' | 'snoozed_until_reply' | 'done_at'
>;

/** Lock dialogues, in order of their ids. */
export async function lockDeskStates(tx: Tx, ids: readonly number[]): Promise<DeskState[]> {
  const { rows } = await sql<DeskState>`
    select id, product_id, assignee_id, snoozed_until, snoozed_until_reply, done_at from dialogues
     where id = any(${[...ids]}::bigint[]) order by id for update`.execute(tx);
  return rows;
}

/**
 * Return the name of a product of these dialogues that an operator cannot see; null if there is none. Locks the operator:
 * who takes the rights away waits, and then finds what was assigned meanwhile.
 */
export async function findProductOutOfReach(
  tx: Tx,
  ids: readonly number[],
  operatorId: number,
): Promise<string | null> {
  await sql`select from operators where id = ${operatorId} for key share`.execute(tx);
  const { rows } = await sql<{ name: string }>`
    select p.name from products p
     where p.id in (select product_id from dialogues where id = any(${[...ids]}::bigint[]))
       and not exists (select from operators o where o.id = ${operatorId} and o.is_active
                          and (o.role = 'admin' or exists (select from operator_companies m
                                                            where m.operator_id = o.id and m.company_id = p.company_id)))
     limit 1`.execute(tx);
  return rows[0]?.name ?? null;
}

export async function isInFuture(tx: Tx, instant: string): Promise<boolean> {
  const { rows } = await sql<{ future: boolean }>`select ${instant}::timestamptz > domain_now() as future`.execute(tx);
  return rows[0]?.future ?? false;
}

/** Lock dialogues whose snooze ends, but for those that another transaction holds. */
export async function lockEndedSnoozes(tx: Tx, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from dialogues where snoozed_until <= domain_now() order by snoozed_until limit ${limit} for update skip locked`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

export const SNOOZES_DUE_IN: DueIn = sql<number | null>`
  select (extract(epoch from snoozed_until - domain_now()) * 1000)::float8 from dialogues
   where snoozed_until is not null order by snoozed_until limit 1`;

/** Dialogues whose time with people is over: of their products, and by a time of their own. */
const RETURNS = sql`
  select d.id from products p cross join lateral (
    select id from dialogues where product_id = p.id and owner = 'human' and return_hours is null
       and human_at <= domain_now() - make_interval(hours => p.return_to_bot_hours)) as d
   where p.return_to_bot_hours is not null
  union all
  select id from dialogues where owner = 'human' and return_hours > 0
     and human_at <= domain_now() - make_interval(hours => return_hours)`;

/** Return the ids of dialogues that are due to return to the bot. */
export async function findDueReturns(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from (${RETURNS}) as due order by id limit ${limit}`.execute(
    reader,
  );
  return rows.map(({ id }) => id);
}

/** Whether a locked dialogue is still due to return to the bot. */
export async function isReturnDue(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select d.owner = 'human' and d.human_at <= domain_now() - make_interval(hours => nullif(coalesce(d.return_hours, p.return_to_bot_hours), 0)) as due
      from dialogues d join products p on p.id = d.product_id where d.id = ${id}`.execute(tx);
  return rows[0]?.due ?? false;
}

export const RETURNS_DUE_IN: DueIn = sql<number | null>`case when exists (${RETURNS}) then 0 end`;

/** More differences than this of one count are folded. */
const FOLD_FROM = sql.lit(16);

/** Fold the differences of counts that have many into one row each. What another transaction folds is left to it. */
export async function foldCounts(reader: Reader): Promise<void> {
  await sql`
    with taken as (
      delete from inbox_counts where ctid = any(array(
        select c.ctid from inbox_counts c
         where (c.product_id, c.inbox_state, coalesce(c.assignee_id, 0)) in (
           select product_id, inbox_state, coalesce(assignee_id, 0) from inbox_counts group by 1, 2, 3 having count(*) > ${FOLD_FROM})
           for update skip locked))
      returning product_id, inbox_state, assignee_id, count
    )
    insert into inbox_counts (product_id, inbox_state, assignee_id, count)
    select product_id, inbox_state, assignee_id, sum(count) from taken
     group by product_id, inbox_state, assignee_id having sum(count) <> 0`.execute(reader);
}

export async function readNotes(reader: Reader, dialogueId: number): Promise<Note[]> {
  const { rows } = await sql<Note>`
    select id, dialogue_id, operator, text, created_at from dialogue_notes where dialogue_id = ${dialogueId} order by id`.execute(
    reader,
  );
  return rows;
}

/** Store a note; null if the dialogue has `most` already. */
export async function insertNote(
  tx: Tx,
  { dialogueId, operator, text, most }: { dialogueId: number; operator: string; text: string; most: number },
): Promise<(Note & { product_id: number }) | null> {
  const { rows } = await sql<Note & { product_id: number }>`
    insert into dialogue_notes (product_id, dialogue_id, operator, text)
    select product_id, id, ${operator}, ${text} from dialogues d
     where id = ${dialogueId} and (select count(*) from dialogue_notes n where n.dialogue_id = d.id) < ${most}::int
    returning id, dialogue_id, operator, text, created_at, product_id`.execute(tx);
  return rows[0] ?? null;
}

/** Return the product of a dialogue. */
export async function findProductOfDialogue(reader: Reader, id: number): Promise<number | null> {
  const { rows } = await sql<{ product_id: number }>`select product_id from dialogues where id = ${id}`.execute(reader);
  return rows[0]?.product_id ?? null;
}

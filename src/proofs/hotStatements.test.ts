/**
 * What workers ask again and again reads what is due, and neither all that is open for each of it nor all that was ever
 * said: rows that plans look at, with the statistics of a database at rest. Then the partial indexes of what is open are
 * empty, and all look equally cheap.
 */
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimTurns } from '../conversations/store/turns.ts';
import { claimItems } from '../inbox/store/chats.ts';
import { loadDueMessages, lockDueDialogues } from '../outbox/store/dueMessages.ts';
import { readLeadFacts } from '../outreach/store/facts.ts';
import type { Tables, Tx } from '../platform/db.ts';
import { createSecretCipher } from '../platform/secretCipher.ts';
import { createWorld, SECRET_KEY, type World } from '../testing/world.ts';

/** Dialogues with something that is due. */
const DUE = 16;
const LEADS = 3000;
/** Messages of the dialogue with a long history; all others have two. */
const LONG = 10_000;
/** Messages of leads that are not processed yet. */
const FEW = 500;
const MORE = 2000;

let world: World;
let pool: pg.Pool;
let reader: Kysely<Tables>;
let queries: CompiledQuery[] = [];
let readByEarlyPlan = Number.NaN;
beforeAll(async () => {
  world = await createWorld({ serve: false });
  pool = new pg.Pool({ connectionString: world.env()['DATABASE_MIGRATIONS_URL'] ?? '', max: 2 });
  reader = new Kysely({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void queries.push(query),
  });
  // Nobody else decides when they get statistics.
  for (const table of ['inbox', 'messages', 'dialogues', 'contacts', 'leads'])
    await pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
  readByEarlyPlan = await fillBehindPlan();
  await pool.query('vacuum analyze');
});
afterAll(async () => {
  await reader.destroy();
  await world.close();
});

/** Fill the tables with what lies there at rest. */
async function fill(): Promise<void> {
  const { productId, whatsapp } = world;
  await pool.query("set session_replication_role = 'replica'");
  await pool.query(
    `with l as (insert into leads (product_id, name, stage) select $1, 'Lead ' || n, 'ongoing' from generate_series(1, ${LEADS}) n returning id),
          c as (insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
                select id, $1, '+7' || 9000000000 + id, 'whatsapp', '7' || 9000000000 + id, true from l returning id, address)
     insert into dialogues (product_id, contact_id, channel_id, chat_id, address) select $1, id, $2, address, address from c`,
    [productId, whatsapp.id],
  );
  await pool.query(
    `insert into dialogue_chats (dialogue_id, product_id, channel_id, chat_id) select id, product_id, channel_id, chat_id from dialogues`,
  );
  await pool.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, ext_id, created_at, thread_at)
     select d.product_id, d.contact_id, d.id, d.channel_id, 'How long does delivery take?', 'user', 'lead', 'inbound', md5(k || ' ' || d.id), now(), now()
       from dialogues d, generate_series(1, case when d.id = (select min(id) from dialogues) then ${LONG} else 2 end) k`,
  );
  await pool.query(
    `insert into inbox (account_id, channel_id, kind, ext_id, status, chat_id, item, state)
     select h.account_id, m.channel_id, 'message', m.ext_id, 'inbound', d.chat_id, '{}', 'done'
       from messages m join dialogues d on d.id = m.dialogue_id join channels h on h.id = m.channel_id`,
  );
  await pool.query("set session_replication_role = 'origin'");
  await pool.query(
    `update dialogues set turn_due_at = domain_now() - interval '1 second' where id in (select id from dialogues order by id limit ${DUE})`,
  );
  await pool.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at, created_at, thread_at)
     select product_id, contact_id, id, channel_id, 'Six weeks.', 'bot', 'bot', 'scheduled', domain_now() - interval '1 second', now(), now()
       from dialogues order by id offset ${DUE} limit ${DUE}`,
  );
}

/** Store messages that are not processed yet, of leads to whom nothing is due. */
async function receive(count: number): Promise<void> {
  await pool.query(
    `insert into inbox (account_id, channel_id, kind, ext_id, status, chat_id, item)
     select h.account_id, d.channel_id, 'message', gen_random_uuid(), 'inbound', d.chat_id, '{"addresses": []}'
       from (select * from dialogues order by id desc limit $1) d join channels h on h.id = d.channel_id`,
    [count],
  );
}

/** A node of a plan, as EXPLAIN tells it. */
interface Node {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Node[];
}

/** Count the rows that a plan has looked at. */
function rowsOf(node: Node): number {
  const ofAll =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  return ofAll * node['Actual Loops'] + (node.Plans ?? []).reduce((sum, one) => sum + rowsOf(one), 0);
}

/** Count the rows that the statements of `work` look at. Nothing of it stays. */
async function rowsReadBy(work: (tx: Tx) => Promise<unknown>): Promise<number> {
  queries = [];
  const undone = new Error('undone');
  const run = reader.transaction().execute(async (tx) => {
    await work(tx);
    throw undone;
  });
  await expect(run).rejects.toBe(undone);
  const statements = queries.filter(({ sql }) => /^\s*(?:with|select)/.test(sql));
  expect(statements).not.toEqual([]);
  let read = 0;
  for (const { sql, parameters } of statements) {
    await pool.query('begin');
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(`explain (analyze, format json) ${sql}`, [
      ...parameters,
    ]);
    await pool.query('rollback');
    if (rows[0]) read += rowsOf(rows[0]['QUERY PLAN'][0].Plan);
  }
  return read;
}

const claimant = { instanceId: '00000000-0000-4000-8000-000000000001', config: { leaseSeconds: 16 } };
const cipher = createSecretCipher(SECRET_KEY);
const idsOf = async (query: string): Promise<number[]> =>
  (await pool.query<{ id: string }>(query)).rows.map(({ id }) => Number(id));

/** Fill the tables and count the rows that the facts of one lead then take, by the plan that was made before. */
async function fillBehindPlan(): Promise<number> {
  await readLeadFacts(reader, cipher, [0]);
  const client = await pool.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query(`prepare facts as ${queries[0]?.sql}`);
    const read = async (lead: number): Promise<number> => {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
        `explain (analyze, format json) execute facts ('{${lead}}')`,
      );
      return rows[0] ? rowsOf(rows[0]['QUERY PLAN'][0].Plan) : Number.NaN;
    };
    await read(0);
    await fill();
    const [lead = 0] = await idsOf('select max(id) as id from leads');
    return await read(lead);
  } finally {
    client.release(true);
  }
}

it('reads the facts of one lead by its own rows, although the plan was made when there were none', () => {
  expect(readByEarlyPlan).toBeLessThan(LEADS);
});

it.each<[step: string, work: (tx: Tx) => Promise<unknown>]>([
  [
    'claiming turns',
    (tx) =>
      claimTurns(tx, {
        limit: 50,
        historyLimit: 40,
        claimant,
        room: { defaultModel: 'chatgpt/gpt-4o-mini', perModel: 50, busy: new Map() },
      }),
  ],
  ['claiming messages', (tx) => lockDueDialogues(tx, { limit: 50, room: { perAccount: 50, busy: new Map() } })],
  [
    'deciding about messages',
    async (tx) => loadDueMessages(tx, await idsOf("select dialogue_id as id from messages where status = 'scheduled'")),
  ],
  ['claiming hooks', (tx) => claimItems(tx, null)],
])('%s reads what is open a few times, not once for each that is due', async (_step, work) => {
  await pool.query("delete from inbox where state = 'new'");
  await receive(FEW);
  const few = await rowsReadBy(work);
  await receive(MORE);
  expect((await rowsReadBy(work)) - few).toBeLessThan(MORE * 4);
});

it('reads of a long conversation what it reads of a short one', async () => {
  const [long = 0] = await idsOf('select min(id) as id from leads');
  const [short = 0] = await idsOf('select max(id) as id from leads');
  const facts = (lead: number) => (tx: Tx) => readLeadFacts(tx, cipher, [lead]);
  expect(await rowsReadBy(facts(long))).toBeLessThan((await rowsReadBy(facts(short))) * 4);
});

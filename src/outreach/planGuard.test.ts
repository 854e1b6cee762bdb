import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tables } from '../platform/db.ts';
import { GUARDED } from '../testing/planGuard.ts';
import { freshDatabase } from '../testing/postgres.ts';
import { leadFacts } from './store/facts.ts';

const ALWAYS = 'It never changes.';
const WITH_STATUS = 'It changes with the status of the message.';
const WITH_TURN = 'It changes with the message that it is about, or with the answer to it.';
const OTHER_LEAD = 'What other leads do is read when something is due.';
const SETTINGS = 'A change of settings plans all leads of the product.';

/** What the plan reads of a lead, and no guard has to hold: why. */
const NOT_GUARDED: Readonly<Record<string, string>> = {
  'leads.id': ALWAYS,
  'leads.product_id': ALWAYS,
  'contacts.id': ALWAYS,
  'contacts.product_id': ALWAYS,
  'contacts.created_at': ALWAYS,
  'dialogues.id': ALWAYS,
  'dialogues.address': ALWAYS,
  'dialogues.channel_id': ALWAYS,
  'dialogues.created_at': ALWAYS,
  'dialogues.closed_at': 'It changes with the message up to which it is closed.',
  'dialogues.turn': WITH_TURN,
  'dialogues.turn_due_at': WITH_TURN,
  'dialogues.last_msg_created_at': 'It orders dialogues by their newest messages.',
  'messages.id': ALWAYS,
  'messages.dialogue_id': ALWAYS,
  'messages.side': ALWAYS,
  'messages.kind': ALWAYS,
  'messages.author': ALWAYS,
  'messages.origin': ALWAYS,
  'messages.part_group': ALWAYS,
  'messages.ping_step_number': ALWAYS,
  'messages.follow_up_anchor_id': ALWAYS,
  'messages.status': 'By kinds of statuses: waits, has left, has failed.',
  'messages.thread_at': WITH_STATUS,
  'messages.scheduled_at': 'What waits is evaluated when it leaves.',
  'messages.turn': 'It changes when a message is retried, and then its status does.',
  'first_messages.lead_id': ALWAYS,
  'first_messages.contact_id': ALWAYS,
  'first_messages.product_id': ALWAYS,
  'first_messages.address': ALWAYS,
  'first_messages.is_repeat': ALWAYS,
  'first_messages.refused': WITH_STATUS,
  'dialogue_chats.channel_id': OTHER_LEAD,
  'dialogue_chats.chat_id': OTHER_LEAD,
  'dialogue_chats.dialogue_id': OTHER_LEAD,
  'dialogue_links.dialogue_id': ALWAYS,
  'dialogue_links.other_id': ALWAYS,
  'dialogue_links.kind': ALWAYS,
  'dialogue_links.state': 'Who decides about it has both leads planned.',
  'product_channels.product_id': SETTINGS,
  'product_channels.channel_id': SETTINGS,
};

const database = await freshDatabase();
const pool = new pg.Pool({ connectionString: database.url, max: 2 });
/** The product's connections have such a name. */
const product = new pg.Pool({ connectionString: database.url, max: 2, application_name: 'rapport' });

beforeAll(async () => {
  await pool.query(`
    insert into companies (name) values ('Company');
    insert into products (company_id, name, config) select id, 'Product', '{}' from companies;
    insert into leads (product_id, name) select id, 'Anna' from products`);
});

afterAll(async () => {
  await pool.end();
  await product.end();
  await database.drop();
});

it('holds everything that the plan reads, or says why it need not', async () => {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const { sql: text, parameters } = leadFacts([1]).compile(db);
  const literals = parameters.map((value) =>
    Array.isArray(value) ? `'{${value.join()}}'` : pg.escapeLiteral(String(value)),
  );
  await pool.query(
    `create view testing.facts as ${text.replaceAll(/\$(\d+)/g, (_all, index) => literals[Number(index) - 1] ?? '')}`,
  );
  const { rows } = await pool.query<{ column: string }>(
    `select table_name || '.' || column_name as column from information_schema.view_column_usage where view_name = 'facts'`,
  );
  const guarded = Object.entries(GUARDED).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`));
  const named = new Set([...guarded, ...Object.keys(NOT_GUARDED)]);
  expect(rows.length).toBeGreaterThan(guarded.length);
  expect(rows.map(({ column }) => column).filter((column) => !named.has(column))).toEqual([]);
});

describe('a transaction of the product', () => {
  it.each<[string, string]>([
    ['name', "'Berta'"],
    ['stage', "'ongoing'"],
    ['is_active', 'not is_active'],
    ['timezone', "'Asia/Tokyo'"],
    ['crm_fields', `'{"city": "Riga"}'`],
    ['human_owner_reason', "'crm_step', human_owned_since = domain_now()"],
  ])('that changes the %s of a lead must have its plan evaluated', async (column, value) => {
    const change = `update leads set ${column} = ${value}`;
    await expect(product.query(change)).rejects.toThrow(/was changed without having it evaluated/);
    await product.query(`begin; ${change}; update outreach set next_at = domain_now(); commit`);
  });
});

import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCompanyWithEveryResource } from '../testing/everyResource.ts';
import { freshDatabase } from '../testing/postgres.ts';
import { QUEUES, readQueues } from './store/queues.ts';

let pool: pg.Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
});
afterAll(async () => {
  await pool.end();
  await drop();
});

it('counts queued rows and the age of the oldest', async () => {
  const nothing = await readQueues(pool);
  expect(new Set(Object.values(nothing).map(Number))).toEqual(new Set([0]));

  await pool.query(
    `insert into vendor_accounts (vendor, key_mask, key_hash, api_key_sealed, hook_secret_hash, hook_secret_sealed)
     values ('wazzup24', '…', 'a', 'sealed', 'b', 'sealed')`,
  );
  const { product, contact, dialogue, channel } = await createCompanyWithEveryResource(pool, 'Counted');
  const message = (status: string, more: string) =>
    pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at, retry_at, removed_at, claimed_by, claimed_until)
       values ($1, $2, $3, $4, 'x', 'bot', 'bot', $5, ${more})`,
      [product, contact, dialogue, channel, status],
    );
  await message('scheduled', "now() - interval '90 seconds', null, null, null, null");
  await message('scheduled', "now() - interval '30 seconds', now(), null, null, null");
  await message('scheduled', "now() + interval '1 hour', null, null, null, null");
  await message('sending', 'now(), null, null, gen_random_uuid(), now()');
  await message('error', 'null, null, null, null, null');
  await message('error', 'null, null, null, null, null');
  await message('error', 'null, null, now(), null, null');
  await pool.query("update dialogues set turn_due_at = now() - interval '20 seconds' where id = $1", [dialogue]);
  await pool.query(
    `insert into inbox (account_id, kind, ext_id, status, item, received_at, state)
     select id, 'message', n::text, 'new', '{}', now() - interval '1 second' * n, case n when 3 then 'done' when 2 then 'parked' else 'new' end
       from vendor_accounts, generate_series(1, 3) n`,
  );
  await pool.query(
    `insert into opt_out_propagations (lead_id, product_id, requested_at)
     select lead_id, product_id, now() - interval '5 seconds' from contacts where id = $1`,
    [contact],
  );

  const queues = Object.fromEntries(
    Object.entries(await readQueues(pool)).map(([name, value]) => [name, Number(value)]),
  );
  expect(queues).toMatchObject({
    messages_due: 2,
    messages_sending: 1,
    messages_failed: 2,
    // The row that every company of the test has.
    messages_unconfirmed: 1,
    messages_refused: 1,
    inbox_open: 1,
    inbox_held: 1,
    turns_due: 1,
    turns_failed: 1,
    opt_outs_due: 1,
  });
  expect(queues['messages_due_seconds']).toBeGreaterThan(89);
  expect(queues['messages_due_seconds']).toBeLessThan(600);
  expect(queues['turns_due_seconds']).toBeGreaterThan(19);
  expect(queues['opt_outs_due_seconds']).toBeGreaterThan(4);
});

it('scans no table except the CRM changes', async () => {
  const client = await pool.connect();
  try {
    // A few rows are read faster without an index; this setting shows whether one could be used.
    await client.query('set enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${QUEUES}`);
    const whole = rows.map((row) => /Seq Scan on (\w+)/.exec(row['QUERY PLAN'])?.[1] ?? '');
    expect([...new Set(whole.filter((table) => table !== '' && table !== 'installation'))].sort()).toEqual([
      'crm_changes',
    ]);
  } finally {
    client.release(true);
  }
});

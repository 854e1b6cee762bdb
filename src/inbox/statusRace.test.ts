import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** An advisory lock that a trigger takes whenever an item is about to be parked; the test holds it. */
const STALL = 4711;

it('applies a status after the answer to its send', async () => {
  await world.pool.query(`
    create function stall() returns trigger language plpgsql as $$
    begin
      if new.state = 'parked' and new.kind = 'status' then perform pg_advisory_xact_lock(${STALL}); end if;
      return new;
    end $$;
    create trigger stall before update on inbox for each row execute function stall();`);
  const holder = await world.pool.connect();
  await holder.query('select pg_advisory_lock($1)', [STALL]);
  // The vendor reports the message before it responds to the send: the status finds no message and is about to be parked.
  await world.control.setFaults([{ kind: 'wazzup24.delay', ms: 1000, after: true, times: 1 }]);
  const anna = await world.lead('Anna');
  await anna.writes('How long does delivery take?');
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query(
      `select 1 from messages where side = 'bot' and status = 'sent'
          and exists (select 1 from pg_locks where locktype = 'advisory' and not granted
                         and database = (select oid from pg_database where datname = current_database()))`,
    );
    return rows.length > 0;
  }, 'the answer to the send is stored meanwhile');
  await holder.query('select pg_advisory_unlock($1)', [STALL]);
  holder.release();
  await world.drain();
  const { rows } = await world.pool.query("select status from messages where side = 'bot'");
  expect(rows).toEqual([{ status: 'read' }]);
  const { rows: parked } = await world.pool.query("select id from inbox where state = 'parked'");
  expect(parked).toEqual([]);
});

it('loses no parked status when its instance dies', async () => {
  await world.pool.query('drop trigger stall on inbox');
  // The vendor reports the message long before it responds to the send.
  await world.control.setFaults([{ kind: 'wazzup24.delay', ms: 1500, after: true, times: 1 }]);
  const boris = await world.lead('Boris');
  await boris.writes('How long does delivery take?');
  const dying = await world.pool.connect();
  try {
    await world.waitUntil(async () => {
      await dying.query('rollback; begin');
      const { rows } = await dying.query("select 1 from inbox where state = 'parked' and kind = 'status' for update");
      return rows.length > 0;
    }, 'the status is kept, and in hand');
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query<{ stored: boolean; waiting: boolean }>(
        `select exists (select 1 from messages where side = 'bot' and contact_id = $1 and status <> 'sending') as stored,
                exists (select 1 from pg_locks where locktype = 'transactionid' and not granted) as waiting`,
        [boris.contactId],
      );
      return rows[0]?.stored === true || rows[0]?.waiting === true;
    }, 'the answer to the send is being stored');
    await dying.query('rollback');
  } finally {
    dying.release();
  }
  await world.drain();
  const { rows: parked } = await world.pool.query("select id from inbox where state = 'parked'");
  expect(parked).toEqual([]);
  expect((await boris.thread()).at(-1)?.status).toBe('read');
});

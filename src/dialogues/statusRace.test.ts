import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** A lock that the database takes wherever an item is about to be held, and that the test has. */
const STALL = 4711;

it('a status and the answer to its send do not pass each other', async () => {
  await world.pool.query(`
    create function stall() returns trigger language plpgsql as $$
    begin
      if new.state = 'held' and new.kind = 'status' then perform pg_advisory_xact_lock(${STALL}); end if;
      return new;
    end $$;
    create trigger stall before update on inbox for each row execute function stall();`);
  const holder = await world.pool.connect();
  await holder.query('select pg_advisory_lock($1)', [STALL]);
  // The status is here before the send is answered: it finds no message and is about to be kept.
  await world.control.setFaults([{ kind: 'wazzup24.status_first', times: 1 }]);
  const anna = await world.lead('Anna');
  await anna.writes('How long does delivery take?');
  await world.until(async () => {
    const { rows } = await world.pool.query<{ status: string; waiting: string }>(
      `select (select status from messages where side = 'bot') as status,
              (select count(*) from pg_locks where locktype = 'advisory' and not granted
                  and database = (select oid from pg_database where datname = current_database())) as waiting`,
    );
    return rows[0]?.status === 'sent' || Number(rows[0]?.waiting) >= 2;
  }, 'the answer to the send is being stored');
  await holder.query('select pg_advisory_unlock($1)', [STALL]);
  holder.release();
  await world.drain();
  const { rows } = await world.pool.query("select status from messages where side = 'bot'");
  expect(rows).toEqual([{ status: 'read' }]);
  const { rows: kept } = await world.pool.query("select id from inbox where state = 'held'");
  expect(kept).toEqual([]);
});

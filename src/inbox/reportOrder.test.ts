/** Reports that are received together. No worker runs beside them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { receiveItems } from './receive.ts';
import { receiveReports } from './receiveReports.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
});
afterAll(() => world.close());

/** Store a message that was sent under a vendor's id. */
async function sentMessage(lead: TestLead): Promise<number> {
  const { rows } = await world.pool.query<{ id: number }>(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, ext_id, thread_at, sent_at)
     select product_id, contact_id, id, channel_id, 'Hello', 'bot', 'operator', 'olga', 'sent', $2, domain_now(), domain_now()
       from dialogues where contact_id = $1 returning id::int`,
    [lead.contactId, lead.name],
  );
  return rows[0]?.id ?? 0;
}

/** Store a report on a message, read if nothing else is said. */
async function report(lead: TestLead, minute: number, status = 'read'): Promise<number> {
  const { rows } = await world.pool.query<{ id: number }>(
    `insert into inbox (account_id, channel_id, kind, ext_id, status, item)
     select account_id, id, 'status', $2, $4, json_build_object('occurredAt', $3::text) from channels where id = $1 returning id::int`,
    [world.whatsapp.id, lead.name, `2026-01-01T00:0${minute}:00Z`, status],
  );
  return rows[0]?.id ?? 0;
}

it('locks their messages in the order of the ids, whatever the order of the reports', async () => {
  const { app } = world;
  if (!app) throw new Error('There is no server');
  const [anna, boris] = [await world.lead('Anna'), await world.lead('Boris')];
  const [first, second] = [await sentMessage(anna), await sentMessage(boris)];
  const items = [await report(boris, 1), await report(anna, 2)];
  const other = await world.pool.connect();
  try {
    await other.query('begin');
    await other.query('select 1 from messages where id = $1 for update', [first]);
    const received = receiveItems(app.context, items);
    await world.waitUntil(
      async () =>
        (
          await world.pool.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
        ).rows.length > 0,
      'the first message is waited for',
    );
    // Fails if it is locked already: with both waiting for each other, that would be a deadlock.
    await other.query('select 1 from messages where id = $1 for update nowait', [second]);
    await other.query('commit');
    expect(await received).toBe(2);
  } finally {
    await other.query('rollback');
    other.release();
  }
  const { rows } = await world.pool.query('select status from messages where id = any($1)', [[first, second]]);
  expect(rows).toEqual([{ status: 'read' }, { status: 'read' }]);
});

it('applies those that confirm a message in the order of the vendor, not of their arrival', async () => {
  const { app } = world;
  if (!app) throw new Error('There is no server');
  const lead = await world.lead('Clara');
  const message = await sentMessage(lead);
  await world.pool.query("update messages set status = 'unconfirmed', sent_at = null where id = $1", [message]);
  await report(lead, 5, 'read');
  await report(lead, 4, 'delivered');
  await receiveReports(app.context);
  const { rows } = await world.pool.query('select status, sent_at, sent_confirmation_at from messages where id = $1', [
    message,
  ]);
  const delivered = new Date('2026-01-01T00:04:00Z');
  expect(rows).toEqual([{ status: 'read', sent_at: delivered, sent_confirmation_at: delivered }]);
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Dashboard, readDashboard } from './contract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator();
});
afterAll(() => world.close());

async function read(productId = world.productId): Promise<Dashboard> {
  const answer = await admin.call(readDashboard, { query: { product_id: productId } });
  expect(answer.status).toBe(200);
  return answer.body as Dashboard;
}

it('counts what is the product’s, by stage and by UTC day, and nothing of another', async () => {
  const empty = await read();
  expect(empty).toMatchObject({
    users: 0,
    messages: 0,
    messages_today: 0,
    new_leads: 0,
    new_leads_before: 0,
    active: 0,
  });
  expect(empty.stages).toHaveLength(8);
  expect(empty.days).toHaveLength(30);

  const anna = await world.lead('Anna', { stage: 'ongoing' });
  const boris = await world.lead('Boris', { stage: 'ongoing' });
  const clara = await world.lead('Clara', { stage: 'refused' });
  await world.pool.query("update leads set created_at = now() - interval '10 days' where id = any($1)", [
    [boris.leadId, clara.leadId],
  ]);
  const say = async (who: typeof anna, side: string, status: string, ago: string) => {
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, thread_at, scheduled_at)
       values ($1, $2, $3, $4, 'x', $5, $6, $7, now() - $8::interval, case when $7 = 'scheduled' then now() end)`,
      [
        world.productId,
        who.contactId,
        await who.dialogueId(),
        world.whatsapp.id,
        side,
        side === 'user' ? 'lead' : 'bot',
        status,
        ago,
      ],
    );
    await world.pool.query(
      'update dialogues set last_msg_created_at = greatest(last_msg_created_at, now() - $2::interval) where contact_id = $1',
      [who.contactId, ago],
    );
  };
  await say(anna, 'user', 'inbound', '0');
  await say(anna, 'bot', 'read', '0');
  await say(anna, 'bot', 'scheduled', '0');
  await say(anna, 'bot', 'cancelled', '0');
  await say(boris, 'user', 'inbound', '10 days');
  await say(boris, 'user', 'inbound', '40 days');
  const other = await world.pool.query<{ id: string }>(
    "insert into products (company_id, name) values ($1, 'Other') returning id",
    [world.companyId],
  );
  await world.lead('Dora', { productId: Number(other.rows[0]?.id), dialogue: false });

  const now = await read();
  expect(now).toMatchObject({
    users: 3,
    messages: 4,
    messages_today: 2,
    new_leads: 1,
    new_leads_before: 2,
    active: 1,
  });
  expect(
    Object.fromEntries(now.stages.filter(({ count }) => count > 0).map(({ stage, count }) => [stage, count])),
  ).toEqual({
    ongoing: 2,
    refused: 1,
  });
  const { rows } = await world.pool.query<{ today: string; before: string }>(
    `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as today,
            to_char((now() - interval '10 days') at time zone 'UTC', 'YYYY-MM-DD') as before`,
  );
  expect(now.days.filter(({ user, bot }) => user + bot > 0)).toEqual([
    { day: rows[0]?.before, user: 1, bot: 0 },
    { day: rows[0]?.today, user: 1, bot: 1 },
  ]);
  expect(now.days.at(-1)?.day).toBe(rows[0]?.today);
  expect(await read(Number(other.rows[0]?.id))).toMatchObject({ users: 1, messages: 0 });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { dialogues, messageStatuses, messages } from '../conversations/contract.ts';
import { leads } from '../leads/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Dashboard, readDashboard } from './contract.ts';
import { RECENT, recentValues, TOTAL } from './store/dashboard.ts';

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

it("counts the product's leads and messages by stage and UTC day", async () => {
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

it('counts exactly what the list behind each figure finds', async () => {
  const product = await world.pool.query<{ id: string }>(
    "insert into products (company_id, name) values ($1, 'Edges') returning id",
    [world.companyId],
  );
  const product_id = Number(product.rows[0]?.id);
  const createLead = async (name: string, ago: string) => {
    const { leadId } = await world.lead(name, { productId: product_id, dialogue: false });
    await world.pool.query(
      `update leads set created_at = (date_trunc('day', now() at time zone 'UTC') - $2::interval) at time zone 'UTC' where id = $1`,
      [leadId, ago],
    );
  };
  await createLead('First moment', '6 days');
  await createLead('Last moment before', '6 days 1 millisecond');
  await createLead('First moment before', '13 days');
  await createLead('Older', '13 days 1 millisecond');
  const edges = await read(product_id);
  expect(edges).toMatchObject({ new_leads: 1, new_leads_before: 2 });

  // The product of the first test: messages of every kind, and dialogues active now and 10 days ago.
  const figures = await read();
  const since = figures.days.at(-7)?.day;
  const total = async (answer: Promise<{ body: unknown }>) => ((await answer).body as { total: number }).total;
  const query = { product_id: [world.productId] };
  const sentStatuses = messageStatuses.filter((status) => status !== 'scheduled' && status !== 'cancelled');
  expect(figures.messages).toBe(4);
  expect(await total(admin.call(messages.list, { query: { ...query, status: sentStatuses } }))).toBe(figures.messages);
  expect(await total(admin.call(leads.list, { query: { ...query, created_from: since } }))).toBe(figures.new_leads);
  expect(await total(admin.call(dialogues.list, { query: { ...query, recent: [true] } }))).toBe(figures.active);
  const all = await total(admin.call(dialogues.list, { query }));
  const quiet = await total(admin.call(dialogues.list, { query: { ...query, recent: [false] } }));
  expect(quiet).toBeGreaterThan(0);
  expect(figures.active + quiet).toBe(all);
});

it("counts days in the product's time zone, like its lists", async () => {
  const { rows } = await world.pool.query<{ id: string }>(
    "insert into products (company_id, name, timezone) values ($1, 'Far east', 'Pacific/Auckland') returning id",
    [world.companyId],
  );
  const product_id = Number(rows[0]?.id);
  const edges = await world.pool.query<{ since: string; today: string }>(
    `select to_char(d.today - 6, 'YYYY-MM-DD') as since, to_char(d.today, 'YYYY-MM-DD') as today
       from (select (now() at time zone 'Pacific/Auckland')::date as today) d`,
  );
  const [edge] = edges.rows;
  for (const [name, ago] of [
    ['First moment', '0'],
    ['Last moment before', '1 millisecond'],
  ]) {
    const { leadId } = await world.lead(name ?? '', { productId: product_id, dialogue: false });
    await world.pool.query(
      `update leads set created_at = ($2::date)::timestamp at time zone 'Pacific/Auckland' - $3::interval where id = $1`,
      [leadId, edge?.since, ago],
    );
  }
  const figures = await read(product_id);
  expect(figures).toMatchObject({ timezone: 'Pacific/Auckland', new_leads: 1, new_leads_before: 1 });
  expect([figures.days.length, figures.days.at(-1)?.day, figures.days.at(-7)?.day]).toEqual([
    30,
    edge?.today,
    edge?.since,
  ]);
  const query = { product_id: [product_id], created_from: edge?.since, created_timezone: 'Pacific/Auckland' };
  const found = await admin.call(leads.list, { query });
  expect((found.body as { items: { name: string }[] }).items.map((one) => one.name)).toEqual(['First moment']);
});

it('counts messages and new leads with index-only scans', async () => {
  // An index-only scan needs pages that are known to be visible.
  await world.pool.query('vacuum analyze messages, leads');
  const client = await world.pool.connect();
  try {
    // A handful of rows is read faster without an index. Disabling those scans shows whether the index could be used.
    await client.query('set enable_seqscan = off; set enable_bitmapscan = off');
    for (const [text, index, scans] of [
      [TOTAL, 'messages_exchanged', 1],
      [RECENT, 'messages_exchanged', 2],
      [RECENT, 'leads_product_created', 2],
    ] as const) {
      const values = text === TOTAL ? [world.productId] : recentValues(world.productId, 'UTC', Date.now());
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan.split(`Index Only Scan using ${index} `), `${index} in ${plan}`).toHaveLength(scans + 1);
    }
  } finally {
    client.release(true);
  }
});

/** A vendor, model or sweep that hangs affects only its own work: other work continues while its calls are open. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { validate } from '../access/contract.ts';
import { findOrCreateAccount } from '../channels/account.ts';
import { allowOnAccount } from '../channels/ownership.ts';
import { classificationConfigs } from '../conversations/classificationConfigContract.ts';
import { companyLlms } from '../llm/contract.ts';
import { generate } from '../llm/settingsContract.ts';
import { products } from '../products/contract.ts';
import { prompts } from '../prompts/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, PROMPT, type TestLead, type World } from '../testing/world.ts';

const QUESTION = 'How long does delivery take?';
/** Concurrent jobs: far fewer than the calls that hang. */
const SLOTS = 4;
/** More than one run of the sweep finds. */
const HANGING_TURNS = 520;

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_CONCURRENCY: String(SLOTS), RAPPORT_SWEEP_SECONDS: '0.2' } });
  admin = await world.operator();
});
afterAll(async () => {
  // Abort the calls that still wait for a response.
  await world.control.shutdown();
  await world.close();
});

/** Create dialogues in which a lead has written; a reply has been due for a minute, unless it needs none. */
async function createTurns(productId: number, count: number, { isDue = true } = {}): Promise<void> {
  await world.pool.query(
    `with l as (insert into leads (product_id, name, stage) select $1, 'Waits ' || n, 'started' from generate_series(1, $3::int) n returning id),
          c as (insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
                select id, $1, '+7800' || 1000000 + id, 'whatsapp', '7800' || 1000000 + id, true from l returning id, address),
          d as (insert into dialogues (product_id, contact_id, channel_id, chat_id, address, turn, turn_due_at)
                select $1, id, $2, address, address, 1, case when $5 then domain_now() - interval '1 minute' end from c returning id, contact_id)
     insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, ext_id)
     select $1, contact_id, id, $2, $4, 'user', 'lead', 'inbound', 'waits ' || id from d`,
    [productId, world.whatsapp.id, count, QUESTION, isDue],
  );
}

/** Create a product of the world's company with the given model. */
async function productWith(vendor: 'chatgpt' | 'anthropic', model: string): Promise<number> {
  const body = { name: model, company_id: world.companyId };
  const product_id = ((await admin.call(products.create, { body })).body as { id: number }).id;
  await world.pool.query('update products set config = config || $2 where id = $1', [
    product_id,
    { models_config: { chatbot_model_config: { vendor, model, temperature: 0.7 } } },
  ]);
  await admin.call(prompts.create, { body: { product_id, name: 'Vera', type: 'prompt', text: PROMPT } });
  return product_id;
}

const ours = async (lead: TestLead) => (await lead.sees()).filter((one) => one.startsWith('us: '));

it('runs other sweeps while one hangs', async () => {
  const anna = await world.lead('Anna', { productId: await productWith('chatgpt', 'gpt-4o') });
  const holder = await world.pool.connect();
  await holder.query('begin');
  await holder.query('lock table amocrm_accounts in access exclusive mode');
  // In this database only: its server serves other tests too.
  const sweepWaits = async () => {
    const { rows } = await world.pool.query(
      `select 1 from pg_locks where not granted and relation = 'amocrm_accounts'::regclass
          and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.length > 0;
  };
  try {
    await world.waitUntil(sweepWaits, 'the sweep of the CRM accounts to wait');
    await anna.writes(QUESTION);
    await world.waitUntil(async () => (await ours(anna)).length === 1, 'Anna is answered');
    expect(await sweepWaits()).toBe(true);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});

it('receives, answers and sends while hundreds of dialogues wait for a hanging model', async () => {
  const credentials = { api_key: 'sk-ant-sandbox-other' };
  await admin.call(companyLlms.create, { body: { company_id: world.companyId, vendor: 'anthropic', credentials } });
  const [otherProduct, otherModelProduct] = [
    await productWith('anthropic', 'claude-sonnet-5-5'),
    await productWith('chatgpt', 'gpt-4o'),
  ];
  await world.control.setFaults([{ kind: 'openai.stall_first', match: { model: 'gpt-4o-mini' } }]);
  await createTurns(world.productId, HANGING_TURNS);
  await world.waitUntil(async () => (await world.control.quiet()).streams === SLOTS, 'as many hang as may at once');

  const others: TestLead[] = [];
  for (let index = 0; index < 12; index++)
    others.push(await world.lead(`Other ${index}`, { productId: index % 2 ? otherProduct : otherModelProduct }));
  await Promise.all(others.map((one) => one.writes(QUESTION)));
  for (const one of others)
    await world.waitUntil(async () => (await ours(one)).length === 1, `${one.name} is answered`);

  expect((await world.control.quiet()).streams).toBe(SLOTS);
  const { rows } = await world.pool.query(
    `select count(*) filter (where turn_due_at is not null)::int as waiting, count(claimed_by)::int as asked
       from dialogues where product_id = $1`,
    [world.productId],
  );
  expect(rows).toEqual([{ waiting: HANGING_TURNS, asked: SLOTS }]);
});

it("sends on other accounts and composes answers while one account's vendor hangs", async () => {
  const { app } = world;
  if (!app) throw new Error('no server');
  const ref = 'channel-of-another-account';
  const channelId = await app.context.transact(async (tx) => {
    const accountId = await findOrCreateAccount(app.context, tx, {
      vendor: 'wazzup24',
      apiKey: 'another-wazzup24-key',
    });
    await allowOnAccount(tx, accountId, world.companyId);
    const createdRow = await tx
      .insertInto('channels')
      .values({
        account_id: accountId,
        company_id: world.companyId,
        name: ref,
        number: '79990000002',
        vendor: 'wazzup24',
        channel_type: 'whatsapp',
        vendor_ref: ref,
        is_session_active: true,
        state: 'active',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return createdRow.id;
  });
  await world.control.putAccount('another-wazzup24-key', {
    channels: [{ channelId: ref, transport: 'whatsapp', plainId: '79990000002', name: 'Another' }],
  });
  await world.control.setFaults([{ kind: 'wazzup24.hang', match: { channelId: world.whatsapp.ref } }]);
  const product = await productWith('chatgpt', 'gpt-4.1');
  await createTurns(product, 3 * SLOTS);
  const count = async (statement: string) => (await world.pool.query(statement, [product])).rowCount;
  const sending = "select from messages where product_id = $1 and status = 'sending'";
  await world.waitUntil(async () => (await count(sending)) === SLOTS, 'as many sends hang as may at once');
  // The replies of the dialogues behind them are generated all the same.
  const createdMessages = "select from messages where product_id = $1 and status in ('scheduled', 'sending')";
  await world.waitUntil(async () => (await count(createdMessages)) === 3 * SLOTS, 'every answer is made');

  const other = await world.lead('Another', { dialogue: false });
  await world.pool.query(
    `with d as (insert into dialogues (product_id, contact_id, channel_id, chat_id, address) values ($1, $2, $3, $4, $4) returning id)
     insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, scheduled_at)
     select $1, $2, id, $3, 'Good morning.', 'bot', 'operator', 'olga', 'scheduled', domain_now() from d`,
    [world.productId, other.contactId, channelId, other.address],
  );
  await world.waitUntil(async () => (await ours(other)).length === 1, 'the other account sends');
  expect(await count(sending)).toBe(SLOTS);
});

it('answers lists, logins and other companies while hundreds of model calls hang', async () => {
  const silent = 'gpt-4o-mini';
  await world.control.setFaults([{ kind: 'openai.stall_first', match: { model: silent } }]);
  const { rows } = await world.pool.query<{ id: string }>(
    "insert into companies (name) values ('Basalt') returning id",
  );
  const company_id = Number(rows[0]?.id);
  const otherProduct = await world.operator('neighbour', [company_id]);
  const createdProduct = await admin.call(products.create, { body: { name: 'Tiles', company_id } });
  const credentials = { api_key: 'sk-sandbox-neighbour' };
  await admin.call(companyLlms.create, { body: { company_id, vendor: 'chatgpt', credentials } });
  const ask = (client: Client, product_id: number, model: string) =>
    client.call(generate, { body: { product_id, purpose: 'chatbot', content: QUESTION, vendor: 'chatgpt', model } });

  const calls = 256;
  const statuses: number[] = [];
  for (let call = 0; call < calls; call++)
    void ask(admin, world.productId, silent).then(
      ({ status }) => statuses.push(status),
      () => undefined,
    );
  // An operator may use a quarter of the capacity for such calls.
  await world.waitUntil(() => statuses.length >= (calls * 3) / 4, 'all but the operator’s share to be refused');
  expect(new Set(statuses)).toEqual(new Set([429]));

  expect((await admin.call(companyLlms.list)).status).toBe(200);
  expect((await admin.call(validate)).status).toBe(200);
  await world.operator('signs in meanwhile');
  const answer = await ask(otherProduct, (createdProduct.body as { id: number }).id, 'gpt-4.1');
  expect([answer.status, statuses.length < calls]).toEqual([200, true]);
});

/** Let a product classify turns with a model, and open classifications of new dialogues. */
async function openClassifications(productId: number, model: string, count: number): Promise<void> {
  const body = {
    product_id: productId,
    name: 'Judge',
    type: 'classification',
    text: 'You judge a conversation.',
  } as const;
  const { id: prompt_id } = (await admin.call(prompts.create, { body })).body as { id: number };
  const config = { interval_minutes: 60, prompt_id };
  await admin.call(classificationConfigs.create, { body: { product_id: productId, config } });
  await world.pool.query(
    `update products set config = jsonb_set(config, '{models_config}', coalesce(nullif(config->'models_config', 'null'), '{}') || $2) where id = $1`,
    [productId, { classification_model_config: { vendor: 'chatgpt', model, temperature: 0 } }],
  );
  await createTurns(productId, count, { isDue: false });
  await world.pool.query(
    'insert into classifications (product_id, dialogue_id, turn) select product_id, id, turn from dialogues where product_id = $1',
    [productId],
  );
}

it("classifies a product's turns while another's model hangs for more turns than jobs may run", async () => {
  const silent = 'gpt-4.1-mini';
  await world.control.setFaults([{ kind: 'openai.stall_first', match: { model: silent } }]);
  const [hanging, other] = [await productWith('chatgpt', 'gpt-4o'), await productWith('chatgpt', 'gpt-4o')];
  await openClassifications(hanging, silent, 3 * SLOTS);
  const claimed = 'select from classifications where product_id = $1 and claimed_by is not null';
  const countClaimed = async () => (await world.pool.query(claimed, [hanging])).rowCount;
  await world.waitUntil(async () => (await countClaimed()) === SLOTS, 'as many hang as may at once');
  await openClassifications(other, 'gpt-4.1', 1);
  const done = "select from classifications where product_id = $1 and state <> 'open'";
  await world.waitUntil(async () => (await world.pool.query(done, [other])).rowCount === 1, 'the other is classified');
  expect((await world.pool.query(done, [hanging])).rowCount).toBe(0);
});

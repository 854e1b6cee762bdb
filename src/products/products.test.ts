import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leads } from '../leads/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { DEFAULT_PRODUCT_CONFIG, type Product, productLlm, products } from './contract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web', RAPPORT_DEFAULT_CHATBOT_MODEL: 'anthropic/claude/large' } });
  admin = await world.operator('root');
});
afterAll(() => world.close());

let count = 0;
async function createProduct(body: Record<string, unknown> = {}): Promise<Product> {
  const answer = await admin.call(products.create, {
    body: { name: `Product ${++count}`, company_id: world.companyId, ...body },
  });
  expect(answer.status).toBe(201);
  return answer.body as Product;
}

const replaceProduct = (id: number, body: Record<string, unknown>) =>
  admin.call(products.replace, {
    params: { id },
    body: { name: 'Product', company_id: world.companyId, ...body },
  });

const MODEL = { vendor: 'gemini', model: 'gemini-pro', temperature: 0 };
const FULL = {
  lead_expires_in_hours: 48,
  models_config: {
    chatbot_model_config: MODEL,
    classification_model_config: { vendor: 'chatgpt', model: 'gpt', temperature: 2 },
    ping_model_config: null,
    document_model_config: { vendor: null, model: null, temperature: 0.7 },
  },
  messaging_config: {
    tg_daily_limit: 5,
    whatsapp_daily_limit: 0,
    add_interval_seconds: 0,
    add_interval_jitter_seconds: 0,
    initial_message_send_at: '23:59',
    initial_message_document_prompt_id: null,
    initial_message_prepared_message_id: null,
    initial_message_text: '  Hello, kept as typed  ',
  },
};
const FIXED =
  'A product with leads, channels, CRM integrations, webhooks or webhook deliveries cannot move to another company.';
const UNSET = { lead_expires_in_hours: 0, models_config: null, messaging_config: null };

describe('a product', () => {
  it('keeps the time zone when a PUT leaves it out', async () => {
    const product = await createProduct({ timezone: 'Europe/Moscow' });
    expect(product.timezone).toBe('Europe/Moscow');
    const response = await replaceProduct(product.id, { name: 'Renamed' });
    expect(response.body).toMatchObject({ name: 'Renamed', timezone: 'Europe/Moscow' });
    expect((await replaceProduct(product.id, { timezone: 'Asia/Tokyo' })).body).toMatchObject({
      timezone: 'Asia/Tokyo',
    });
    const refused = await replaceProduct(product.id, { timezone: 'Mars/Base' });
    expect([refused.status, refused.body]).toEqual([
      422,
      { detail: [{ loc: ['body', 'timezone'], msg: 'Unknown time zone', type: expect.any(String) }] },
    ]);
  });

  it('fills fields that are left out with their defaults', async () => {
    expect(await createProduct({ name: '  Bare  ' })).toEqual({
      id: expect.any(Number),
      name: 'Bare',
      company_id: world.companyId,
      crm_id: null,
      is_active: true,
      timezone: 'UTC',
      config: DEFAULT_PRODUCT_CONFIG,
      reply_hours: 'working',
      target_minutes: 15,
      return_to_bot_hours: null,
      hand_over: true,
      hand_over_text: '',
      round_robin: false,
      bot_reads_notes: false,
      tag_rules: [],
      outreach_paused_at: null,
      outreach_paused_by: null,
      created_at: expect.any(String),
      version: 1,
    });
    const sparse = await createProduct({
      config: { models_config: { chatbot_model_config: {} }, messaging_config: { initial_message_text: 'Hi' } },
    });
    expect(sparse.config).toEqual({
      ...DEFAULT_PRODUCT_CONFIG,
      models_config: {
        chatbot_model_config: { vendor: null, model: null, temperature: 0.7 },
        classification_model_config: null,
        ping_model_config: null,
        document_model_config: null,
      },
      messaging_config: {
        tg_daily_limit: 0,
        whatsapp_daily_limit: 0,
        add_interval_seconds: 180,
        add_interval_jitter_seconds: 0,
        initial_message_send_at: '10:30',
        initial_message_document_prompt_id: null,
        initial_message_prepared_message_id: null,
        initial_message_text: 'Hi',
      },
    });
  });

  it('keeps fields that a PUT leaves out', async () => {
    const { id } = await createProduct({ crm_id: '77', is_active: false, config: FULL, reply_hours: 'any' });
    const found = await admin.call(products.list, { query: { crm_id: ['77'] } });
    expect((found.body as { items: Product[] }).items.map((one) => one.id)).toEqual([id]);
    const response = await admin.call(products.get, { params: { id } });
    expect(response.body).toMatchObject({ crm_id: '77', is_active: false, config: FULL, reply_hours: 'any' });
    const same = await admin.call(products.replace, { params: { id }, body: {} });
    expect(same.body).toEqual(response.body);
    const answer = await admin.call(products.change, {
      params: { id },
      body: { config: { lead_expires_in_hours: 7, messaging_config: { tg_daily_limit: 8 } } },
    });
    expect(answer.body).toEqual({
      ...(response.body as Product),
      config: {
        ...DEFAULT_PRODUCT_CONFIG,
        ...FULL,
        lead_expires_in_hours: 7,
        messaging_config: { ...FULL.messaging_config, tg_daily_limit: 8 },
      },
      version: 2,
    });
  });

  it('accepts Delete Config as zeros and nulls', async () => {
    const { id } = await createProduct({ config: FULL });
    expect((await replaceProduct(id, { config: UNSET })).body).toMatchObject({ config: UNSET });
    const { rows } = await world.pool.query('select config from products where id = $1', [id]);
    expect(rows).toEqual([{ config: DEFAULT_PRODUCT_CONFIG }]);
  });

  it.each<[string, string, unknown]>([
    ['lead_expires_in_hours', 'config.lead_expires_in_hours', -1],
    ['lead_expires_in_hours', 'config.lead_expires_in_hours', 1.5],
    ['a daily limit', 'config.messaging_config.tg_daily_limit', -1],
    ['a daily limit', 'config.messaging_config.whatsapp_daily_limit', '5'],
    ['a daily limit', 'config.messaging_config.whatsapp_daily_limit', null],
    ['the interval', 'config.messaging_config.add_interval_seconds', -1],
    ['the time', 'config.messaging_config.initial_message_send_at', '24:00'],
    ['the time', 'config.messaging_config.initial_message_send_at', '9:30'],
    ['the time', 'config.messaging_config.initial_message_send_at', '10:30:00'],
    ['the text', 'config.messaging_config.initial_message_text', '  '],
    ['the text', 'config.messaging_config.initial_message_text', null],
    ['a vendor', 'config.models_config.chatbot_model_config.vendor', 'openai'],
    ['a model', 'config.models_config.chatbot_model_config.model', ''],
    ['the temperature', 'config.models_config.chatbot_model_config.temperature', 2.1],
    ['the temperature', 'config.models_config.chatbot_model_config.temperature', -0.1],
    ['the temperature', 'config.models_config.chatbot_model_config.temperature', null],
    ['an unknown field', 'config.models_config.vision_model_config', {}],
    ['an unknown field', 'config.messaging_config.surprise', 1],
    ['an unknown field', 'config.surprise', 1],
    ['is_active', 'is_active', null],
    ['is_active', 'is_active', 'yes'],
    ['name', 'name', ' '],
    ['company_id', 'company_id', 0],
  ])('refuses %s out of bounds and keeps the product: %s = %j', async (_what, path, value) => {
    const { id, name } = await createProduct({ config: FULL });
    const body = structuredClone({ name, config: FULL }) as Record<string, unknown>;
    const keys = path.split('.');
    let at = body;
    for (const key of keys.slice(0, -1)) at = at[key] as Record<string, unknown>;
    at[keys.at(-1) ?? ''] = value;
    const answer = await replaceProduct(id, body);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ detail: [{ loc: ['body', ...keys] }] });
    expect((await admin.call(products.get, { params: { id } })).body).toMatchObject({ name, config: FULL });
  });

  it('requires a first message where messaging is configured', async () => {
    const { id } = await createProduct();
    const answer = await replaceProduct(id, { config: { messaging_config: {} } });
    expect(answer.body).toEqual({
      detail: [
        {
          loc: ['body', 'config', 'messaging_config', 'initial_message_text'],
          msg: 'Either a prepared message or initial message text is required',
          type: 'custom',
        },
      ],
    });
  });

  it('neither deletes nor moves a product with leads', async () => {
    const { id } = await createProduct();
    const { rows } = await world.pool.query<{ id: string }>(
      "insert into companies (name) values ('Other') returning id",
    );
    const other = Number(rows[0]?.id);
    expect((await replaceProduct(id, { company_id: other })).body).toMatchObject({ company_id: other });
    expect((await replaceProduct(id, {})).status).toBe(200);
    await world.lead('Anna', { productId: id, dialogue: false });
    const moved = await replaceProduct(id, { company_id: other });
    expect([moved.status, moved.body]).toEqual([409, { detail: FIXED }]);
    const deletion = await admin.call(products.remove, { params: { id } });
    expect([deletion.status, deletion.body]).toEqual([
      409,
      { detail: 'This product still has 1 lead(s). Delete them first.' },
    ]);
  });

  it.each([
    [
      'CRM integrations',
      `with i as (insert into crm_integrations (company_id, name) values ($2, 'CRM') returning id)
       insert into product_integrations (product_id, company_id, crm_integration_id, config) select $1, $2, id, '{}' from i`,
    ],
    [
      'webhooks',
      `insert into webhooks (company_id, only_product_id, url, events, secret_sealed, secret_mask)
       values ($2, $1, 'https://example.com', '[]', '', '')`,
    ],
    [
      'webhook deliveries',
      `with w as (insert into webhooks (company_id, url, events, secret_sealed, secret_mask)
                    values ($2, 'https://example.com', '[]', '', '') returning id)
       insert into webhook_deliveries (webhook_id, company_id, product_id, event, event_id, event_key, payload, retry_at)
       select id, $2, $1, 'report.weekly', gen_random_uuid(), 'one', '{}', clock_timestamp() + interval '1 day' from w`,
    ],
  ])('does not move a product with %s', async (_what, statement) => {
    const { id } = await createProduct();
    const { rows } = await world.pool.query<{ id: string }>(
      "insert into companies (name) values ('Another') returning id",
    );
    await world.pool.query(statement, [id, world.companyId]);
    const moved = await replaceProduct(id, { company_id: Number(rows[0]?.id) });
    expect([moved.status, moved.body]).toEqual([409, { detail: FIXED }]);
  });

  it('does not delete a product that gets a lead meanwhile', async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await createProduct();
      const [deletion, lead] = await Promise.all([
        admin.call(products.remove, { params: { id } }),
        admin.call(leads.create, { body: { product_id: id, name: 'Late' } }),
      ]);
      expect([
        [204, 404],
        [409, 201],
      ]).toContainEqual([deletion.status, lead.status]);
    }
  });

  it('filters products by one or several companies and by being active', async () => {
    const { rows } = await world.pool.query<{ id: string }>(
      "insert into companies (name) values ('One'), ('Two'), ('Three') returning id",
    );
    const [one = 0, two = 0, three = 0] = rows.map((row) => Number(row.id));
    for (const [company_id, is_active] of [
      [one, true],
      [one, false],
      [two, true],
      [three, true],
    ] as const)
      await createProduct({ company_id, is_active });
    const found = async (query: object) =>
      ((await admin.call(products.list, { query })).body as { items: Product[] }).items.map((item) => item.company_id);
    expect(await found({ company_id: [one] })).toEqual([one, one]);
    expect(await found({ company_id: [one, two], order: 'asc' })).toEqual([one, one, two]);
    expect(await found({ company_id: [one, three], is_active: [true], order: 'asc' })).toEqual([one, three]);
    expect(await found({ company_id: [one], is_active: [true, false] })).toEqual([one, one]);
  });
});

describe('the model of a product', () => {
  const info = async (id: number) => (await admin.call(productLlm, { params: { id } })).body;

  it("uses the product's model, else the installation's", async () => {
    const { id } = await createProduct();
    const installed = { vendor: 'anthropic', model: 'claude/large', temperature: 0.7, is_default: true };
    expect(await info(id)).toEqual(installed);
    await replaceProduct(id, { config: { models_config: { chatbot_model_config: MODEL } } });
    expect(await info(id)).toEqual({ ...MODEL, is_default: false });
    await replaceProduct(id, { config: { models_config: { chatbot_model_config: { model: null, temperature: 1 } } } });
    expect(await info(id)).toEqual({ ...installed, temperature: 1 });
  });
});

/** Outgoing webhooks: what they are sent, when again, and who may set them up. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AnswerOf } from '../platform/contract.ts';
import { ids } from '../platform/ids.ts';
import type { Client } from '../testing/client.ts';
import { openWebhookReceiver, WEBHOOK_SECRET, type WebhookReceiver } from '../testing/webhookReceiver.ts';
import { createWorld, type World } from '../testing/world.ts';
import {
  readDeliveryBody,
  sendDeliveryAgain,
  testWebhook,
  type Webhook,
  type WebhookDelivery,
  webhookDeliveries,
  webhooks,
} from './contract.ts';
import { publishEvent } from './publishEvent.ts';
import { secretLocation } from './secret.ts';

let world: World;
let anna: Client;
let receiver: WebhookReceiver;
beforeAll(async () => {
  world = await createWorld();
  anna = await world.operator('anna', [world.companyId]);
  receiver = await openWebhookReceiver();
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});
afterEach(() => world.pool.query('delete from webhooks'));

const create = (more: object = {}) =>
  anna.call(webhooks.create, {
    body: {
      company_id: world.companyId,
      url: receiver.url,
      events: ['report.weekly'],
      secret: WEBHOOK_SECRET,
      ...more,
    },
  });

async function created(more: object = {}): Promise<number> {
  const { status, body } = await create(more);
  expect([status, body]).toMatchObject([201, {}]);
  return (body as Webhook).id;
}

const change = (id: number, body: object) => anna.call(webhooks.replace, { params: { id }, body });

/** Publish an event with this key, and return its id. */
async function publish(key: string, productId = world.productId): Promise<string> {
  const id = ids.next();
  const event = { type: 'report.weekly', productId, id, key, data: { key } } as const;
  await world.app?.context.transact((tx) => publishEvent(tx, event));
  return id;
}

const received = (key: string) => receiver.received.filter(({ data }) => data['key'] === key);

async function deliveriesOf(webhookId: number): Promise<WebhookDelivery[]> {
  const { body } = await anna.call(webhookDeliveries.list, { query: { webhook_id: [webhookId] } });
  return (body as AnswerOf<typeof webhookDeliveries.list>).items;
}

/** Wait until the only delivery of a webhook is in a state, without a claim. */
async function settled(webhookId: number, state: WebhookDelivery['state']): Promise<WebhookDelivery> {
  await world.waitUntil(async () => {
    const { rows } = await world.pool.query(
      'select 1 from webhook_deliveries where webhook_id = $1 and state = $2 and claimed_by is null',
      [webhookId, state],
    );
    return rows.length === 1;
  }, `the delivery is ${state}`);
  const [delivery] = await deliveriesOf(webhookId);
  if (!delivery) throw new Error('There is no delivery');
  return delivery;
}

describe('an event', () => {
  it('reaches every active webhook of its company and product that wants it, once and signed', async () => {
    const { rows } = await world.pool.query<{ id: number }>(
      "insert into products (company_id, name) values ($1, 'Other') returning id::int",
      [world.companyId],
    );
    const ofCompany = await created();
    const ofProduct = await created({ product_id: world.productId, url: `${receiver.url}product` });
    const { rows: neighbours } = await world.pool.query<{ id: number }>(
      "insert into companies (name) values ('Neighbour') returning id::int",
    );
    const admin = await world.operator();
    const { body: theirs } = await admin.call(webhooks.create, {
      body: {
        company_id: neighbours[0]?.id ?? 0,
        url: receiver.url,
        events: ['report.weekly'],
        secret: WEBHOOK_SECRET,
      },
    });
    const others = [await created({ product_id: rows[0]?.id }), await created({ is_active: false })];
    const id = await publish('once');
    await settled(ofCompany, 'delivered');
    const delivery = await settled(ofProduct, 'delivered');
    expect(delivery).toMatchObject({ event_id: id, attempts: 1, response_status: 204, error: null });
    expect(received('once').toSorted((a, b) => a.path.localeCompare(b.path))).toMatchObject([
      { id, type: 'report.weekly', path: '/', isSigned: true, timestamp: delivery.created_at },
      { id, type: 'report.weekly', path: '/product', isSigned: true },
    ]);
    for (const other of others) expect(await deliveriesOf(other)).toEqual([]);
    const ofTheirs = await admin.call(webhookDeliveries.list, { query: { webhook_id: [(theirs as Webhook).id] } });
    expect(ofTheirs.body).toMatchObject({ total: 0 });
    // The same again is no other event.
    await publish('once');
    expect(await deliveriesOf(ofCompany)).toHaveLength(1);
    expect((await anna.call(readDeliveryBody, { params: { id: delivery.id } })).body).toEqual({
      type: 'report.weekly',
      timestamp: delivery.created_at,
      data: { key: 'once' },
    });
  });

  it('is not stored if its change is not', async () => {
    const webhook = await created();
    const event = {
      type: 'report.weekly',
      productId: world.productId,
      id: ids.next(),
      key: 'undone',
      data: {},
    } as const;
    await world.app?.context
      .transact(async (tx) => {
        await publishEvent(tx, event);
        throw new Error('The change is refused');
      })
      .catch(() => undefined);
    expect(await deliveriesOf(webhook)).toEqual([]);
  });

  it.each([
    ['answers 500', { status: 500 }, /^The receiver answered 500$/],
    ['answers 404', { status: 404 }, /^The receiver answered 404$/],
    ['redirects', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, /^127\.0\.0\.1:\d+ did not answer$/],
    ['loses its answer', { status: 'lost' }, /^127\.0\.0\.1:\d+ did not answer$/],
  ] as const)('is sent again with the same id to a receiver that %s', async (how, answer, error) => {
    receiver.answerNext(answer, answer);
    const webhook = await created();
    const id = await publish(how);
    await world.waitUntil(async () => error.test((await deliveriesOf(webhook))[0]?.error ?? ''), String(error));
    expect(await settled(webhook, 'delivered')).toMatchObject({ attempts: 3, error: null });
    expect(received(how).map((one) => one.id)).toEqual([id, id, id]);
  });

  it('waits as long as a receiver asks', async () => {
    receiver.answerNext({ status: 429, headers: { 'retry-after': '1000' } });
    const webhook = await created();
    await publish('patient');
    await world.waitUntil(async () => (await deliveriesOf(webhook))[0]?.response_status === 429, 'an answer');
    const [delivery] = await deliveriesOf(webhook);
    const wait = Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.last_attempt_at ?? '');
    expect(wait / 1000).toBeGreaterThan(990);
  });

  it('has failed after three days, and is sent again when an operator asks', async () => {
    receiver.answerNext({ status: 503 }, { status: 503 });
    const webhook = await created();
    await world.pool.query(
      "alter table webhook_deliveries alter expires_at set default clock_timestamp() + interval '10 ms'",
    );
    const id = await publish('late');
    const failed = await settled(webhook, 'failed');
    await world.pool.query(
      "alter table webhook_deliveries alter expires_at set default clock_timestamp() + interval '3 days'",
    );
    expect(failed).toMatchObject({ error: 'The receiver answered 503', next_attempt_at: null });
    const again = await anna.call(sendDeliveryAgain, { params: { id: failed.id } });
    expect(again.body).toMatchObject({ id: failed.id, state: 'pending', error: null });
    expect(await settled(webhook, 'delivered')).toMatchObject({ event_id: id });
    expect(new Set(received('late').map((one) => one.id))).toEqual(new Set([id]));
    const { rows } = await world.pool.query<{ days: number }>(
      'select round(extract(epoch from expires_at - clock_timestamp()) / 86400)::int as days from webhook_deliveries where id = $1',
      [failed.id],
    );
    expect(rows).toEqual([{ days: 3 }]);
  });

  it('is not sent to an address that the rules forbid, nor tried again', async () => {
    const webhook = await created();
    await world.pool.query("update webhooks set url = 'http://10.0.0.1/' where id = $1", [webhook]);
    await publish('forbidden');
    expect(await settled(webhook, 'failed')).toMatchObject({ attempts: 1, error: 'The address is not allowed' });
  });

  it('reaches others while one receiver hangs', async () => {
    receiver.answerNext({ status: 'never' });
    const slow = await created();
    await publish('hangs');
    await world.waitUntil(async () => received('hangs').length === 1, 'the receiver hangs');
    await world.pool.query('update webhooks set is_active = false where id = $1', [slow]);
    const fast = await created();
    await publish('passes');
    await settled(fast, 'delivered');
  });

  it('that waits is given up when its webhook is switched off', async () => {
    receiver.answerNext({ status: 503, headers: { 'retry-after': '1000' } });
    const webhook = await created();
    await publish('off');
    await world.waitUntil(async () => (await deliveriesOf(webhook))[0]?.response_status === 503, 'an answer');
    await change(webhook, { is_active: false });
    const failed = await settled(webhook, 'failed');
    expect(failed.error).toBe('The webhook was switched off');
    for (const answer of [
      await anna.call(sendDeliveryAgain, { params: { id: failed.id } }),
      await anna.call(testWebhook, { params: { id: webhook } }),
    ])
      expect(answer).toMatchObject({ status: 409, body: { detail: 'The webhook is off. Switch it on first.' } });
  });

  it('is forgotten 30 days after it was settled', async () => {
    const webhook = await created();
    await publish('old');
    await settled(webhook, 'delivered');
    await publish('newer');
    await world.pool.query(
      "update webhook_deliveries set settled_at = settled_at - interval '31 days' where event_key = 'old'",
    );
    const { deleteOldDeliveries } = await import('./store/deliveries.ts');
    if (world.app) await deleteOldDeliveries(world.app.context.reader);
    expect((await settled(webhook, 'delivered')).attempts).toBe(1);
  });
});

describe('a webhook', () => {
  it('never returns its secret', async () => {
    const id = await created();
    const answers = [
      await anna.call(webhooks.list),
      await anna.call(webhooks.get, { params: { id } }),
      await change(id, { is_active: false }),
    ];
    for (const { body } of answers) expect(JSON.stringify(body)).toContain('"secret":"…');
    const { rows } = await world.pool.query<{ sealed: string }>('select secret_sealed as sealed from webhooks');
    expect(world.app?.context.cipher.decryptSecret(rows[0]?.sealed ?? '', secretLocation(id))).toBe(WEBHOOK_SECRET);
  });

  it('keeps its secret when the mask is sent back, and needs another one for another address', async () => {
    const id = await created();
    const { secret } = (await anna.call(webhooks.get, { params: { id } })).body as Webhook;
    expect((await change(id, { secret, is_active: false })).status).toBe(200);
    for (const body of [{ url: 'https://example.com/' }, { url: 'https://example.com/', secret }])
      expect(await change(id, body)).toMatchObject({
        status: 409,
        body: { detail: 'The secret belongs to the old address. Please enter another one.' },
      });
    const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(await change(id, { url: 'https://example.com/', secret: other })).toMatchObject({
      status: 200,
      body: { url: 'https://example.com/' },
    });
  });

  it.each([
    ['http://example.com/', 'The address is refused. Only https is allowed to example.com.'],
    ['https://10.1.2.3/', 'The address is refused. 10.1.2.3 is not a public address.'],
    ['https://me:word@example.com/', 'The address is refused. A URL with a user name is refused.'],
  ])('is refused for the address %s', async (url, detail) => {
    expect(await create({ url })).toMatchObject({ status: 409, body: { detail } });
  });

  it.each(['whsec_short', 'not-a-secret-of-webhooks-0123456789abcdef', `whsec_${'a'.repeat(33)}`])(
    'is refused with the secret %s',
    async (secret) => {
      expect(await create({ secret })).toMatchObject({ status: 422 });
    },
  );

  it('is refused for the product of another company, and beyond twenty of a company', async () => {
    const { rows } = await world.pool.query<{ company: number; product: number }>(
      `with c as (insert into companies (name) values ('Neighbour') returning id)
       insert into products (company_id, name) select id, 'Theirs' from c returning company_id::int as company, id::int as product`,
    );
    const admin = await world.operator();
    const body = { url: receiver.url, events: ['report.weekly' as const], secret: WEBHOOK_SECRET };
    const wrong = { ...body, company_id: world.companyId, product_id: rows[0]?.product ?? 0 };
    expect(await admin.call(webhooks.create, { body: wrong })).toMatchObject({
      status: 409,
      body: { detail: 'The product belongs to another company.' },
    });
    const answers = await Promise.all(Array.from({ length: 22 }, () => create()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  });

  it('stays with its company and product', async () => {
    const { rows } = await world.pool.query<{ id: number }>(
      "insert into companies (name) values ('Elsewhere') returning id::int",
    );
    const company_id = rows[0]?.id ?? 0;
    const id = await created();
    const admin = await world.operator();
    const refused = { status: 409, body: { detail: 'A webhook cannot move to another company or product.' } };
    expect(await admin.call(webhooks.change, { params: { id }, body: { company_id } })).toMatchObject(refused);
    expect(await change(id, { product_id: world.productId })).toMatchObject(refused);
    expect((await change(id, { company_id })).status).toBe(404);
    expect((await change(id, { company_id: world.companyId, product_id: null })).status).toBe(200);
  });

  it('sends a test to itself alone', async () => {
    const id = await created();
    await created();
    const { status, body } = await anna.call(testWebhook, { params: { id } });
    expect([status, body]).toMatchObject([201, { event: 'test', state: 'pending' }]);
    await settled(id, 'delivered');
    expect(receiver.received.at(-1)).toMatchObject({ type: 'test', isSigned: true, data: { webhook_id: id } });
  });

  it('of a product goes with it, and never becomes one of the whole company', async () => {
    const { rows } = await world.pool.query<{ id: number }>(
      "insert into products (company_id, name) values ($1, 'Short-lived') returning id::int",
      [world.companyId],
    );
    const product = rows[0]?.id ?? 0;
    const id = await created({ product_id: product });
    await publish('short', product);
    await settled(id, 'delivered');
    await world.pool.query('delete from products where id = $1', [product]);
    expect((await anna.call(webhooks.get, { params: { id } })).status).toBe(404);
    expect((await world.pool.query('select from webhook_deliveries')).rows).toEqual([]);
  });
});

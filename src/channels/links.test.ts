/** Links between products and channels: created, replaced, deleted; messages waiting to be sent are not lost. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendNew } from '../outbox/sendContract.ts';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import {
  createProductChannel,
  listProductChannels,
  type ProductChannel,
  removeProductChannel,
  replaceProductChannel,
} from './contract.ts';
import { changeOwnership } from './ownershipContract.ts';

let world: World;
let admin: Client;
let other: number;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator();
  const created = await admin.call(products.create, { body: { name: 'Wardrobes', company_id: world.companyId } });
  other = (created.body as { id: number }).id;
});
afterAll(() => world.close());

const config = (inbound: boolean, symbols: number | null = null, seconds: number | null = null) => ({
  inbound_enabled: inbound,
  delay_messages_symbols_per_second: symbols,
  delay_messages_seconds: seconds,
});
const replace = (body: Parameters<typeof link>[0], old?: number, by = admin) =>
  by.call(replaceProductChannel, { query: old === undefined ? {} : { channel_id: old }, body: link(body) });
const link = (one: { product_id?: number; channel_id?: number; config: ProductChannel['config'] }) => ({
  product_id: world.productId,
  channel_id: world.whatsapp.id,
  ...one,
});
async function links(productId = world.productId): Promise<ProductChannel[]> {
  const answer = await admin.call(listProductChannels, { query: { product_id: [productId] } });
  return (answer.body as { items: ProductChannel[] }).items;
}

beforeEach(async () => {
  await world.pool.query('delete from product_channels');
  await admin.call(createProductChannel, { body: link({ config: config(true) }) });
});

describe('a replaced link', () => {
  it('stores the new settings, and records both in the audit log', async () => {
    const answer = await replace({ config: config(false, 20, 3) });
    expect([answer.status, answer.body]).toEqual([200, { ...link({ config: config(false, 20, 3) }), version: 2 }]);
    expect(await links()).toEqual([{ ...link({ config: config(false, 20, 3) }), version: 2 }]);
    const { rows } = await world.pool.query(
      'select action, noun, row_id::int, product_id::int, before, after from audit where request_id = $1',
      [answer.headers.get('x-request-id')],
    );
    expect(rows).toEqual([
      {
        action: 'changed',
        noun: 'product_channel',
        row_id: world.whatsapp.id,
        product_id: world.productId,
        before: { ...link({ config: config(true) }), version: 1 },
        after: { ...link({ config: config(false, 20, 3) }), version: 2 },
      },
    ]);
  });

  it('moves a link to another channel', async () => {
    const moved = { channel_id: world.telegram.id, config: config(true) };
    expect((await replace(moved, world.whatsapp.id)).status).toBe(200);
    expect(await links()).toEqual([{ ...link(moved), version: 2 }]);
  });

  it('requires the link to exist and its new channel to be free', async () => {
    expect((await replace({ product_id: other, config: config(false) })).status).toBe(404);
    expect((await replace({ config: config(false) }, world.telegram.id)).status).toBe(404);
    await admin.call(createProductChannel, { body: link({ channel_id: world.telegram.id, config: config(false) }) });
    const conflict = await replace({ config: config(false) }, world.telegram.id);
    expect([conflict.status, conflict.body]).toEqual([
      409,
      { detail: 'This channel is already linked to the product.' },
    ]);
    expect(await links()).toHaveLength(2);
  });

  it('keeps one link when it is replaced several times at once', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map((seconds) => replace({ config: config(true, null, seconds) })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await links()).toHaveLength(1);
  });

  it('keeps fields that are left out, and answers 409 to an older version', async () => {
    const { id } = world.whatsapp;
    const send = (method: string, body: object, ifMatch?: string) =>
      admin.fetch(`/v1/product-channels/?channel_id=${id}`, {
        method,
        headers: { 'content-type': 'application/json', ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) },
        body: JSON.stringify({ product_id: world.productId, ...body }),
      });
    await replace({ config: config(true, 20, 3) });
    const [before] = await links();
    const same = await send('PUT', { ...before });
    expect([same.status, same.headers.get('etag'), await same.json()]).toEqual([200, '"2"', before]);
    const changed = await send('PATCH', { config: { delay_messages_seconds: 4 } }, '"2"');
    const after = { ...link({ config: config(true, 20, 4) }), version: 3 };
    expect([changed.status, changed.headers.get('etag'), await changed.json()]).toEqual([200, '"3"', after]);
    for (const method of ['PUT', 'PATCH']) {
      const late = await send(method, { config: { inbound_enabled: false } }, '"2"');
      expect([late.status, await late.json()]).toEqual([409, { detail: expect.stringMatching(/^Changed by /) }]);
    }
    const path = `/v1/product-channels/?product_id=${world.productId}&channel_id=${id}`;
    expect((await admin.fetch(path, { method: 'DELETE', headers: { 'if-match': '"2"' } })).status).toBe(409);
    expect(await links()).toEqual([after]);
  });
});

describe('inbound messages of a channel', () => {
  it("refuses a second product for a channel's inbound messages", async () => {
    const second = link({ product_id: other, config: config(true) });
    const refusal = { detail: expect.stringMatching(/^Inbound messages of this channel already go to /) };
    const created = await admin.call(createProductChannel, { body: second });
    expect([created.status, created.body]).toEqual([409, refusal]);
    expect(await links(other)).toEqual([]);
    await admin.call(createProductChannel, { body: link({ product_id: other, config: config(false) }) });
    const changed = await replace({ product_id: other, config: config(true) });
    expect([changed.status, changed.body]).toEqual([409, refusal]);
    expect(await links(other)).toEqual([{ ...link({ product_id: other, config: config(false) }), version: 1 }]);
  });

  it("keeps inbound messages where they are when the product's own link is edited", async () => {
    expect((await replace({ config: config(true, 5) })).status).toBe(200);
  });
});

it("lets a member move a link only to a channel of the product's company", async () => {
  const company = await world.pool.query<{ id: string }>("insert into companies (name) values ('Abroad') returning id");
  const abroad = Number(company.rows[0]?.id);
  const owns = (id: number, account: number) =>
    admin.call(changeOwnership, {
      params: { id: world.telegram.id },
      body: { company_id: id, shared_company_ids: [], account_company_id: account, account_shared_company_ids: [id] },
    });
  expect((await owns(abroad, world.companyId)).status).toBe(200);
  const member = await world.operator('member', [world.companyId]);
  const ofBoth = await world.operator('member of both', [world.companyId, abroad]);
  const moved = { channel_id: world.telegram.id, config: config(false) };
  expect((await replace(moved, world.whatsapp.id, member)).status).toBe(404);
  expect((await replace(moved, world.whatsapp.id, ofBoth)).status).toBe(409);
  expect((await replace(moved, world.whatsapp.id)).status).toBe(409);
  expect(await links()).toEqual([{ ...link({ config: config(true) }), version: 1 }]);
  expect((await replace({ config: config(false, 9) }, undefined, member)).status).toBe(200);
  expect((await owns(world.companyId, world.companyId)).status).toBe(200);
  expect((await replace(moved, world.whatsapp.id, member)).status).toBe(200);
});

it('sends queued messages after the link was replaced or deleted', async () => {
  const anna = await world.lead('Anna');
  const later = (text: string) =>
    admin.call(sendNew, {
      body: {
        contact_id: anna.contactId,
        channel_id: world.whatsapp.id,
        text,
        send_not_before: new Date(Date.now() + 3_600_000).toISOString(),
      },
    });
  expect((await later('First')).status).toBe(201);
  expect((await later('Second')).status).toBe(201);
  expect((await replace({ config: config(false, 20, 1) })).status).toBe(200);
  const due = (text: string) =>
    world.pool.query('update messages set scheduled_at = domain_now() where message = $1', [text]);
  await due('First');
  await world.drain();
  expect(await anna.sees()).toEqual(['us: First']);
  const deletedLink = { product_id: world.productId, channel_id: world.whatsapp.id };
  expect((await admin.call(removeProductChannel, { query: deletedLink })).status).toBe(204);
  await due('Second');
  await world.drain();
  expect(await anna.sees()).toEqual(['us: First', 'us: Second']);
});

it('lists links by page, sort order and inbound setting', async () => {
  await admin.call(createProductChannel, { body: link({ channel_id: world.telegram.id, config: config(false) }) });
  await admin.call(createProductChannel, { body: link({ product_id: other, config: config(false) }) });
  const find = async (query: object) => {
    const { items } = (await admin.call(listProductChannels, { query })).body as { items: ProductChannel[] };
    return items.map((one) => [one.product_id, one.channel_id]);
  };
  const [first, second, third] = [
    [world.productId, world.whatsapp.id],
    [world.productId, world.telegram.id],
    [other, world.whatsapp.id],
  ];
  expect(await find({})).toEqual([first, second, third]);
  const pages = await Promise.all([1, 2, 3].map((page) => find({ page, limit: 1 })));
  expect(pages).toEqual([[first], [second], [third]]);
  expect(await find({ order_by: 'product_id', order: 'desc' })).toEqual([third, second, first]);
  expect(await find({ inbound_enabled: [true] })).toEqual([first]);
  expect(await find({ inbound_enabled: [false] })).toEqual([second, third]);
  expect(await find({ created_to: '2020-01-01' })).toEqual([]);
});

/** Ownership of channels and accounts: who may use them, and how each endpoint that names one behaves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies } from '../companies/contract.ts';
import { dialogues } from '../conversations/contract.ts';
import { receiveWebhook } from '../inbox/chatbotContract.ts';
import { contacts, leads } from '../leads/contract.ts';
import { readSystemHealth, type SystemHealth } from '../monitoring/contract.ts';
import { sendNew } from '../outbox/sendContract.ts';
import type { Endpoint } from '../platform/contract.ts';
import { jsonSchemaOf } from '../platform/http/shapes.ts';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { type CompanyRowIds, createCompanyWithEveryResource, tableFingerprints } from '../testing/everyResource.ts';
import {
  endpointTitle,
  type IdPlace,
  idPlaces,
  sampleOf,
  send,
  sendSample,
  urlOf,
  withId,
} from '../testing/sampleRequests.ts';
import { rejectionStatus } from '../testing/testSocket.ts';
import { createWorld, WAZZUP_KEY, type World } from '../testing/world.ts';
import { hookAddress } from './account.ts';
import { type Channel, channels, createProductChannel, removeProductChannel } from './contract.ts';
import { changeOwnership, type Ownership, readOwnership } from './ownershipContract.ts';

let world: World;
let admin: Client;
/** A member of the company that owns the channels. */
let owner: Client;
/** A member of the other company. */
let other: Client;
let ours: number;
let theirs: number;
let rows: CompanyRowIds;
/** Created while there was only one company. */
let ofOnlyCompany: Channel;
let keys = 0;

const idOf = (answer: { body: unknown }): number => (answer.body as { id: number }).id;
const ownersOf = async (id: number) => (await admin.call(readOwnership, { params: { id } })).body as Ownership;
const updateOwners = (id: number, body: Parameters<typeof bodyOf>[0]) =>
  admin.call(changeOwnership, { params: { id }, body: bodyOf(body) });
const bodyOf = (body: {
  company_id?: number;
  shared_company_ids?: number[];
  account_company_id?: number;
  account_shared_company_ids?: number[];
}) => body;
const create = (more: { company_id?: number | null } = {}, api_key = `key-${++keys}`) =>
  admin.call(channels.create, {
    body: {
      name: `Channel ${++keys}`,
      vendor: 'wazzup24',
      channel_type: 'whatsapp',
      credentials: { api_key, channel_id: `ref-${keys}` },
      ...more,
    },
  });
const link = (by: Client, product_id: number, channel_id: number) =>
  by.call(createProductChannel, { body: { product_id, channel_id } });
const unlink = (by: Client, product_id: number, channel_id: number) =>
  by.call(removeProductChannel, { query: { product_id, channel_id } });
const companyCalled = async (name: string) => idOf(await admin.call(companies.create, { body: { name } }));

beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator();
  ours = world.companyId;
  ofOnlyCompany = (await create()).body as Channel;
  rows = await createCompanyWithEveryResource(world.pool, 'Boats');
  theirs = rows['company'] ?? 0;
  owner = await world.operator('owner', [ours]);
  other = await world.operator('other', [theirs]);
});
afterAll(() => world.close());

describe('a new channel', () => {
  it("assigns a new channel to the named company, else the account's, else the only one, else asks an admin", async () => {
    expect(ofOnlyCompany).toMatchObject({ company_id: ours, company_name: 'Kitchens Ltd' });
    expect((await create({}, WAZZUP_KEY)).body).toMatchObject({ company_id: ours });
    expect((await create({ company_id: theirs })).body).toMatchObject({ company_id: theirs, shared_company_ids: [] });
    expect((await create({ company_id: 9_000_000_000 })).status).toBe(404);
    const open = (await create()).body as Channel;
    expect(open.company_id).toBeNull();
    const unowned = async () => ((await admin.call(readSystemHealth)).body as SystemHealth).without_owner;
    expect(await unowned()).toEqual([
      { kind: 'channel', channel_id: open.id, name: open.name, vendor: 'wazzup24', used_by: [], level: 'look' },
    ]);
    expect((await updateOwners(open.id, { company_id: ours })).body).toMatchObject({
      company_id: ours,
      account_company_id: ours,
    });
    expect(await unowned()).toEqual([]);
  });

  it('changes only as the owner, not with the channel', async () => {
    const id = idOf(await create({ company_id: ours }));
    const change = (company_id: number | null) =>
      admin.call(channels.change, { params: { id }, body: { company_id, name: 'Renamed' } });
    const detail = 'A channel cannot move to another company here. Change its owner on the system page.';
    for (const one of [theirs, null]) expect(await change(one)).toMatchObject({ status: 409, body: { detail } });
    expect((await change(9_000_000_000)).status).toBe(404);
    expect(await change(ours)).toMatchObject({ status: 200, body: { name: 'Renamed', company_id: ours } });
  });

  it('refuses the key of an account that is not shared with the company', async () => {
    const key = 'key-of-ours';
    const id = idOf(await create({ company_id: ours }, key));
    expect((await create({ company_id: theirs }, key)).status).toBe(409);
    expect((await updateOwners(id, { account_shared_company_ids: [theirs] })).status).toBe(200);
    const created = await create({ company_id: theirs }, key);
    expect([created.status, created.body]).toEqual([201, expect.objectContaining({ company_id: theirs })]);
    const conflict = await updateOwners(id, { account_shared_company_ids: [] });
    expect([conflict.status, conflict.body]).toEqual([
      409,
      { detail: expect.stringContaining('would lose the account') },
    ]);
    expect((await ownersOf(id)).account_shared_company_ids).toEqual([theirs]);
  });
});

describe('a channel that is shared', () => {
  it('lets the other company use a shared channel until it is unshared, which its links prevent', async () => {
    const id = idOf(await create({ company_id: ours }));
    expect((await link(other, rows['product'] ?? 0, id)).status).toBe(404);
    expect((await updateOwners(id, { shared_company_ids: [theirs] })).status).toBe(200);
    expect((await link(other, rows['product'] ?? 0, id)).status).toBe(201);
    const channelSeen = (await other.call(channels.get, { params: { id } })).body;
    // The other company must not see the owner.
    expect(channelSeen).toMatchObject({ company_id: null, company_name: null, shared_company_ids: [theirs] });
    expect((await updateOwners(id, { shared_company_ids: [] })).status).toBe(409);
    expect((await unlink(other, rows['product'] ?? 0, id)).status).toBe(204);
    expect((await updateOwners(id, { shared_company_ids: [] })).status).toBe(200);
    expect((await other.call(channels.get, { params: { id } })).status).toBe(404);
    const { rows: entries } = await world.pool.query(
      "select before, after, company_id::int from audit where action = 'owner changed' and row_id = $1 order by id desc limit 1",
      [id],
    );
    expect(entries).toMatchObject([
      { company_id: ours, before: { shared_company_ids: [theirs] }, after: { shared_company_ids: [] } },
    ]);
  });

  it('does not reveal whose dialogue has an address', async () => {
    const id = idOf(await create({ company_id: ours }));
    await updateOwners(id, { shared_company_ids: [theirs] });
    const anna = await world.lead('Anna', { channel: { id, ref: '' } });
    const lead_id = idOf(await other.call(leads.create, { body: { product_id: rows['product'] ?? 0, name: 'Ann' } }));
    const contact = await world.pool.query<{ id: string }>(
      `insert into contacts (lead_id, product_id, contact, contact_type, address)
       values ($1, $2, $3, 'whatsapp', $3) returning id`,
      [lead_id, rows['product'], anna.address],
    );
    const contact_id = Number(contact.rows[0]?.id);
    await link(other, rows['product'] ?? 0, id);
    const tries = [
      await other.call(dialogues.create, {
        body: { product_id: rows['product'] ?? 0, contact_id, channel_id: id, chat_id: 'another' },
      }),
      await other.call(sendNew, { body: { contact_id, channel_id: id, text: 'Hello' } }),
    ];
    for (const { status, body } of tries)
      expect([status, body]).toEqual([409, { detail: 'This address already has a dialogue on this channel.' }]);
  });

  it('gives the other company no dialogue with the people of the owner', async () => {
    const id = idOf(await create({ company_id: ours }));
    await updateOwners(id, { shared_company_ids: [theirs] });
    const product_id = rows['product'] ?? 0;
    const anna = await world.lead('Anna', { channel: { id, ref: '' }, dialogue: false });
    const lead_id = idOf(await other.call(leads.create, { body: { product_id, name: 'Ann' } }));
    const contactOf = async (contact: string, contact_type: 'whatsapp' | 'telegram') =>
      idOf(await other.call(contacts.create, { body: { lead_id, product_id, contact, contact_type } }));
    const number = await contactOf('+37127772200', 'whatsapp');
    const body = { product_id, channel_id: id, contact_id: number, chat_id: null };
    const open = (change: object = {}) => other.call(dialogues.create, { body: { ...body, ...change } });
    const detail = (sentence: string) => ({ status: 409, body: { detail: sentence } });
    expect(await open()).toMatchObject(detail('The channel is not linked to the product.'));
    await link(other, product_id, id);
    const telegram = await contactOf('any_user', 'telegram');
    expect(await open({ contact_id: telegram })).toMatchObject(
      detail('This contact uses telegram; the channel is for another messenger.'),
    );
    const otherChat = detail("In WhatsApp the chat id is the contact's number.");
    expect(await open({ chat_id: anna.address })).toMatchObject(otherChat);
    const opened = await open();
    expect(opened).toMatchObject({ status: 201, body: { chat_id: null } });
    const params = { id: idOf(opened) };
    expect(await other.call(dialogues.change, { params, body: { chat_id: anna.address } })).toMatchObject(otherChat);
    await world.pool.query("update channels set channel_type = 'telegram' where id = $1", [id]);
    const learned = 'The channel belongs to another company: Rapport learns the chat id when the contact writes.';
    expect(await open({ contact_id: telegram, chat_id: '4711' })).toMatchObject(detail(learned));
    expect(await open({ contact_id: telegram })).toMatchObject({ status: 201, body: { chat_id: null } });
    // One from before, when any chat id was taken.
    await world.pool.query("update channels set channel_type = 'whatsapp' where id = $1", [id]);
    await world.pool.query('update dialogues set chat_id = $2 where id = $1', [params.id, anna.address]);
    await link(owner, world.productId, id);
    const first = { contact_id: anna.contactId, channel_id: id, text: 'Hello' };
    expect(await owner.call(sendNew, { body: first })).toMatchObject(
      detail('This address already has a dialogue on this channel.'),
    );
  });

  it('gives members of both companies no way to use it for a company it is not shared with', async () => {
    const id = idOf(await create({ company_id: ours }));
    const both = await world.operator('both', [ours, theirs]);
    expect((await link(both, rows['product'] ?? 0, id)).status).toBe(409);
    const body = { product_id: rows['product'] ?? 0, contact_id: rows['contact'] ?? 0, channel_id: id };
    expect((await both.call(dialogues.create, { body })).status).toBe(409);
  });
});

describe('a channel that several companies use, from before channels had owners', () => {
  it('has no owner until an admin chooses: linked companies keep using it, no other sees it', async () => {
    const id = idOf(await create({ company_id: ours }));
    await updateOwners(id, { shared_company_ids: [theirs] });
    expect((await link(owner, world.productId, id)).status).toBe(201);
    expect((await link(other, rows['product'] ?? 0, id)).status).toBe(201);
    await world.pool.query('update channels set company_id = null where id = $1', [id]);
    await world.pool.query(
      'update vendor_accounts set company_id = null where id = (select account_id from channels where id = $1)',
      [id],
    );
    const third = await companyCalled('Third');
    const outsider = await world.operator('third', [third]);
    const product = idOf(await admin.call(products.create, { body: { name: 'Third', company_id: third } }));
    const read = async (by: Client) => (await by.call(channels.get, { params: { id } })).status;
    expect([await read(owner), await read(other), await read(admin), await read(outsider)]).toEqual([
      200, 200, 200, 404,
    ]);
    expect([(await link(outsider, product, id)).status, (await link(admin, product, id)).status]).toEqual([404, 409]);
    const { without_owner } = (await admin.call(readSystemHealth)).body as SystemHealth;
    expect(without_owner).toMatchObject([
      {
        kind: 'channel',
        channel_id: id,
        used_by: [
          { company_id: theirs, company_name: 'Boats', products: 1, dialogues: 0 },
          { company_id: ours, company_name: 'Kitchens Ltd', products: 1, dialogues: 0 },
        ],
      },
    ]);
    expect((await updateOwners(id, { company_id: ours })).body).toMatchObject({
      company_id: ours,
      shared_company_ids: [theirs],
      account_company_id: ours,
    });
    expect([await read(owner), await read(other), await read(outsider)]).toEqual([200, 200, 404]);
    for (const [by, productId] of [
      [owner, world.productId],
      [other, rows['product'] ?? 0],
    ] as const)
      expect((await unlink(by, productId, id)).status).toBe(204);
  });
});

describe('a company that owns a channel', () => {
  it('can be deleted only without channels; its account then has no owner', async () => {
    const company = await companyCalled('Empty');
    const id = idOf(await create({ company_id: company }));
    const remove = () => admin.call(companies.remove, { params: { id: company } });
    expect((await remove()).body).toEqual({ detail: expect.stringContaining('still owns 1 channel') });
    expect((await admin.call(channels.remove, { params: { id } })).status).toBe(204);
    expect((await remove()).status).toBe(204);
  });
});

describe('messages submitted through a session', () => {
  const submit = (by: Client, channel_id: number | string) =>
    by.call(receiveWebhook, {
      body: {
        channel_id,
        messages: [{ chat_id: '79990001122', message: 'Hi', message_id: `${++keys}`, status: 'inbound' }],
      },
    });

  it('accepts messages where the operator can access the whole account, and records each call', async () => {
    const id = idOf(await create({ company_id: ours }));
    expect([(await submit(owner, id)).status, (await submit(admin, id)).status]).toEqual([200, 200]);
    const { rows: entries } = await world.pool.query(
      "select operator, company_id::int, after from audit where action = 'webhook submitted' and row_id = $1 order by id",
      [id],
    );
    const after = { messages: 1, statuses: { inbound: 1 } };
    expect(entries).toEqual([
      { operator: 'owner', company_id: ours, after },
      { operator: expect.stringMatching(/^operator/), company_id: ours, after },
    ]);
  });

  it('refuses messages where the account, a channel or a dialogue on it belongs to others', async () => {
    const sharedChannelId = idOf(await create({ company_id: ours }, 'key-lent'));
    await updateOwners(sharedChannelId, { account_company_id: theirs, account_shared_company_ids: [ours] });
    // The account is shared with the owner's company, so it is accessible; another channel of the other company is not.
    expect((await submit(owner, sharedChannelId)).status).toBe(200);
    await create({ company_id: theirs }, 'key-lent');
    expect((await submit(owner, sharedChannelId)).status).toBe(404);

    const shared = idOf(await create({ company_id: ours }));
    await updateOwners(shared, { shared_company_ids: [theirs] });
    expect((await submit(other, shared)).status).toBe(404);
    await updateOwners(shared, { account_shared_company_ids: [theirs] });
    expect((await submit(other, shared)).status).toBe(200);
    await world.lead('Boris', { channel: { id: shared, ref: '' } });
    expect((await submit(other, shared)).status).toBe(404);
    expect((await submit(owner, shared)).status).toBe(200);
    expect((await submit(admin, shared)).status).toBe(200);
  });
});

describe('every endpoint, socket and webhook that names a channel', () => {
  let endpoints: readonly Endpoint[];
  /** One channel in each state; the other company may use only the shared one. */
  let states: Record<'unlinked' | 'relinked' | 'linked' | 'shared' | 'open', number>;
  const reachedByOther = ['shared'] as const;
  const reachedByOwner = ['unlinked', 'relinked', 'linked', 'shared'] as const;
  /**
   * These name a channel otherwise than by a reference. The webhook has its own test in this file. Outcomes are those of a
   * product that the caller reaches, also on channels that it no longer uses: the id only narrows them.
   */
  const OTHERWISE = [
    'POST /v1/chatbot/webhook',
    'GET /v1/outcomes/',
    'GET /v1/outcomes/strip',
    'GET /v1/outcomes/by/step',
    'GET /v1/outcomes/by/{dimension}',
    'GET /v1/outcomes/refusals',
    'GET /v1/outcomes/response-times',
    'GET /v1/outcomes/spending',
    'GET /v1/outcomes/cohorts',
  ];

  const headersOf = ({ cookie }: Client) => ({ cookie, origin: world.url });
  const places = (): { one: Endpoint; place: IdPlace }[] =>
    endpoints.flatMap((one) =>
      idPlaces(one).flatMap((place) => (place.resource === 'channel' ? [{ one, place }] : [])),
    );
  const NO_CHANNEL = '404 {"detail":"There is no such channel."}';

  /** Call an endpoint with the caller's own rows and this channel. */
  async function ask(one: Endpoint, place: IdPlace, channel: number, by: Client, ownId: (entity: string) => number) {
    const sample = withId(one, sampleOf(one, ownId), place, channel, ownId);
    if (one.socket) return `${await rejectionStatus(world, urlOf(one, sample), headersOf(by))}`;
    const { status, text } = await sendSample(world.url, one, sample, headersOf(by));
    return `${status} ${text}`;
  }

  beforeAll(async () => {
    endpoints = world.app?.routes.map((one) => one.endpoint) ?? [];
    const created = async (company_id: number) => idOf(await create({ company_id }));
    states = {
      unlinked: await created(ours),
      relinked: await created(ours),
      linked: await created(ours),
      shared: await created(ours),
      open: idOf(await create({}, 'key-of-an-open-channel')),
    };
    expect((await ownersOf(states.open)).company_id).toBeNull();
    await updateOwners(states.shared, { shared_company_ids: [theirs] });
    for (const id of [states.unlinked, states.relinked, states.linked, states.shared]) {
      expect((await link(owner, world.productId, id)).status).toBe(201);
      await world.lead('Clara', { channel: { id, ref: '' } });
    }
    for (const id of [states.unlinked, states.relinked])
      expect((await unlink(owner, world.productId, id)).status).toBe(204);
    expect((await link(owner, world.productId, states.relinked)).status).toBe(201);
  });

  it('covers every endpoint that names a channel', () => {
    const covering = endpoints.filter(
      (one) =>
        one.path.includes('channels/{') ||
        [one.params, one.query, one.body].some((shape) =>
          Object.keys(jsonSchemaOf(shape, 'input').properties ?? {}).some((key) => /channel_ids?$/.test(key)),
        ),
    );
    const covered = new Set(places().map(({ one }) => endpointTitle(one)));
    expect(covering.map(endpointTitle).filter((one) => !covered.has(one))).toEqual(OTHERWISE);
    expect(covered.size).toBeGreaterThan(20);
    expect(endpoints.filter((one) => one.socket && covered.has(endpointTitle(one))).map(endpointTitle)).toEqual([]);
  });

  it('answers a member 404 unless the company may use the channel, and changes nothing', async () => {
    const before = await tableFingerprints(world.pool);
    const wrong: string[] = [];
    const ownId = (entity: string) => rows[entity] ?? 1;
    for (const { one, place } of places()) {
      for (const [state, id] of Object.entries(states)) {
        if (state === 'shared') continue;
        const answer = await ask(one, place, id, other, ownId);
        const expected = one.access === 'admin' ? '403 {"detail":"Only an admin may do this."}' : NO_CHANNEL;
        if (answer !== expected) wrong.push(`${endpointTitle(one)} ${state}: ${answer.slice(0, 200)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  it('lists only channels that the company may use', async () => {
    const listedIds = async (by: Client) => {
      const { items } = (await by.call(channels.list, { query: { limit: 100 } })).body as { items: Channel[] };
      const ids = new Set(items.map(({ id }) => id));
      return Object.entries(states).flatMap(([state, id]) => (ids.has(id) ? [state] : []));
    };
    expect(await listedIds(owner)).toEqual(reachedByOwner);
    expect(await listedIds(other)).toEqual(reachedByOther);
    expect(await listedIds(admin)).toEqual(Object.keys(states));
  });

  it("limits a vendor's webhook to the channels of its account", async () => {
    const app = world.app;
    const account = await world.pool.query<{ account_id: string; ref: string; theirs: string }>(
      `select a.account_id, a.vendor_ref as ref, b.account_id as theirs from channels a, channels b
        where a.id = $1 and b.id = $2`,
      [states.linked, idOf(await create({ company_id: theirs }))],
    );
    const accountRow = account.rows[0];
    if (!app || !accountRow) throw new Error('No account');
    const secret = (await hookAddress(app.context, Number(accountRow.theirs))).split('/').at(-1) ?? '';
    const before = await tableFingerprints(world.pool);
    const json = { 'content-type': 'application/json' };
    const messages = [{ chat_id: '79990001122', message: 'stop', message_id: 'x', status: 'inbound' }];
    const submitted = await send(world.url, 'POST', '/v1/chatbot/webhook', {
      headers: { ...json, authorization: `Bearer ${secret}` },
      body: JSON.stringify({ channel_id: states.linked, messages }),
    });
    expect(`${submitted.status} ${submitted.text}`).toBe(NO_CHANNEL);
    const item = {
      messageId: 'x',
      channelId: accountRow.ref,
      chatType: 'whatsapp',
      chatId: '79990001122',
      type: 'text',
    };
    const hooked = await send(world.url, 'POST', `/hooks/wazzup24/${secret}`, {
      headers: json,
      body: JSON.stringify({
        messages: [{ ...item, dateTime: new Date().toISOString(), status: 'inbound', text: 'stop' }],
      }),
    });
    expect([hooked.status, hooked.text]).toEqual([200, '{"accepted":0}']);
    expect(await tableFingerprints(world.pool)).toEqual(before);
  });

  // Runs last: these calls take effect.
  it('serves a member whose company may use the channel', async () => {
    const wrong: string[] = [];
    const mine: CompanyRowIds = { ...rows, company: ours, product: world.productId };
    for (const { one, place } of places().filter(({ one: each }) => each.access !== 'admin')) {
      const ownRows = (id: number) => (entity: string) => (entity === 'channel' ? id : (mine[entity] ?? 1));
      const answers = [
        ...reachedByOwner.map(async (state) => [
          state,
          await ask(one, place, states[state], owner, ownRows(states[state])),
        ]),
        ...reachedByOther.map(async (state) => [
          state,
          await ask(one, place, states[state], other, (entity) => rows[entity] ?? 1),
        ]),
      ];
      for (const [state, answer] of await Promise.all(answers))
        if (answer === NO_CHANNEL) wrong.push(`${endpointTitle(one)} ${state}`);
    }
    expect(wrong).toEqual([]);
  });
});

/** What cannot be read does not keep the rest of an account from being read, and is shown with its reason. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { Client } from '../testing/client.ts';
import { connectAmocrm, connectProduct, PIPELINE, STEPS } from '../testing/crm.ts';
import { createOutreachWorld, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import {
  crmDirectory,
  integrationState,
  readCrmDirectory,
  readIntegrationState,
  readSkippedItems,
  skippedItems,
  syncIntegration,
} from './amocrmContract.ts';

let world: OutreachWorld;
let operator: Client;
let integration: number;
beforeAll(async () => {
  world = await createOutreachWorld();
  operator = await world.operator();
  integration = await connectAmocrm(world, operator);
  await connectProduct(world, operator, integration);
  await world.drain();
});
afterAll(() => world.close());
afterEach(() => world.control.setFaults([]));

const params = () => ({ params: { id: integration } });
const stateNow = async () => integrationState.parse((await operator.call(readIntegrationState, params())).body);
const skippedNow = async (): Promise<z.output<typeof skippedItems>> =>
  skippedItems.parse((await operator.call(readSkippedItems, params())).body);
const syncNow = async () => {
  expect((await operator.call(syncIntegration, params())).status).toBe(200);
  await world.drain();
};
const amocrm = () => world.control.amocrm;
/** Without hooks, so that only the poll reads cards. */
const withoutHooks = () => world.control.setFaults([{ kind: 'hooks.drop', match: { account: 'amocrm' } }]);
const leadOf = async (card: number) => {
  const { rows } = await world.pool.query<{ id: string; name: string; stage: string }>(
    'select id, name, stage from leads where crm_id = $1',
    [String(card)],
  );
  return rows[0];
};
const addressesOf = async (lead: string | undefined) =>
  (
    await world.pool.query<{ address: string }>('select address from contacts where lead_id = $1 order by id', [lead])
  ).rows.map((one) => one.address);
let count = 0;
const makeCard = async (name: string, phone = `+7 900 222-33-${10 + ++count}`) =>
  amocrm().makeCard({ name, contact: { name, phone } });

describe('an account in which nothing is odd', () => {
  it('has skipped nothing', async () => {
    expect(await skippedNow()).toEqual({ counts: {}, items: [] });
  });
});

describe('a card that cannot be read', () => {
  it('is named with its reason and its link, and the others are imported', async () => {
    await withoutHooks();
    const { id: odd } = await makeCard('Odd');
    await amocrm().putOdd(`leads/${odd}`, { status_id: null });
    const { id: other } = await makeCard('Other');
    await syncNow();
    expect(await leadOf(other)).toMatchObject({ name: 'Other' });
    expect(await skippedNow()).toEqual({
      counts: { card: 1 },
      items: [
        expect.objectContaining({
          entity: 'card',
          entity_id: String(odd),
          reason: 'status_id is missing',
          url: expect.stringMatching(new RegExp(`^http://127.*/leads/detail/${odd}$`)),
        }),
      ],
    });
    expect(await stateNow()).toMatchObject({ last_error: null, last_sync: { skipped: 1 } });
    // It is tried again by the button, and named once however often it fails.
    await syncNow();
    expect((await skippedNow()).items).toMatchObject([{ entity_id: String(odd) }]);
    expect((await skippedNow()).items[0]?.times).toBeGreaterThan(1);
    await amocrm().putOdd(`leads/${odd}`, {});
    await syncNow();
    expect(await leadOf(odd)).toMatchObject({ name: 'Odd' });
    expect(await skippedNow()).toEqual({ counts: {}, items: [] });
  });

  it('is read again when it changes', async () => {
    const { id: card } = await makeCard('Changing');
    await amocrm().putOdd(`leads/${card}`, { pipeline_id: 'none' });
    await amocrm().changeCard(card, { price: 1 });
    await world.drain();
    const before = (await skippedNow()).items.map((one) => one.entity_id);
    await amocrm().putOdd(`leads/${card}`, {});
    await amocrm().changeCard(card, { price: 2 });
    await world.drain();
    expect([before, (await skippedNow()).items]).toEqual([expect.anything(), []]);
    expect(await leadOf(card)).toBeDefined();
  });

  it('is left out too if its contacts are refused, as are the fields of contacts', async () => {
    await world.control.setFaults([
      { kind: 'hooks.drop', match: { account: 'amocrm' } },
      { kind: 'amocrm.fail_before', status: 400, match: { text: 'GET /api/v4/contacts' } },
    ]);
    const { id: first } = await makeCard('First');
    const { id: second } = await amocrm().makeCard({ name: 'Second' });
    await syncNow();
    expect(await skippedNow()).toMatchObject({
      counts: { card: 1, field: 1 },
      items: [
        { entity: 'card', entity_id: String(first), reason: expect.stringContaining('400') },
        { entity: 'field' },
      ],
    });
    expect([await leadOf(first), await leadOf(second)]).toMatchObject([undefined, { name: 'Second' }]);
    await withoutHooks();
    await syncNow();
    expect(await leadOf(first)).toMatchObject({ name: 'First' });
    expect((await skippedNow()).items).toEqual([]);
  });

  it('does not stop the others when it cannot be saved', async () => {
    await withoutHooks();
    await world.pool.query("alter table leads add constraint no_such_name check (name <> 'Unsavable') not valid");
    const { id: odd } = await makeCard('Unsavable');
    const { id: other } = await makeCard('Savable');
    await syncNow();
    await world.pool.query('alter table leads drop constraint no_such_name');
    expect([await leadOf(odd), await leadOf(other)]).toMatchObject([undefined, { name: 'Savable' }]);
    expect((await skippedNow()).items).toMatchObject([{ entity_id: String(odd), reason: 'Rapport could not save it' }]);
    await syncNow();
    expect(await leadOf(odd)).toMatchObject({ name: 'Unsavable' });
    expect((await skippedNow()).items).toEqual([]);
  });
});

it('takes a card of which only the id is left for deleted', async () => {
  const { id: card } = await makeCard('Gone');
  await world.drain();
  const nothing = Object.fromEntries(
    ['name', 'price', 'status_id', 'pipeline_id', 'created_at', 'custom_fields_values'].map((key) => [key, null]),
  );
  await amocrm().putOdd(`leads/${card}`, { ...nothing, is_deleted: true });
  await amocrm().changeCard(card, { price: 3 });
  await world.drain();
  const { rows } = await world.pool.query('select note from crm_cards where card_id = $1', [card]);
  expect(rows).toEqual([{ note: 'Deleted in amoCRM' }]);
  expect((await skippedNow()).items).toEqual([]);
});

it('believes no time in the future', async () => {
  await withoutHooks();
  const { id: future } = await makeCard('Future');
  await amocrm().putOdd(`leads/${future}`, { updated_at: 4_000_000_000 });
  await syncNow();
  const { id: card } = await makeCard('Present');
  await syncNow();
  const { rows } = await world.pool.query<{ ahead: boolean }>(
    'select polled_until > extract(epoch from domain_now()) as ahead from amocrm_accounts',
  );
  expect(rows).toEqual([{ ahead: false }]);
  expect([await leadOf(future), await leadOf(card)]).toMatchObject([{ name: 'Future' }, { name: 'Present' }]);
});

describe('a contact that cannot be read', () => {
  it('is named; its card is imported, and gets the address later, however long ago that was', async () => {
    const { id: card, contact_id: contact } = await makeCard('Without contact', '+7 900 222-44-01');
    await amocrm().putOdd(`contacts/${contact}`, { id: null });
    await syncNow();
    const lead = await leadOf(card);
    const { items } = await skippedNow();
    expect([lead?.name, await addressesOf(lead?.id)]).toEqual(['Without contact', []]);
    expect(items).toMatchObject([
      { entity: 'contact', entity_id: String(contact), url: expect.stringContaining(`/contacts/detail/${contact}`) },
    ]);
    // Neither in the first step nor changed of late: nothing else reads the card again.
    await amocrm().changeCard(card, { status_id: STEPS.ongoing });
    await world.drain();
    await world.advanceClock(HOUR);
    await makeCard('Later');
    await syncNow();
    await amocrm().putOdd(`contacts/${contact}`, {});
    await syncNow();
    expect(await addressesOf(lead?.id)).toEqual(['79002224401']);
    expect((await skippedNow()).items).toEqual([]);
  });
});

describe('a directory with odd entries', () => {
  it('names them, and keeps the others', async () => {
    await amocrm().putOdd('pipelines/50002', { id: null });
    await amocrm().putOdd('fields/9001', 'not a field');
    await amocrm().putOdd('pipelines/50001', {
      _embedded: { statuses: [{ id: STEPS.initial, name: 'New lead' }, { name: 'No id' }] },
    });
    const read = await operator.call(readCrmDirectory, { ...params(), query: { refresh: true } });
    const directory = crmDirectory.parse(read.body);
    expect(directory.pipelines.map((one) => [one.id, one.steps.map((step) => step.id)])).toEqual([
      [PIPELINE, [STEPS.initial]],
    ]);
    expect(directory.lead_fields.map((one) => one.name)).toEqual(['Budget', 'Style', 'Wishes']);
    expect((await skippedNow()).counts).toEqual({ pipeline: 1, step: 1, field: 1 });
    await amocrm().putOdd('pipelines/50001', { _embedded: [], name: null });
    await amocrm().putOdd('pipelines/50002', { _embedded: { statuses: null } });
    await amocrm().putOdd('fields/9001', {});
    const again = await operator.call(readCrmDirectory, { ...params(), query: { refresh: true } });
    expect(crmDirectory.parse(again.body).pipelines.map((one) => [one.name, one.steps.length])).toEqual([
      ['50001', 0],
      ['Wardrobes', 0],
    ]);
    expect(await skippedNow()).toEqual({ counts: {}, items: [] });
    await amocrm().putOdd('pipelines/50001', {});
    await amocrm().putOdd('pipelines/50002', {});
    await operator.call(readCrmDirectory, { ...params(), query: { refresh: true } });
  });
});

describe('addresses that are refused', () => {
  it('are named with their lead; those corrected are added when somebody asks', async () => {
    const { id: card, contact_id: contact } = await makeCard('Two phones', '+7 900 222-55-01; +7 900 222 55 022');
    await world.drain();
    const lead = await leadOf(card);
    expect(await addressesOf(lead?.id)).toEqual(['79002225501']);
    expect((await skippedNow()).items).toMatchObject([
      {
        entity: 'address',
        entity_id: String(card),
        lead_id: Number(lead?.id),
        reason: '+790022255022 has a digit too many for a number in Russia',
      },
    ]);
    const fields = [
      { field_code: 'PHONE', values: [{ value: '+7 900 222-55-01', enum_code: 'WORK' }, { value: '8 900 222 55 02' }] },
    ];
    await amocrm().putOdd(`contacts/${contact}`, { custom_fields_values: fields });
    // A change of the card alone adds nothing that somebody may have removed here.
    await amocrm().changeCard(card, { price: 5 });
    await world.drain();
    expect(await addressesOf(lead?.id)).toEqual(['79002225501']);
    expect((await skippedNow()).counts).toEqual({ address: 1 });
    await syncNow();
    expect(await addressesOf(lead?.id)).toEqual(['79002225501', '79002225502']);
    expect((await skippedNow()).items).toEqual([]);
  });

  it('go with their lead', async () => {
    const { id: card } = await makeCard('Removed', '+7 900 222 66 011');
    await world.drain();
    const lead = await leadOf(card);
    expect((await skippedNow()).counts).toEqual({ address: 1 });
    expect((await operator.fetch(`/v1/leads/${lead?.id}`, { method: 'DELETE' })).status).toBe(204);
    const { rows } = await world.pool.query('select lead_id, refused_addresses from crm_cards where card_id = $1', [
      card,
    ]);
    expect(rows).toEqual([{ lead_id: null, refused_addresses: null }]);
    expect((await skippedNow()).items).toEqual([]);
  });
});

it("is not shown to another company's member", async () => {
  const { rows } = await world.pool.query<{ id: string }>("insert into companies (name) values ('Other') returning id");
  const member = await world.operator('member', [Number(rows[0]?.id)]);
  expect((await member.call(readSkippedItems, params())).status).toBe(404);
});

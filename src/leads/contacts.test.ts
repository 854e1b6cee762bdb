/** A lead is recognised by its address, whatever its notation or source; filters of the lead list. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { hookUrl, inboundItem, postHook } from '../testing/messageRows.ts';
import { createWorld, type World } from '../testing/world.ts';
import {
  type Contact,
  changeLeadStage,
  contacts,
  deactivateLead,
  eventsOfLead,
  type Lead,
  type LeadEvent,
  leads,
} from './contract.ts';

let world: World;
let olga: Client;
beforeAll(async () => {
  world = await createWorld();
  olga = await world.operator('olga');
});
afterAll(() => world.close());

async function createContact(contact: string): Promise<Contact> {
  const lead = await olga.call(leads.create, { body: { product_id: world.productId, name: contact } });
  const { id: lead_id } = lead.body as Lead;
  const body = { lead_id, product_id: world.productId, contact, contact_type: 'whatsapp' as const };
  return (await olga.call(contacts.create, { body })).body as Contact;
}

/** Deliver an inbound message and return the contact it was assigned to. */
async function receiveMessage(
  chatId: string,
  more: Record<string, unknown> = {},
): Promise<{ id: number; contact: string }> {
  await postHook(await hookUrl(world), { messages: [inboundItem(world, chatId, 'Hello', more)] });
  await world.drain();
  const { rows } = await world.pool.query<{ id: number; contact: string }>(
    'select c.id::int, c.contact from contacts c join dialogues d on d.contact_id = c.id where d.chat_id = $1',
    [chatId],
  );
  const [row] = rows;
  if (!row) throw new Error(`Nobody heard ${chatId}`);
  return row;
}

it("reads ten typed digits as a Russian number, and a vendor's ten digits as they are", async () => {
  const moscow = await createContact('4951234567');
  const other = await createContact('4791234567');
  const oslo = await createContact('+47 912 34 568');
  expect((await receiveMessage('74951234567')).id).toBe(moscow.id);
  expect((await receiveMessage('4791234568')).id).toBe(oslo.id);
  const unknownLead = await receiveMessage('4791234567');
  expect(unknownLead.id).not.toBe(other.id);
  expect(unknownLead.contact).toBe('+4791234567');
});

it('refuses an invalid address at its field when a contact is created or changed', async () => {
  const { id } = await createContact('+37120000077');
  const wrong = [
    { contact: 'nobody', contact_type: 'whatsapp' as const, msg: 'Enter a phone number with its country code' },
    {
      contact: '@a b',
      contact_type: 'telegram' as const,
      msg: 'Enter a Telegram username or a phone number with its country code',
    },
  ];
  for (const { msg, ...input } of wrong) {
    const { lead_id, product_id } = (await olga.call(contacts.get, { params: { id } })).body as Contact;
    const refused = { status: 422, body: { detail: [{ loc: ['body', 'contact'], msg, type: 'address' }] } };
    expect(await olga.call(contacts.create, { body: { lead_id, product_id, ...input } })).toMatchObject(refused);
    expect(await olga.call(contacts.replace, { params: { id }, body: input })).toMatchObject(refused);
    expect(await olga.call(contacts.change, { params: { id }, body: input })).toMatchObject(refused);
  }
});

it('makes one of two contacts the main one when both are to become it at once', async () => {
  const { lead_id } = await createContact('+37120000100');
  const body = { lead_id, product_id: world.productId, contact_type: 'whatsapp' as const, is_main: true };
  const numbers = Array.from({ length: 6 }, (_one, index) => `+3712000010${index + 1}`);
  const answers = await Promise.all(
    numbers.map((contact) => olga.call(contacts.create, { body: { ...body, contact } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(numbers.map(() => 201));
  const ids = answers.map((answer) => (answer.body as Contact).id);
  await olga.call(contacts.change, { params: { id: ids[0] ?? 0 }, body: { is_main: false } });
  const changes = await Promise.all(
    ids.map((id) => olga.call(contacts.change, { params: { id }, body: { is_main: true } })),
  );
  expect(changes.map(({ status }) => status)).toEqual(ids.map(() => 200));
  const { rows } = await world.pool.query('select from contacts where lead_id = $1 and is_main', [lead_id]);
  expect(rows).toHaveLength(1);
});

it('keeps a hidden number when the contact is saved again', async () => {
  const { id, contact } = await receiveMessage('9161234567', { chatType: 'telegram', channelId: world.telegram.ref });
  expect(contact).toBe('id:9161234567');
  const {
    id: _id,
    created_at: _at,
    lead_name: _lead,
    ...body
  } = (await olga.call(contacts.get, { params: { id } })).body as Contact;
  const saved = await olga.call(contacts.replace, { params: { id }, body: { ...body, is_main: false } });
  expect(saved.status).toBe(200);
  const { rows } = await world.pool.query('select address, is_main from contacts where id = $1', [id]);
  expect(rows).toEqual([{ address: 'id:9161234567', is_main: false }]);
});

it('filters leads by id, CRM id and pending CRM stage', async () => {
  const make = async (name: string, crm_id: string | null) =>
    (await olga.call(leads.create, { body: { product_id: world.productId, name, crm_id } })).body as Lead;
  const [anna, boris] = [await make('Anna', '501'), await make('Boris', null)];
  await world.pool.query('update leads set crm_pending = true where id = $1', [boris.id]);
  const find = async (query: object) => {
    const { items } = (await olga.call(leads.list, { query })).body as { items: Lead[] };
    return items.map((one) => one.name);
  };
  expect(await find({ id: [anna.id, boris.id], order: 'asc' })).toEqual(['Anna', 'Boris']);
  expect(await find({ crm_id: ['501', '502'] })).toEqual(['Anna']);
  expect(await find({ crm_pending: [true] })).toEqual(['Boris']);
  expect((await olga.call(leads.list, { query: { id: [999_999] } })).status).toBe(404);
});

it('lists lead events in either order and by type', async () => {
  const { id } = (await olga.call(leads.create, { body: { product_id: world.productId, name: 'Clara' } })).body as Lead;
  await olga.call(changeLeadStage, { params: { id }, query: { new_stage: 'ongoing' } });
  await olga.call(deactivateLead, { params: { id } });
  const find = async (query: object) => {
    const { items } = (await olga.call(eventsOfLead, { params: { id }, query })).body as { items: LeadEvent[] };
    return items.map((one) => one.event.event_type);
  };
  expect(await find({})).toEqual(['deactivated', 'stage_changed']);
  expect(await find({ order: 'asc' })).toEqual(['stage_changed', 'deactivated']);
  expect(await find({ event_type: ['stage_changed'] })).toEqual(['stage_changed']);
  expect(await find({ created_to: '2020-01-01' })).toEqual([]);
});

it('takes CRM fields as numbers only when they print back the same', async () => {
  const create = (crm_fields: string) =>
    fetch(`${world.url}/v1/leads/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: olga.cookie, origin: world.url },
      body: `{"product_id":${world.productId},"name":"Numbers","crm_fields":${crm_fields}}`,
    });
  for (const number of ['12345678901234567890', '1e300', '1e-7', '-9007199254740993']) {
    const answer = await create(`{"deal":${number}}`);
    expect([number, answer.status, await answer.json()]).toEqual([
      number,
      422,
      {
        detail: [
          {
            loc: ['body', 'crm_fields', 'deal'],
            msg: 'This number cannot be stored exactly. Send it as text.',
            type: 'custom',
          },
        ],
      },
    ]);
  }
  const stored = { budget: 900, rate: -0.25, deal: '12345678901234567890', wishes: ['oak'] };
  const answer = await create(JSON.stringify(stored));
  expect(answer.status).toBe(201);
  expect(await answer.json()).toMatchObject({ crm_fields: stored });
});

/** The whole cycle: an account is connected, cards become leads, stages and steps follow each other. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { changeLeadStage, lead as leadShape } from '../leads/contract.ts';
import type { Client } from '../testing/client.ts';
import { connectAmocrm, connectProduct, STEPS, UNMAPPED } from '../testing/crm.ts';
import { createWorld, type World } from '../testing/world.ts';
import {
  changeCrmStatus,
  createCrmLead,
  crmDirectory,
  integrationState,
  leadCard,
  readCrmDirectory,
  readIntegrationState,
  readLeadCard,
} from './amocrmContract.ts';

let world: World;
let operator: Client;
let integration: number;
beforeAll(async () => {
  world = await createWorld();
  operator = await world.operator();
  integration = await connectAmocrm(world, operator);
  await connectProduct(world, operator, integration);
  await world.drain();
});
afterAll(() => world.close());

async function leadOf(card: number) {
  const { rows } = await world.pool.query('select * from leads where crm_id = $1', [String(card)]);
  return z
    .array(z.looseObject({ id: z.coerce.number(), stage: z.string(), status: z.string().nullable() }))
    .parse(rows);
}
const stepOf = async (card: number) =>
  (await world.control.amocrm.board()).cards.find((one) => one.id === card)?.status_id;
const eventsOf = async (lead: number) =>
  (
    await world.pool.query<{ event_type: string }>(
      'select event_type, event_data from lead_events where lead_id = $1 order by id',
      [lead],
    )
  ).rows;

let contactCount = 0;
async function cardOf(name: string) {
  const phone = `+7 (900) 111-22-${String(10 + ++contactCount)}`;
  const { id } = await world.control.amocrm.makeCard({
    name: `Kitchen for ${name}`,
    city: 'Riga',
    contact: { name, phone },
  });
  await world.drain();
  return id;
}

describe('a connected account', () => {
  it('shows webhooks, last sync and the names to choose from', async () => {
    const answer = await operator.call(readIntegrationState, { params: { id: integration } });
    expect(integrationState.parse(answer.body)).toMatchObject({
      state: 'connected',
      hooks: 'subscribed',
      account_name: 'Demo account',
      last_error: null,
    });
    const directory = crmDirectory.parse((await operator.call(readCrmDirectory, { params: { id: integration } })).body);
    expect(directory.pipelines.map((one) => one.name)).toEqual(['Kitchens', 'Wardrobes']);
    expect(directory.pipelines[0]?.steps.map((one) => one.name)).toContain('Talking');
    expect(directory.contact_fields.map((one) => one.name)).toContain('Telegram');
  });
});

describe('a card in the first step', () => {
  it('with two numbers in a field gives the lead both, and shows which address was refused', async () => {
    const { id: card } = await world.control.amocrm.makeCard({
      name: 'Kitchen for Nina',
      city: 'Riga',
      contact: { name: 'Nina', phone: '+7 (900) 111-23-01, 8 900 111 23 02; +7 900 111 23 033' },
    });
    await world.drain();
    const [lead] = await leadOf(card);
    const { rows } = await world.pool.query('select address, is_main from contacts where lead_id = $1 order by id', [
      lead?.id,
    ]);
    expect(rows).toEqual([
      { address: '79001112301', is_main: true },
      { address: '79001112302', is_main: false },
    ]);
    const read = await operator.call(readLeadCard, { params: { id: lead?.id ?? 0 } });
    expect(leadCard.parse(read.body).card).toMatchObject({
      step: 'New lead',
      note: 'Not imported: +790011123033 has a digit too many for a number in Russia',
    });
  });

  it('gives its lead the name of the contact who gets an address later, unless somebody renamed it', async () => {
    const { makeCard, changeCard, putOdd } = world.control.amocrm;
    const names = [];
    for (const [index, renamed] of [null, 'Family Ozols'].entries()) {
      const { id: card, contact_id: anna } = await makeCard({ name: 'Kitchen for two', contact: { name: 'Anna' } });
      const other = { name: 'Boris', phone: `+7 900 111 24 0${index}` };
      const { contact_id: boris } = await makeCard({ name: 'Elsewhere', status_id: UNMAPPED, contact: other });
      await world.drain();
      const [lead] = await leadOf(card);
      expect(lead?.['name']).toBe('Anna');
      if (renamed !== null) await world.pool.query('update leads set name = $1 where id = $2', [renamed, lead?.id]);
      await putOdd(`leads/${card}`, {
        _embedded: {
          contacts: [
            { id: anna, is_main: true },
            { id: boris, is_main: false },
          ],
        },
      });
      await changeCard(card, { price: 10 });
      await world.drain();
      const { rows } = await world.pool.query('select address from contacts where lead_id = $1', [lead?.id]);
      names.push([(await leadOf(card))[0]?.['name'], rows[0]?.address]);
    }
    expect(names).toEqual([
      ['Boris', '79001112400'],
      ['Family Ozols', '79001112401'],
    ]);
  });

  it('creates one lead with contact, fields and status', async () => {
    const card = await cardOf('Anna Kalnina');
    const [lead, ...more] = await leadOf(card);
    expect(more).toEqual([]);
    expect(lead).toMatchObject({
      name: 'Anna Kalnina',
      stage: 'initial',
      status: 'New lead',
      crm_fields: { City: 'Riga' },
    });
    const { rows } = await world.pool.query('select contact_type, address, is_main from contacts where lead_id = $1', [
      lead?.id,
    ]);
    expect(rows).toEqual([{ contact_type: 'whatsapp', address: expect.stringMatching(/^7900111/), is_main: true }]);
  });

  it("follows the lead's stage, and ignores the echo of our write", async () => {
    const card = await cardOf('Boris');
    const [lead] = await leadOf(card);
    const answer = await operator.call(changeLeadStage, {
      params: { id: lead?.id ?? 0 },
      query: { new_stage: 'ongoing' },
    });
    expect(leadShape.parse(answer.body).crm_pending).toBe(true);
    await world.drain();
    expect(await stepOf(card)).toBe(STEPS.ongoing);
    expect((await leadOf(card))[0]).toMatchObject({ stage: 'ongoing', status: 'Talking', crm_pending: false });
    expect((await eventsOf(lead?.id ?? 0)).map((one) => one.event_type)).toEqual(['stage_changed']);
  });

  it('is shown with its lead: step, link and pending stage', async () => {
    const card = await cardOf('Bella');
    const [lead] = await leadOf(card);
    const params = { id: lead?.id ?? 0 };
    const show = async () => leadCard.parse((await operator.call(readLeadCard, { params })).body).card;
    expect(await show()).toMatchObject({
      id: card,
      integration_id: integration,
      url: expect.stringMatching(new RegExp(`^http://127.*/leads/detail/${card}$`)),
      pipeline: 'Kitchens',
      step: 'New lead',
      wish: null,
      error: null,
    });
    await operator.call(changeLeadStage, { params, query: { new_stage: 'ongoing' } });
    expect(await show()).toMatchObject({ step: 'New lead', wish: 'ongoing' });
    await world.drain();
    expect(await show()).toMatchObject({ step: 'Talking', wish: null });
    await world.control.amocrm.deleteCard(card);
    await world.drain();
    expect(await show()).toMatchObject({ step: null, note: 'Deleted in amoCRM' });
  });

  it('stays when the CRM is not to be updated', async () => {
    const card = await cardOf('Clara');
    const [lead] = await leadOf(card);
    const query = { new_stage: 'pending', update_in_crm: false } as const;
    const answer = await operator.call(changeLeadStage, { params: { id: lead?.id ?? 0 }, query });
    expect(leadShape.parse(answer.body)).toMatchObject({ stage: 'pending', crm_pending: false });
    await world.drain();
    expect(await stepOf(card)).toBe(STEPS.initial);
  });

  it('moves its lead when it is dragged', async () => {
    const card = await cardOf('Dora');
    await world.control.amocrm.changeCard(card, { status_id: STEPS.pending });
    await world.drain();
    const [lead] = await leadOf(card);
    expect(lead).toMatchObject({ stage: 'pending', status: 'Thinking it over', crm_pending: false });
    expect(await eventsOf(lead?.id ?? 0)).toEqual([
      {
        event_type: 'stage_changed',
        event_data: { from: 'initial', to: 'pending', by: 'amoCRM', reason: 'Step "Thinking it over"' },
      },
    ]);
  });

  it('hands over when it is dragged to an unmapped step', async () => {
    const card = await cardOf('Egon');
    const [lead] = await leadOf(card);
    const { rows } = await world.pool.query<{ id: string; address: string }>(
      'select id, address from contacts where lead_id = $1',
      [lead?.id],
    );
    await world.pool.query(
      'insert into dialogues (product_id, contact_id, channel_id, address) values ($1, $2, $3, $4)',
      [world.productId, rows[0]?.id, world.whatsapp.id, rows[0]?.address],
    );
    await world.control.amocrm.changeCard(card, { status_id: UNMAPPED });
    await world.drain();
    expect((await leadOf(card))[0]).toMatchObject({ stage: 'initial', status: 'Manager calls' });
    expect((await eventsOf(lead?.id ?? 0)).map((one) => one.event_type)).toEqual(['crm_status_changed']);
    const dialogues = await world.pool.query(
      'select owner, owner_reason, owner_reason_detail from dialogues where contact_id = $1',
      [rows[0]?.id],
    );
    expect(dialogues.rows).toEqual([
      { owner: 'human', owner_reason: 'crm_step', owner_reason_detail: 'Manager calls' },
    ]);
  });

  it('keeps the lead when it is deleted, and says so', async () => {
    const card = await cardOf('Frida');
    await world.control.amocrm.deleteCard(card);
    await world.drain();
    const [lead] = await leadOf(card);
    expect(lead).toMatchObject({ stage: 'initial', status: null });
    expect((await eventsOf(lead?.id ?? 0)).map((one) => one.event_type)).toEqual(['crm_status_changed']);
  });
});

describe('the actions', () => {
  it('moves the card by change_status, and its lead follows', async () => {
    const card = await cardOf('Greta');
    const [lead] = await leadOf(card);
    const body = { company_id: world.companyId, lead_id: lead?.id ?? 0, new_status_id: STEPS.ongoing };
    const answer = await operator.call(changeCrmStatus, { body });
    expect([answer.status, answer.body]).toEqual([200, { lead_id: lead?.id, status_id: STEPS.ongoing }]);
    expect(await stepOf(card)).toBe(STEPS.ongoing);
    expect((await leadOf(card))[0]).toMatchObject({ stage: 'ongoing', status: 'Talking' });
  });

  it('creates a card and one lead by create_lead', async () => {
    const body = { company_id: world.companyId, product_id: world.productId, name: 'Hugo' };
    const answer = await operator.call(createCrmLead, { body });
    expect(answer.status).toBe(201);
    const created = leadShape.parse(answer.body);
    await world.drain();
    expect(await leadOf(Number(created.crm_id))).toMatchObject([
      { id: created.id, stage: 'initial', status: 'New lead' },
    ]);
    expect(await stepOf(Number(created.crm_id))).toBe(STEPS.initial);
  });
});

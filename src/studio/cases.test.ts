/** Cases: from messages as they were then, by hand, and what refuses one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leads } from '../leads/contract.ts';
import { prompts } from '../prompts/contract.ts';
import type { Client } from '../testing/client.ts';
import { messagesOf } from '../testing/messageRows.ts';
import { studioRuns } from '../testing/studioRuns.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { type StudioCase, studioCases } from './caseContract.ts';

let world: World;
let anna: Client;
let promptId: number;
let lead: TestLead;
let answerId: number;
beforeAll(async () => {
  world = await createWorld();
  anna = await world.operator('anna');
  ({ promptId } = await studioRuns(world, anna));
  await world.pool.query('update products set bot_reads_notes = true, hand_over = true, hand_over_text = $1', [
    'A colleague will write.',
  ]);
  const { rows } = await world.pool.query<{ id: string }>(
    "insert into prompt_groups (product_id, name) values ($1, 'Texts') returning id",
    [world.productId],
  );
  const group_id = Number(rows[0]?.id);
  const text = await anna.call(prompts.create, {
    body: {
      product_id: world.productId,
      name: 'Taps',
      type: 'document',
      text: 'Taps of three makes',
      group_id,
      rag_description: 'About taps',
    },
  });
  lead = await world.lead('Clara Novak');
  await world.pool.query('update leads set crm_fields = $2 where id = $1', [lead.leadId, { city: 'Riga' }]);
  await world.pool.query(
    "insert into lead_documents (lead_id, product_id, name, type, document) values ($1, $2, 'Offer', 'offer', $3)",
    [lead.leadId, world.productId, { text_data: 'Our offer' }],
  );
  await world.pool.query(
    "insert into dialogue_notes (product_id, dialogue_id, operator, text) values ($1, $2, 'anna', 'Likes oak')",
    [world.productId, await lead.dialogueId()],
  );
  await lead.writes('Hello', 'How much does a kitchen cost?');
  await world.drain();
  const [answer] = await messagesOf(world, lead, 'bot');
  answerId = answer?.id ?? 0;
  // All of it changes after the answer.
  const { id, revision } = text.body as { id: number; revision: number };
  expect(revision).toBe(1);
  await anna.call(prompts.change, { params: { id }, body: { text: 'Taps of nine makes', version: 1 } });
  await anna.call(leads.change, {
    params: { id: lead.leadId },
    body: { name: 'Clara Berg', crm_fields: { city: 'Oslo' } },
  });
  await world.pool.query(
    "insert into dialogue_notes (product_id, dialogue_id, operator, text) values ($1, $2, 'anna', 'Wants ash')",
    [world.productId, await lead.dialogueId()],
  );
  await world.pool.query(
    "insert into lead_documents (lead_id, product_id, name, type, document, created_at) values ($1, $2, 'Offer 2', 'offer', '{\"text_data\": \"Another\"}', domain_now() + interval '1 second')",
    [lead.leadId, world.productId],
  );
  await lead.writes('Thanks!');
  await world.drain();
});
afterAll(() => world.close());

async function create(body: object): Promise<{ status: number; body: StudioCase & { detail?: unknown } }> {
  const response = await anna.fetch('/v1/studio/cases/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ product_id: world.productId, ...body }),
  });
  return { status: response.status, body: (await response.json()) as StudioCase };
}

describe('a case from a message', () => {
  it('from the sentence of a hand-over lets the model hand over again', async () => {
    const other = await world.lead('Dora');
    await other.writes('I want to talk to a human');
    await world.drain();
    const [sentence] = await messagesOf(world, other, 'bot');
    const { body } = await create({ from_message_id: sentence?.id, source: 'keep' });
    expect(body.facts.may_hand_over).toBe(true);
  });

  it('holds the dialogue up to the answer, and the facts as they were when it was given', async () => {
    const { status, body } = await create({ from_message_id: answerId, source: 'keep' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      prompt_id: promptId,
      name: 'How much does a kitchen cost?',
      message_id: answerId,
      lead_id: lead.leadId,
      author: 'anna',
      history: [
        { side: 'user', text: 'Hello', kind: 'text' },
        { side: 'user', text: 'How much does a kitchen cost?', kind: 'text' },
      ],
      facts: {
        lead: { name: 'Clara Novak', stage: 'ongoing', crm_fields: { city: 'Riga' } },
        contact: { contact: lead.address, type: 'whatsapp' },
        documents: { offer: 'Our offer' },
        texts: [{ name: 'Taps', version: 1, text: 'Taps of three makes', description: 'About taps' }],
        notes: [{ operator: 'anna', text: 'Likes oak' }],
        may_hand_over: true,
        as_of_creation: [],
      },
      answer: 'Hello, Clara! A kitchen costs from 4200 euros.',
      requirements: [{ kind: 'keeps', text: 'Hello, Clara! A kitchen costs from 4200 euros.' }],
      rubric: null,
    });
    const { rows } = await world.pool.query<{ at: Date }>('select created_at as at from messages where id = $1', [
      answerId,
    ]);
    expect(Math.abs(Date.parse(body.facts.now) - (rows[0]?.at.getTime() ?? 0))).toBeLessThan(60_000);
  });

  it('says which facts are only known as they are now', async () => {
    await world.pool.query('update messages set rendered_prompt = null where id = $1', [answerId]);
    const { body } = await create({ from_message_id: answerId, source: 'keep' });
    expect(body.facts).toMatchObject({
      lead: { name: 'Clara Berg', stage: 'ongoing', crm_fields: { city: 'Oslo' } },
      notes: [{ text: 'Likes oak' }],
      as_of_creation: ['lead', 'contact', 'notes'],
    });
  });

  it('makes its requirements from what should be said, or never', async () => {
    const never = await create({ from_message_id: answerId, source: 'never', requirements: [{ kind: 'known_facts' }] });
    expect(never.body.requirements).toEqual([{ kind: 'never', text: never.body.answer }, { kind: 'known_facts' }]);
    const better = await create({ from_message_id: answerId, source: 'should_say', should_say: 'From 5000 euros.' });
    expect(better.body).toMatchObject({
      answer: 'From 5000 euros.',
      requirements: [{ kind: 'keeps', text: 'From 5000 euros.' }],
      rubric: 'Says what this says: From 5000 euros.',
    });
  });

  it('is refused for a message that answers nothing, and for one of another product', async () => {
    const [question] = await messagesOf(world, lead, 'user');
    expect(await create({ from_message_id: question?.id, source: 'keep' })).toMatchObject({ status: 409 });
    const { rows } = await world.pool.query<{ id: string }>(
      "insert into products (company_id, name) values ($1, 'Doors') returning id",
      [world.companyId],
    );
    const doors = Number(rows[0]?.id);
    expect(await create({ product_id: doors, from_message_id: answerId, source: 'keep' })).toMatchObject({
      status: 404,
    });
    expect(
      await create({ product_id: doors, prompt_id: promptId, history: [{ side: 'user', text: 'Hi' }] }),
    ).toMatchObject({
      status: 404,
    });
    expect(
      await create({ product_id: doors, lead_id: lead.leadId, history: [{ side: 'user', text: 'Hi' }] }),
    ).toMatchObject({
      status: 404,
    });
  });
});

describe('a case by hand', () => {
  const HISTORY = [{ side: 'user', text: 'Do you sell sinks?' }];

  it('has the facts of a sample lead, or of the lead that it is written for, with which it is deleted', async () => {
    const sample = await create({ history: HISTORY, requirements: [{ kind: 'no_tool' }] });
    expect(sample.body).toMatchObject({ source: 'manual', lead_id: null, facts: { lead: { name: 'Anna Example' } } });
    const other = await world.lead('Dora');
    const ofLead = await create({
      history: HISTORY,
      lead_id: other.leadId,
      source: 'keep',
      answer: 'Yes, from 90 euros.',
    });
    expect(ofLead.body).toMatchObject({
      lead_id: other.leadId,
      facts: { lead: { name: 'Dora' } },
      requirements: [{ kind: 'keeps', text: 'Yes, from 90 euros.' }],
    });
    expect((await anna.call(leads.remove, { params: { id: other.leadId } })).status).toBe(204);
    expect((await anna.call(studioCases.get, { params: { id: ofLead.body.id } })).status).toBe(404);
    const { rows } = await world.pool.query(
      "select before, after from audit where noun = 'studio_case' and row_id = $1",
      [ofLead.body.id],
    );
    expect(rows).toEqual([{ before: null, after: null }]);
  });

  it.each([
    ['no dialogue', {}, 422],
    ['no better answer', { history: HISTORY, source: 'should_say' }, 422],
    ['no answer to keep', { history: HISTORY, source: 'keep' }, 422],
    [
      'a pattern that RE2 does not know',
      { history: HISTORY, requirements: [{ kind: 'matches', pattern: '(?=x)' }] },
      409,
    ],
    ['a prompt of another type', { history: HISTORY, prompt_type: 'classification', prompt_id: 1 }, 409],
    [
      'a field of JavaScript',
      { history: HISTORY, facts: JSON.parse('{"lead":{"name":"A","crm_fields":{"__proto__":1}}}') },
      422,
    ],
  ])('is refused with %s', async (_what, body, status) => {
    expect((await create(body)).status).toBe(status);
  });

  it.each([
    ['2026-01-15T09:30:00Z', '2026-01-15T09:30:00.000Z'],
    ['2026-01-15T12:30:00.5+03:00', '2026-01-15T09:30:00.500Z'],
  ])('is told the time as any client writes it: %s', async (now, stored) => {
    const facts = { lead: { name: 'Anna' }, contact: { contact: '79990000001', type: 'whatsapp' }, now };
    const { status, body } = await create({ history: HISTORY, facts });
    expect([status, body.facts.now]).toEqual([201, stored]);
    const changed = await anna.call(studioCases.change, { params: { id: body.id }, body: { facts: { now } } });
    expect(changed).toMatchObject({ status: 200, body: { facts: { now: stored } } });
  });

  it('changes its requirements, which is a new version of it', async () => {
    const { body } = await create({ history: HISTORY });
    const changed = await anna.call(studioCases.change, {
      params: { id: body.id },
      body: { requirements: [{ kind: 'max_questions', count: 2 }] },
    });
    expect(changed.body).toMatchObject({ version: 2, requirements: [{ kind: 'max_questions', count: 2 }] });
    const bad = await anna.call(studioCases.change, {
      params: { id: body.id },
      body: { requirements: [{ kind: 'not_matches', pattern: '(' }] },
    });
    expect(bad.status).toBe(409);
  });
});

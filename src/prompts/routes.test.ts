import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classificationConfigs, renderForLead } from '../conversations/classificationConfigContract.ts';
import { pingConfigs } from '../outreach/contract.ts';
import { type Product, products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { replacements, singleTypes } from './activePrompts.ts';
import {
  documentPrompts,
  type Prompt,
  type PromptUse,
  preparedMessages,
  promptGroups,
  promptOfProduct,
  prompts,
  promptsInUse,
  versionsOfPrompt,
} from './contract.ts';

let world: World;
let vera: Client;
let olga: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  vera = await world.operator('vera');
  olga = await world.operator('olga');
});
afterAll(() => world.close());

async function createRow(more: Partial<{ name: string; text: string; type: Prompt['type']; group_id: number }> = {}) {
  const answer = await vera.call(prompts.create, {
    body: { product_id: world.productId, name: 'Consultant', type: 'ping', text: 'First', ...more },
  });
  expect(answer.status).toBe(201);
  return answer.body as Prompt;
}

const idOf = (answer: { body: unknown }): number => (answer.body as { id: number }).id;

describe('a text shown for a lead', () => {
  const render = async (leadId: number, text: string, kind: 'prompt' | 'message') => {
    const body = { product_id: world.productId, lead_id: leadId, text, kind };
    return (await vera.call(renderForLead, { body })).body;
  };

  it('fills in the first name, which is empty for a company', async () => {
    const [ivan, firm] = [await world.lead('Иванов Иван'), await world.lead('ООО Ромашка')];
    const text = "Hello {{ lead.first_name | default: 'there' }}!";
    expect(await render(ivan.leadId, text, 'message')).toMatchObject({
      text: 'Hello Иван!',
      missing: null,
      unknown: [],
    });
    expect(await render(firm.leadId, text, 'message')).toMatchObject({ text: 'Hello there!', missing: null });
  });

  it('refuses a preview whose loops take too long, even without output', async () => {
    const { leadId } = await world.lead('Loop');
    const text = '{% for a in (1..1300) %}{% for b in (1..1300) %}{% endfor %}{% endfor %}';
    expect(await render(leadId, text, 'prompt')).toMatchObject({
      text: null,
      error: expect.stringContaining('The template takes longer than 50 ms to fill in'),
    });
  });

  it('names the empty variable that holds a message back; a prompt has none', async () => {
    const { leadId } = await world.lead('ООО Лютик');
    const text = 'Hello {{ lead.first_name }}!';
    expect(await render(leadId, text, 'message')).toMatchObject({ text: 'Hello !', missing: 'lead.first_name' });
    expect(await render(leadId, text, 'prompt')).toMatchObject({ text: 'Hello !', missing: null });
  });
});

const usesNow = async () => {
  const answer = await vera.call(promptsInUse, { params: { product_id: world.productId } });
  expect(answer.status).toBe(200);
  return (answer.body as { items: PromptUse[] }).items;
};

describe('which prompt is in use', () => {
  it('reports the prompt that the server uses, for every type', async () => {
    const product_id = world.productId;
    const group = idOf(await vera.call(promptGroups.create, { body: { product_id, name: 'Looked up' } }));
    const of = async (type: Prompt['type'], name: string, more: { text?: string; group_id?: number } = {}) =>
      createRow({ type, name, ...more });
    const older = await of('qualification', 'Qualified, first');
    const newer = await of('qualification', 'Qualified, second');
    await of('qualification', 'Qualified, looked up', { group_id: group });
    const judge = await of('classification', 'Judge');
    await of('classification', 'Judge that nobody chose');
    const step = await of('ping', 'Step');
    await of('ping', 'Step that nobody chose');
    const offer = await of('document', 'Offer');
    await of('document', 'Offer that nobody writes');
    const hours = await of('subprompt', 'Hours');
    await of('subprompt', 'Prices');
    const bot = await of('prompt', 'Bot', { text: "Open: {% render 'Hours' %}" });
    const byId = async () => Object.fromEntries((await usesNow()).map((one) => [one.prompt_id, one]));
    const of_a = (use: string, is_on = true) => expect.objectContaining({ use, is_on });

    // Classification is off, so no prompt has to confirm it.
    expect((await byId())[newer.id]).toMatchObject({ is_on: false, next: { id: older.id, name: older.name } });
    const config = { interval_minutes: 5, prompt_id: judge.id };
    const classifying = await vera.call(classificationConfigs.create, { body: { product_id, config } });
    const steps = [{ step_number: 1, after_minutes: 60, prompt_id: step.id, prepared_message_id: null }];
    const pings = await vera.call(pingConfigs.create, {
      body: { product_id, is_enabled: false, config: { steps, use_on_no_init_msg_reply: true } },
    });
    const document = await vera.call(documentPrompts.create, {
      body: { product_id, prompt_id: offer.id, document_type: 'offer', name: 'Offer' },
    });
    const used = await byId();
    expect(used).toEqual({
      [bot.id]: of_a('product'),
      [newer.id]: of_a('product'),
      [judge.id]: of_a('classification'),
      [step.id]: of_a('ping_step', false),
      [offer.id]: of_a('document_prompt'),
      [hours.id]: of_a('included'),
    });
    for (const type of singleTypes) {
      const answer = await vera.call(promptOfProduct, { params: { product_id }, query: { type } });
      const active = Object.values(used).find((one) => one.place === type);
      expect(active?.prompt_id).toBe(answer.status === 404 ? undefined : idOf(answer));
    }
    for (const [crud, one] of [
      [classificationConfigs, classifying],
      [pingConfigs, pings],
      [documentPrompts, document],
    ] as const)
      expect((await vera.call(crud.remove, { params: { id: idOf(one) } })).status).toBe(204);
  });

  it('predicts before a prompt is saved which one it replaces', async () => {
    const first = await createRow({ type: 'refusal_qualification', name: 'First' });
    const second = await createRow({ type: 'ping', name: 'Second' });
    const { name } = second;
    const next = { name, type: 'refusal_qualification' as const, group_id: null, isLive: true };
    expect(replacements(await usesNow(), null, next)).toEqual([
      { replaced: { id: first.id, name: 'First' }, successor: 'saved' },
    ]);
    expect(replacements(await usesNow(), second, next)).toHaveLength(1);
    expect(replacements(await usesNow(), second, { ...next, type: 'ping' })).toEqual([]);
    // A draft replaces nothing before it is published, as a prompt that was never live leaves no place.
    expect(replacements(await usesNow(), null, { ...next, isLive: false })).toEqual([]);
    const draft = { ...second, ...next, live_version: null };
    expect(replacements(await usesNow(), draft, next)).toHaveLength(1);
    expect(replacements(await usesNow(), draft, { ...next, type: 'ping', isLive: false })).toEqual([]);
    await vera.call(prompts.change, { params: { id: second.id }, body: { type: 'refusal_qualification' } });
    const uses = await usesNow();
    expect(uses.find((one) => one.place === 'refusal_qualification')?.prompt_id).toBe(second.id);
    // Reverting the change, and a rename.
    expect(replacements(uses, { ...second, ...next }, { ...next, type: 'ping' })).toEqual([
      { replaced: { id: second.id, name }, successor: { id: first.id, name: 'First' } },
    ]);
    expect(replacements(uses, { ...second, ...next }, { ...next, name: 'Another' })).toEqual([]);
    // An older prompt that gets the type stays behind the newer one.
    expect(replacements(uses, { ...first, type: 'ping' }, { ...next, name: 'First' })).toEqual([]);
    for (const { id } of [first, second]) await vera.call(prompts.remove, { params: { id } });
  });
});

describe('a prompt', () => {
  it('keeps every saved version with its author, newest first', async () => {
    const { id, version, author } = await createRow();
    expect([version, author]).toEqual([1, 'vera']);
    const whole = { product_id: world.productId, name: 'Consultant', type: 'ping' as const };
    await olga.call(prompts.replace, { params: { id }, body: { ...whole, text: 'Second', version: 1 } });
    await vera.call(prompts.change, { params: { id }, body: { text: 'Third' } });
    await vera.call(prompts.change, { params: { id }, body: { name: 'Another name' } });
    await vera.call(prompts.change, { params: { id }, body: { text: 'Third' } });
    // Restoring an old text creates a new version too.
    await olga.call(prompts.change, { params: { id }, body: { text: 'First' } });
    const history = await vera.call(versionsOfPrompt, { query: { prompt_id: id } });
    expect(history.body).toMatchObject({
      total: 4,
      items: [
        { version: 4, text: 'First', author: 'olga' },
        { version: 3, text: 'Third', author: 'vera' },
        { version: 2, text: 'Second', author: 'olga' },
        { version: 1, text: 'First', author: 'vera' },
      ],
    });
    // Another prompt has versions with the same numbers.
    await createRow({ name: 'Somebody else’s', text: 'Not to be shown here' });
    const second = await vera.call(versionsOfPrompt, { query: { prompt_id: id, page: 2, limit: 3 } });
    expect(second.body).toMatchObject({ total: 4, items: [{ version: 1, text: 'First', author: 'vera' }] });
    const oldest = await vera.call(versionsOfPrompt, { query: { prompt_id: id, order: 'asc', limit: 1 } });
    expect(oldest.body).toMatchObject({ items: [{ version: 1 }] });
    expect((await vera.call(prompts.get, { params: { id } })).body).toMatchObject({
      name: 'Another name',
      text: 'First',
      version: 4,
      author: 'olga',
    });
  });

  it('refuses to overwrite a version saved by another operator meanwhile', async () => {
    const { id } = await createRow();
    await olga.call(prompts.change, { params: { id }, body: { text: 'Of Olga', version: 1 } });
    const late = await vera.call(prompts.change, { params: { id }, body: { text: 'Of Vera', version: 1 } });
    expect(late.status).toBe(409);
    expect(late.body).toEqual({ detail: expect.stringMatching(/^Changed by olga at \d{4}-.+Z$/) });
    expect((await vera.call(prompts.get, { params: { id } })).body).toMatchObject({ text: 'Of Olga', version: 2 });
  });

  it('keeps a version for each of many concurrent saves', async () => {
    const { id } = await createRow();
    await Promise.all(
      Array.from({ length: 10 }, (_one, index) =>
        vera.call(prompts.change, { params: { id }, body: { text: `Text ${index}` } }),
      ),
    );
    const history = await vera.call(versionsOfPrompt, { query: { prompt_id: id, limit: 100 } });
    expect(history.body).toMatchObject({ total: 11 });
  });

  it('uses the newest prompt of a type without a group', async () => {
    const group = await vera.call(promptGroups.create, { body: { product_id: world.productId, name: 'Facts' } });
    const own = await createRow({ type: 'qualification', text: 'Own' });
    await createRow({ type: 'qualification', text: 'Grouped', group_id: idOf(group) });
    const found = await vera.call(promptOfProduct, {
      params: { product_id: world.productId },
      query: { type: 'qualification' },
    });
    expect(found.body).toMatchObject({ id: own.id });
    const none = await vera.call(promptOfProduct, {
      params: { product_id: world.productId },
      query: { type: 'refusal_qualification' },
    });
    expect(none.status).toBe(404);
  });

  it('records in the audit log who changed what', async () => {
    const { id } = await createRow();
    await olga.call(prompts.change, { params: { id }, body: { text: 'Audited' } });
    const { rows } = await world.pool.query(
      `select operator, action, before->>'text' as before, after->>'text' as after from audit
        where noun = 'prompt' and row_id = $1 order by id`,
      [id],
    );
    expect(rows).toEqual([
      { operator: 'vera', action: 'created', before: null, after: 'First' },
      { operator: 'olga', action: 'changed', before: 'First', after: 'Audited' },
    ]);
  });
});

describe('a text that settings refer to', () => {
  it('is not deleted, and the refusal counts the references', async () => {
    const { id: promptId } = await createRow({ name: 'Used' });
    const prepared = await vera.call(preparedMessages.create, {
      body: { product_id: world.productId, name: 'Used', type: 'ping', message: 'Still there?' },
    });
    const document = await vera.call(documentPrompts.create, {
      body: { product_id: world.productId, prompt_id: promptId, document_type: 'offer', name: 'Offer' },
    });
    const step = { after_minutes: 60 };
    const pings = await vera.call(pingConfigs.create, {
      body: {
        product_id: world.productId,
        config: {
          steps: [
            { ...step, step_number: 1, prompt_id: promptId },
            { ...step, step_number: 2, prepared_message_id: idOf(prepared) },
          ],
        },
      },
    });
    const classes = await vera.call(classificationConfigs.create, {
      body: { product_id: world.productId, config: { interval_minutes: 30, prompt_id: promptId } },
    });
    expect([document.status, pings.status, classes.status]).toEqual([201, 201, 201]);
    // A message that became one for first messages keeps its place in the follow-ups.
    await vera.call(preparedMessages.change, { params: { id: idOf(prepared) }, body: { type: 'initial' } });
    const product = await vera.call(products.get, { params: { id: world.productId } });
    const { name, company_id, crm_id, is_active, config } = product.body as Product;
    const messaging_config = { initial_message_prepared_message_id: idOf(prepared) };
    const changed = await vera.call(products.replace, {
      params: { id: world.productId },
      body: { name, company_id, crm_id, is_active, config: { ...config, messaging_config } },
    });
    expect(changed.status).toBe(200);

    expect(await vera.call(prompts.remove, { params: { id: promptId } })).toMatchObject({
      status: 409,
      body: {
        detail:
          'This prompt is still used by 1 document prompt(s), 1 ping step(s), 1 classification configuration(s). Change that first.',
      },
    });
    expect(await vera.call(preparedMessages.remove, { params: { id: idOf(prepared) } })).toMatchObject({
      status: 409,
      body: {
        detail: 'This prepared message is still used by 1 first message setting(s), 1 ping step(s). Change that first.',
      },
    });
    for (const [endpoint, answer] of [
      [classificationConfigs, classes],
      [pingConfigs, pings],
      [documentPrompts, document],
    ] as const)
      expect((await vera.call(endpoint.remove, { params: { id: idOf(answer) } })).status).toBe(204);
    expect((await vera.call(prompts.remove, { params: { id: promptId } })).status).toBe(204);
  });

  it("answers 404 for another product's text", async () => {
    const other = await vera.call(products.create, { body: { company_id: world.companyId, name: 'Other' } });
    const { id: promptId } = await createRow();
    const group = await vera.call(promptGroups.create, { body: { product_id: idOf(other), name: 'Theirs' } });
    const refused = [
      await vera.call(prompts.change, { params: { id: promptId }, body: { group_id: idOf(group) } }),
      await vera.call(documentPrompts.create, {
        body: { product_id: idOf(other), prompt_id: promptId, document_type: 'offer', name: 'Offer' },
      }),
      await vera.call(pingConfigs.create, {
        body: {
          product_id: idOf(other),
          config: { steps: [{ step_number: 1, after_minutes: 1, prompt_id: promptId }] },
        },
      }),
      await vera.call(classificationConfigs.create, {
        body: { product_id: idOf(other), config: { interval_minutes: 1, prompt_id: promptId } },
      }),
      await vera.call(products.create, {
        body: {
          company_id: world.companyId,
          name: 'Third',
          config: { messaging_config: { initial_message_prepared_message_id: 1, initial_message_text: 'Hi' } },
        },
      }),
    ];
    expect(refused.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404]);
  });

  it('does not delete a group with prompts', async () => {
    const group = await vera.call(promptGroups.create, { body: { product_id: world.productId, name: 'Full' } });
    await createRow({ group_id: idOf(group) });
    expect(await vera.call(promptGroups.remove, { params: { id: idOf(group) } })).toMatchObject({
      status: 409,
      body: { detail: 'This group still has 1 prompt(s). Move or delete them first.' },
    });
  });
});

/** What the engine reads of prompts: what is live, never a draft. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { classificationConfigs, renderForLead } from '../conversations/classificationConfigContract.ts';
import { suggestReply } from '../desk/contract.ts';
import { generate } from '../llm/settingsContract.ts';
import { sendNew } from '../outbox/sendContract.ts';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createOutreachWorld, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';
import { documentPrompts, type Prompt, promptGroups, prompts, publishPrompt } from './contract.ts';

const DRAFT = 'Zeppelin';

/** The texts of the product: where each is used, its live text, and what a model is asked with it. */
const TEXTS = {
  // First: a text goes live only with subprompts that are live.
  include: { type: 'subprompt', text: 'The showroom is open from 10:00 to 19:00.' },
  reply: {
    type: 'prompt',
    text: "You are Vera. Kitchens start from 4200 euros.\n{% render 'Hours' %}",
  },
  lookup: { type: 'subprompt', text: 'Refunds are given within 14 days.' },
  followUp: { type: 'ping', text: 'Ask whether oak or beech is wanted.' },
  document: { type: 'document', text: 'Write an offer. The worktop is made of granite.' },
  classification: { type: 'classification', text: 'You judge how a conversation about kitchens stands.' },
  qualification: { type: 'qualification', text: 'You check whether the lead has agreed to buy.' },
} as const;
type Use = keyof typeof TEXTS;
const uses = Object.keys(TEXTS) as Use[];

let world: OutreachWorld;
let admin: Client;
const ids = {} as Record<Use, number>;
let documentPromptId = 0;
let groupId = 0;

beforeAll(async () => {
  world = await createOutreachWorld();
  admin = await world.operator('root');
  const group = await admin.call(promptGroups.create, { body: { product_id: world.productId, name: 'Terms' } });
  groupId = (group.body as { id: number }).id;
  for (const use of uses) ids[use] = await create(use, TEXTS[use].text);
  const document = await admin.call(documentPrompts.create, {
    body: { product_id: world.productId, prompt_id: ids.document, document_type: 'offer', name: 'Offer' },
  });
  documentPromptId = (document.body as { id: number }).id;
  const config = { interval_minutes: 10, prompt_id: ids.classification };
  await admin.call(classificationConfigs.create, { body: { product_id: world.productId, config } });
  await world.setFollowUps([{ after_minutes: 60, prompt_id: ids.followUp }]);
});
afterAll(() => world.close());

async function create(use: Use, text: string): Promise<number> {
  const name = use === 'include' ? 'Hours' : use;
  const more = use === 'lookup' ? { group_id: groupId, rag_description: 'Refunds and guarantee' } : {};
  const body = { product_id: world.productId, name, type: TEXTS[use].type, text, ...more };
  const answer = await admin.call(prompts.create, { body });
  expect(answer.status).toBe(201);
  return (answer.body as Prompt).id;
}

async function setGate(gate: 'off' | 'warn'): Promise<void> {
  const answer = await admin.call(products.change, { params: { id: world.productId }, body: { config: { gate } } });
  expect(answer.status).toBe(200);
}

/** Let each path of the engine ask a model, and return what it was asked: system prompts and the texts looked up. */
async function askByEveryPath(name: string): Promise<string> {
  const seen = (await world.control.entriesOf('completion')).at(-1)?.seq ?? 0;
  const [asking, silent, written] = [
    await world.lead(`${name} A`),
    await world.lead(`${name} B`),
    await world.lead(`${name} C`),
  ];
  await asking.writes('Do you give refunds?');
  await silent.writes('When is the showroom open?');
  await written.writes('I want to buy');
  await world.drain();
  await asking.writes('And the price?');
  await admin.call(suggestReply, { params: { id: await asking.dialogueId() } });
  await world.drain();
  const generated = await admin.call(generate, {
    body: { product_id: world.productId, purpose: 'document', prompt_id: ids.document, content: 'Write it.' },
  });
  expect(generated.status).toBe(200);
  const sent = await admin.call(sendNew, {
    body: { contact_id: silent.contactId, document_prompt_id: documentPromptId },
  });
  expect(sent).toMatchObject({ status: 201 });
  await world.advanceClock(2 * HOUR);
  const entries = await world.control.entriesOf('completion', seen);
  return entries.map(({ messages }) => JSON.stringify(messages)).join('\n');
}

const textsFound = (asked: string, texts: Readonly<Record<Use, string>>): Use[] =>
  uses.filter((use) => asked.includes(JSON.stringify(texts[use].split('\n')[0]).slice(1, -1)));

const LIVE = Object.fromEntries(uses.map((use) => [use, TEXTS[use].text])) as Record<Use, string>;
const DRAFTS = Object.fromEntries(uses.map((use) => [use, `${DRAFT} ${use}. ${TEXTS[use].text}`])) as Record<
  Use,
  string
>;

it('sends and decides with what is live, by every path, whatever was saved since', async () => {
  await setGate('warn');
  for (const use of uses) {
    // A draft of the prompt that is in use, and a newer prompt that would take over.
    await admin.call(prompts.change, { params: { id: ids[use] }, body: { text: DRAFTS[use] } });
    await create(use, DRAFTS[use]);
  }
  const asked = await askByEveryPath('Before');
  expect(textsFound(asked, LIVE)).toEqual(uses);
  expect(asked).not.toContain(DRAFT);
  const { rows } = await world.pool.query<{ version: number }>(
    `select distinct (metadata ->> 'prompt_version')::int as version from llm_runs where metadata ? 'prompt_version'
     union select (read ->> 'version')::int from llm_runs, jsonb_array_elements(metadata -> 'read') as read`,
  );
  expect(rows).toEqual([{ version: 1 }]);
  const { rows: leaks } = await world.pool.query(
    `select 1 from messages where message like $1 or rendered_prompt like $1 or prompt_version <> 1`,
    [`%${DRAFT}%`],
  );
  expect(leaks).toEqual([]);

  // What operators try is what was saved.
  const body = { product_id: world.productId, lead_id: null, text: "{% render 'Hours' %}" };
  const preview = await admin.call(renderForLead, { body: { ...body, kind: 'prompt' } });
  expect(preview.body).toMatchObject({ text: DRAFTS.include });
  const message = await admin.call(renderForLead, { body: { ...body, kind: 'message' } });
  expect(message.body).toMatchObject({ text: LIVE.include });

  for (const use of uses) await admin.call(publishPrompt, { params: { id: ids[use] }, body: { version: 2 } });
  expect(textsFound(await askByEveryPath('After'), DRAFTS)).toEqual(uses);
});

it('does nothing with a prompt that was never published, and says so', async () => {
  await setGate('warn');
  const draft = await create('document', DRAFTS.document);
  const answer = await admin.call(generate, {
    body: { product_id: world.productId, purpose: 'document', prompt_id: draft, content: 'Write it.' },
  });
  expect(answer).toMatchObject({ status: 409, body: { detail: 'This prompt was never published.' } });
  const document = await admin.call(documentPrompts.create, {
    body: { product_id: world.productId, prompt_id: draft, document_type: 'brief', name: 'Brief' },
  });
  const { contactId } = await world.lead('Nadia');
  const sent = await admin.call(sendNew, {
    body: { contact_id: contactId, document_prompt_id: (document.body as { id: number }).id },
  });
  expect(sent.body).toMatchObject({ detail: expect.stringContaining('The prompt of Brief was never published') });
});

it('sends an answer that has begun with the text it began with, and the next one with what is live then', async () => {
  await setGate('off');
  const one = await world.lead('Mila');
  await admin.call(prompts.change, { params: { id: ids.reply }, body: { text: 'You are Vera. The sink is steel.' } });
  const { body } = await admin.call(prompts.get, { params: { id: ids.reply } });
  const { version } = body as Prompt;
  await setGate('warn');
  await admin.call(prompts.change, { params: { id: ids.reply }, body: { text: 'You are Vera. The sink is copper.' } });
  const outbound = world.app?.context.modelOutbound;
  if (!outbound) throw new Error('no server');
  const { stream } = outbound;
  const [asked, published] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  vi.spyOn(outbound, 'stream').mockImplementationOnce(async (...request) => {
    asked.resolve();
    await published.promise;
    return stream(...request);
  });
  await one.writes('What is the sink made of?');
  await asked.promise;
  await admin.call(publishPrompt, { params: { id: ids.reply }, body: { version: version + 1 } });
  published.resolve();
  await world.drain();
  await one.writes('What is the sink made of?');
  await world.drain();
  const { rows } = await world.pool.query<{ message: string; version: number }>(
    "select message, prompt_version as version from messages where contact_id = $1 and author = 'bot' order by id",
    [one.contactId],
  );
  expect(rows).toMatchObject([
    { message: expect.stringContaining('steel'), version },
    { message: expect.stringContaining('copper'), version: version + 1 },
  ]);
});

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readNewestDocuments } from '../leads/store.ts';
import { type DocumentPrompt, documentPrompts, type Prompt, prompts } from '../prompts/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type DocumentResult, writeDocument } from './writeDocument.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator();
});
afterEach(() => world.control.setFaults([]));
afterAll(() => world.close());

async function newDocumentPrompt(text: string, ...confirm_errors: string[]): Promise<number> {
  const base = { product_id: world.productId, name: 'Offer' };
  const prompt = await admin.call(prompts.create, { body: { ...base, type: 'document', text, confirm_errors } });
  const documentPrompt = await admin.call(documentPrompts.create, {
    body: { ...base, prompt_id: (prompt.body as Prompt).id, document_type: 'offer' },
  });
  return (documentPrompt.body as DocumentPrompt).id;
}

async function write(leadId: number, documentPromptId: number): Promise<DocumentResult> {
  if (!world.app) throw new Error('no server');
  return writeDocument(world.app.context, { leadId, documentPromptId });
}

const storedOffer = async (leadId: number): Promise<string | undefined> =>
  world.app ? (await readNewestDocuments(world.app.context.reader, leadId))['offer'] : undefined;

const OFFER_PROMPT = 'Write for {{ lead.name }}.\nA kitchen costs 4200 euros.';

it('writes a document, stores it with the lead, and records the prompt with the run', async () => {
  const { leadId } = await world.lead('Anna', { dialogue: false });
  expect(await storedOffer(leadId)).toBeUndefined();
  const written = await write(leadId, await newDocumentPrompt(OFFER_PROMPT));
  if (written.kind !== 'written') throw new Error(written.reason);
  expect(written).toMatchObject({ prompt: { name: 'Offer', version: 1 }, model: { vendor: 'chatgpt' } });
  expect(written.renderedPrompt).toContain('Write for Anna.');
  expect(await storedOffer(leadId)).toBe(written.text);
  const { rows } = await world.pool.query('select purpose, error from llm_runs where id = $1', [written.runId]);
  expect(rows).toEqual([{ purpose: 'document', error: null }]);
  const next = await write(leadId, await newDocumentPrompt('Say what was offered.\n{{ document.offer }}'));
  expect(next).toMatchObject({ kind: 'written', renderedPrompt: expect.stringContaining(written.text) });
});

it('reports a failure and stores nothing', async () => {
  const { leadId } = await world.lead('Boris', { dialogue: false });
  const offer = await newDocumentPrompt(OFFER_PROMPT);
  const failed = (why: string, reason: RegExp) => ({
    kind: 'failed',
    code: why,
    reason: expect.stringMatching(reason),
  });
  expect(await write(leadId, 999_999)).toEqual(failed('missing', /document prompt is gone/));
  expect(await write(999_999, offer)).toEqual(failed('missing', /lead is gone/));
  expect(await write(leadId, await newDocumentPrompt('{{ lead.name | nonsense }}', 'Unknown filter nonsense'))).toEqual(
    failed('template', /nonsense/),
  );
  await world.control.setFaults([{ kind: 'openai.empty', times: 1 }]);
  expect(await write(leadId, offer)).toEqual(failed('model', /Unusable: the answer is empty/));
  await world.control.setFaults([{ kind: 'openai.unauthorized', times: 1 }]);
  expect(await write(leadId, offer)).toEqual(failed('refused', /401/));
  await world.pool.query('update companies set llm_daily_budget = 0');
  expect(await write(leadId, offer)).toEqual(failed('money', /budget/));
  await world.pool.query('update companies set llm_daily_budget = null');
  expect(await storedOffer(leadId)).toBeUndefined();
});

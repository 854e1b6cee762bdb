/** Tests a key: an answer, whether it is streamed, and a call of a tool. */
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { LlmVendor } from '../products/contract.ts';
import { BudgetHold, MAX_WAIT_MS } from './budgetHold.ts';
import { adaptedModel, openCredential, UNREADABLE_KEY } from './complete.ts';
import type { CredentialTest } from './contract.ts';
import type { Attempt, ModelRequest } from './modelAttempt.ts';
import { listedModels } from './settings.ts';
import { countUsage, NO_PRODUCT } from './store/countUsage.ts';
import { credentialById, saveTest } from './store.ts';
import { vendors } from './vendors.ts';
import type { ModelTool } from './wire/message.ts';
import type { ModelAccess } from './wire/wire.ts';

/** The cheapest model of each vendor that has a price in the list. */
const CHEAPEST_MODELS: Readonly<Record<LlmVendor, string>> = {
  chatgpt: 'gpt-4o-mini',
  gemini: 'gemini-2.5-flash',
  anthropic: 'claude-haiku-4-5',
};

/** Without the time that a call waits for the budget. */
const TOTAL_TIMEOUT_MS = 15_000;

type Credential = NonNullable<Awaited<ReturnType<typeof credentialById>>>;

const TOOL: ModelTool = {
  name: 'confirm',
  description: 'Confirms that tools can be called.',
  parameters: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
};

export async function checkCredential(
  context: AppContext,
  { id, model: wanted }: { id: number; model?: string | undefined },
  writeContext: WriteContext,
): Promise<CredentialTest & { ms: number }> {
  const credential = await credentialById(context.reader, id);
  if (!credential) throw refuse(commonRefusals, 'not_found', { noun: 'company llm' });
  const { vendor, company_id: companyId, revision } = credential;
  const startedAt = performance.now();
  const access = openCredential(context, vendor, credential);
  const model = wanted ?? (await modelToTest(context, credential, access));
  const finding = access === null ? unreadable(model) : await testModel(context, credential, { model, access });
  const { isTested = true, ...test } = finding;
  await context.transact(async (tx) => {
    if (isTested) await saveTest(tx, { id, revision, test });
    await recordAuditEntry(tx, {
      ...writeContext,
      action: 'tested',
      noun: 'company_llm',
      rowId: id,
      companyId,
      after: { ok: test.ok, reason: test.reason },
    });
  });
  return { ...test, ms: Math.round(performance.now() - startedAt) };
}

const unreadable = (model: string): Finding => ({ ok: false, reason: UNREADABLE_KEY, model, parts: [] });

type TestRequest = Pick<ModelRequest, 'messages' | 'tools'>;

/** `isTested`: false if the budget did not allow a call, which says nothing about the key. */
type Finding = CredentialTest & { readonly isTested?: false };

async function testModel(
  context: AppContext,
  credential: Credential,
  { model, access }: { model: string; access: ModelAccess },
): Promise<Finding> {
  const adapted = adaptedModel(context, credential, model);
  const { vendor, company_id: companyId } = credential;
  let refusal: string | null = null;
  /** Each call is reserved and counted by itself. */
  const ask = async (request: TestRequest): Promise<Attempt> => {
    const hold = new BudgetHold(context, { companyId, productId: NO_PRODUCT, vendor, model, maxTokens: undefined });
    try {
      const attempt = await adapted.attempt(
        {
          model: { wire: vendors[vendor].wire, access, name: model },
          system: 'Answer with one word.',
          temperature: null,
          returnsToolCalls: true,
          reserve: (bytes, done, signal) => hold.reserve(bytes, done, signal),
          ...request,
        },
        {
          idleSeconds: Math.min(10, context.config.modelIdleTimeoutSeconds),
          totalMs: MAX_WAIT_MS + TOTAL_TIMEOUT_MS,
          signal: undefined,
        },
      );
      const { ids: reservations } = hold;
      if (attempt.requests.length > 0)
        await countUsage(context.reader, { companyId, purpose: 'test', vendor, model, usage: attempt, reservations });
      if (attempt.kind === 'failed' && attempt.budget !== undefined) refusal = attempt.reason;
      return attempt;
    } finally {
      hold.end();
    }
  };
  const test = await testParts(model, ask);
  return refusal === null ? test : untested(model, refusal);
}

function untested(model: string, reason: string): Finding {
  const sentence = `The key is not tested. ${reason}`;
  return { ok: false, reason, model, parts: [{ part: 'answer', ok: false, sentence }], isTested: false };
}

async function testParts(model: string, ask: (request: TestRequest) => Promise<Attempt>): Promise<CredentialTest> {
  const answer = await ask({ messages: [{ role: 'user', content: 'Say ok.' }] });
  if (answer.kind === 'failed') {
    const sentence = `${model} does not answer. ${answer.reason}`;
    return { ok: false, reason: answer.reason, model, parts: [{ part: 'answer', ok: false, sentence }] };
  }
  const isStreamed = answer.metadata['whole'] !== true;
  const called = await ask({
    messages: [{ role: 'user', content: 'Call the tool "confirm" with the answer "ok".' }],
    tools: [TOOL],
  });
  const hasCalled = called.kind === 'answered' && called.calls.some(({ fault }) => fault === null);
  const reason = called.kind === 'failed' ? ` ${called.reason}` : '';
  return {
    ok: true,
    reason: null,
    model,
    parts: [
      { part: 'answer', ok: true, sentence: `${model} answers.` },
      {
        part: 'stream',
        ok: isStreamed,
        sentence: isStreamed ? 'Answers arrive word by word.' : 'Answers arrive in one piece.',
      },
      {
        part: 'tool_call',
        ok: hasCalled,
        sentence: hasCalled
          ? 'It calls tools.'
          : `It does not call tools: it cannot ask for a person or read texts on demand.${reason}`,
      },
    ],
  };
}

/** An own server has models of its own; the vendors' names would be unknown there. */
async function modelToTest(
  context: AppContext,
  { vendor, config }: { vendor: LlmVendor; config: { base_url?: string } },
  access: ModelAccess | null,
): Promise<string> {
  const cheapest = CHEAPEST_MODELS[vendor];
  if (!access || config.base_url === undefined) return cheapest;
  const names = await listedModels(context, vendor, access);
  return names.includes(cheapest) ? cheapest : (names[0] ?? cheapest);
}

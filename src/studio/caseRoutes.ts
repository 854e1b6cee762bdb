import { loadTemplateValuesForLead } from '../conversations/templateValues.ts';
import { stages } from '../leads/contract.ts';
import { findLead } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { clock } from '../platform/clock.ts';
import type { Reader, Tx } from '../platform/db.ts';
import type { Caller } from '../platform/http/caller.ts';
import { type ColumnValues, resource } from '../platform/http/resource.ts';
import type { Route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProduct } from '../products/product.ts';
import {
  type CaseFacts,
  type CaseSource,
  type CaseWrite,
  caseFacts,
  caseRefusals,
  type Requirement,
  type StudioCase,
  studioCases,
} from './caseContract.ts';
import { type CaseOfMessage, readCaseOfMessage } from './caseOfMessage.ts';
import { requireUsablePatterns } from './checks/inThread.ts';
import { CASE_SOURCE } from './store/cases.ts';
import { readTriedPrompt } from './store/prompts.ts';

export function caseRoutes(context: AppContext): Route[] {
  const crudRoutes = resource(context, studioCases, CASE_SOURCE);
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(async (tx, body, { caller }) => {
      const { product_id: productId, requirements = [] } = body;
      await requireUsablePatterns(context, tx, { productId, requirements });
      return newCase(tx, body, caller);
    }),
    ...crudRoutes.replace(async (tx, { before, body }) => {
      if (body.product_id !== before.product_id) throw refuse(caseRefusals, 'studio.case_product_fixed');
      await requireUsablePatterns(context, tx, { productId: body.product_id, requirements: body.requirements });
      await requirePrompt(tx, { promptId: body.prompt_id, productId: body.product_id, type: body.prompt_type });
      return body;
    }),
    crudRoutes.remove(),
  ];
}

/** Return the columns of a new case: by hand, or what is known of a message with what is added to it. */
async function newCase(tx: Tx, body: CaseWrite, caller: Caller): Promise<ColumnValues> {
  const { product_id, prompt_type, source, from_message_id: messageId, is_enabled } = body;
  const requirements = body.requirements ?? [];
  const found =
    messageId === undefined
      ? await ownCase(tx, body)
      : await readCaseOfMessage(tx, { messageId, productId: product_id });
  const promptId =
    body.prompt_id ?? (await usablePrompt(tx, { promptId: found.promptId, productId: product_id, type: prompt_type }));
  await requirePrompt(tx, { promptId, productId: product_id, type: prompt_type });
  const history = body.history ?? found.history;
  const answer = source === 'should_say' ? (body.should_say ?? body.answer ?? null) : (body.answer ?? found.answer);
  const byDefault = requirementsOf(source, answer);
  return {
    product_id,
    prompt_id: promptId,
    prompt_type,
    name: body.name ?? nameOf(history),
    source,
    message_id: found.message_id,
    dialogue_id: found.dialogue_id,
    lead_id: found.lead_id,
    history: JSON.stringify(history),
    facts: body.facts ?? found.facts,
    answer,
    requirements: JSON.stringify([...byDefault.requirements, ...requirements]),
    rubric: body.rubric ?? byDefault.rubric,
    is_enabled,
    author: caller.login,
  };
}

type FoundCase = Omit<CaseOfMessage, 'answer'> & Pick<StudioCase, 'answer'>;

/** A case by hand: the facts of the given lead as they are now, or of a sample lead. */
async function ownCase(tx: Tx, { product_id: productId, lead_id, facts }: CaseWrite): Promise<FoundCase> {
  const leadId = lead_id ?? null;
  const lead = leadId === null ? undefined : await findLead(tx, leadId);
  if (leadId !== null && lead?.product_id !== productId) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
  return {
    message_id: null,
    dialogue_id: null,
    lead_id: leadId,
    history: [],
    facts: facts ?? (await presentFacts(tx, productId, leadId)),
    answer: null,
    promptId: null,
  };
}

async function presentFacts(reader: Reader, productId: number, leadId: number | null): Promise<CaseFacts> {
  const product = await readProduct(reader, productId);
  if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
  const values = await loadTemplateValuesForLead(reader, { ...product, now: await clock.now(reader) }, leadId);
  return caseFacts.parse({
    lead: {
      name: values.lead.name,
      stage: stages.find((stage) => stage === values.lead.stage),
      crm_fields: values.lead.crm_fields,
    },
    contact: values.contact,
    documents: values.document,
    now: values.now,
  });
}

interface PromptOfCase {
  readonly promptId: number | null;
  readonly productId: number;
  readonly type: StudioCase['prompt_type'];
}

/** The prompt that wrote a message, if it is still there and of the case's type; otherwise any is tested. */
async function usablePrompt(reader: Reader, { promptId, productId, type }: PromptOfCase): Promise<number | null> {
  const prompt = promptId === null ? undefined : await readTriedPrompt(reader, promptId);
  return prompt?.product_id === productId && prompt.type === type ? prompt.id : null;
}

async function requirePrompt(tx: Tx, { promptId, productId, type }: PromptOfCase): Promise<void> {
  if (promptId === null) return;
  const prompt = await readTriedPrompt(tx, promptId);
  if (prompt?.product_id !== productId) throw refuse(commonRefusals, 'not_found', { noun: 'prompt' });
  if (prompt.type !== type) throw refuse(caseRefusals, 'studio.other_type', { name: prompt.name });
}

/** What a case requires by its source. */
function requirementsOf(
  source: CaseSource,
  answer: string | null,
): { requirements: readonly Requirement[]; rubric: string | null } {
  if (source === 'manual' || answer === null) return { requirements: [], rubric: null };
  if (source === 'never') return { requirements: [{ kind: 'never', text: answer }], rubric: null };
  const rubric = source === 'should_say' ? `Says what this says: ${answer}`.slice(0, MAX_RUBRIC) : null;
  return { requirements: [{ kind: 'keeps', text: answer }], rubric };
}

const MAX_RUBRIC = 4000;
const MAX_NAME = 80;

/** Name a case after the last words of the lead. */
function nameOf(history: StudioCase['history']): string {
  const words = (history.findLast(({ side }) => side === 'user')?.text ?? '').replaceAll(/\s+/g, ' ').trim();
  if (words === '') return 'Case';
  return words.length > MAX_NAME ? `${words.slice(0, MAX_NAME).trimEnd()}…` : words;
}

/**
 * Makes a case from a message: what the model saw of the conversation, and the facts as they were then. Where an earlier
 * value is not stored, the present one is taken, and `as_of_creation` says so.
 */
import { findHistory, findParts } from '../conversations/store/messages.ts';
import { HISTORY_LIMIT, readSystemPrompt } from '../conversations/systemPrompt.ts';
import { contactTypes, stages } from '../leads/contract.ts';
import type { Reader } from '../platform/db.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { type CaseFacts, caseFacts, caseRefusals, type StudioCase } from './caseContract.ts';
import { readEarlierFacts } from './store/cases.ts';

export type CaseOfMessage = Pick<
  StudioCase,
  'message_id' | 'dialogue_id' | 'lead_id' | 'history' | 'facts' | 'answer'
> & {
  readonly answer: string;
  /** The prompt that wrote it; null: none, or it is not known. */
  readonly promptId: number | null;
};

/** Read a message of a product as a case. Throws `not_found` and `studio.no_turn`. */
export async function readCaseOfMessage(
  reader: Reader,
  { messageId, productId }: { messageId: number; productId: number },
): Promise<CaseOfMessage> {
  const parts = await findParts(reader, messageId);
  const [first] = parts;
  const facts = first && (await readEarlierFacts(reader, first.id));
  if (!first || !facts || first.product_id !== productId)
    throw refuse(commonRefusals, 'not_found', { noun: 'message' });
  const history = await findHistory(reader, { dialogueId: first.dialogue_id, limit: HISTORY_LIMIT, before: first.id });
  if (first.side !== 'bot' || history.at(-1)?.side !== 'user') throw refuse(caseRefusals, 'studio.no_turn');
  return {
    message_id: first.id,
    dialogue_id: first.dialogue_id,
    lead_id: first.lead_id,
    history,
    facts: factsOf(first, facts),
    answer: parts.map(({ message }) => message).join('\n\n'),
    promptId: first.prompt_id,
  };
}

/** Read the facts of a lead as they were when a message was written; undefined if it is gone. */
export async function readFactsAt(reader: Reader, messageId: number): Promise<CaseFacts | undefined> {
  const [message] = await findParts(reader, messageId);
  const earlier = message && (await readEarlierFacts(reader, message.id));
  return message && earlier ? factsOf(message, earlier) : undefined;
}

/** The facts of the model's input are in the system text that is stored with its answer. */
function factsOf(
  message: { readonly rendered_prompt: string | null; readonly created_at: string },
  earlier: NonNullable<Awaited<ReturnType<typeof readEarlierFacts>>>,
): CaseFacts {
  const inputs = message.rendered_prompt === null ? null : readSystemPrompt(message.rendered_prompt);
  const facts = inputs?.facts ?? null;
  const unknown: CaseFacts['as_of_creation'] = [
    ...(facts ? [] : (['lead', 'contact'] as const)),
    ...(earlier.documents_changed ? (['documents'] as const) : []),
    ...(earlier.texts_changed ? (['texts'] as const) : []),
    ...(inputs?.notes || earlier.notes === null ? [] : (['notes'] as const)),
  ];
  const stage = stages.find((one) => one === facts?.stage) ?? earlier.stage;
  const type = contactTypes.find((one) => one === facts?.contact.type) ?? earlier.contact_type;
  return caseFacts.parse({
    lead: { name: facts?.name ?? earlier.lead_name, stage, crm_fields: facts?.fields ?? earlier.crm_fields },
    contact: { contact: facts?.contact.contact ?? earlier.contact, type },
    documents: earlier.documents ?? {},
    now: facts?.now ?? message.created_at,
    texts: earlier.texts ?? [],
    // A system text without notes was built without any.
    notes: inputs ? (inputs.notes ?? []) : (earlier.notes ?? []),
    may_hand_over: earlier.may_hand_over,
    as_of_creation: unknown,
  });
}

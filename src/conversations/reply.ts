/**
 * Answers the bot's turns: one answer per burst of messages, generated outside any transaction and stored only if it
 * is still current.
 */

import { botBlockReason } from '../leads/lead.ts';
import { findLead, type LeadRow } from '../leads/store.ts';
import { linkRunToMessage } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { currentTrace, withTrace } from '../platform/trace.ts';
import { modelFor, type ProductFacts, readProduct } from '../products/product.ts';
import { readProductPrompt, renderPrompt, TemplateError } from '../prompts/prompt.ts';
import type { NoAnswer } from './noAnswer.ts';
import { createPromptLookup } from './promptLookup.ts';
import { BOT_MESSAGE, type OutgoingMessage, queueMessages } from './queueMessages.ts';
import { type WrittenText, writeText } from './runPrompt.ts';
import {
  claimTurn,
  clearTurn,
  type DialogueContext,
  deferTurn,
  deferTurnToNextDay,
  findDialogue,
  findDialogueContext,
  lockDialogue,
  releaseTurn,
} from './store/dialogues.ts';
import { findHistory, findTraceOfMessage } from './store/messages.ts';
import type { DialogueRow } from './store/tables.ts';
import { hasUnprocessedInbound } from './store/unprocessed.ts';
import { buildSystemPrompt, HISTORY_LIMIT, toModelMessages } from './systemPrompt.ts';
import { loadTemplateValues } from './templateValues.ts';

/** How long a failing model is retried, and the longest delay between tries, seconds. */
export const RETRY_TIMEOUT_SECONDS = 15 * 60;
export const MAX_RETRY_DELAY_SECONDS = 120;

/**
 * Return the concurrency key of an answer: company, vendor and model. It includes the company because a vendor may be
 * slow for one company's API key (429, a base URL of its own) and not for others. Null if there is no such dialogue.
 */
export async function replyConcurrencyKey(context: AppContext, dialogueId: number): Promise<string | null> {
  const dialogue = await findDialogue(context.reader, dialogueId);
  const product = dialogue && (await readProduct(context.reader, dialogue.product_id));
  if (!product) return null;
  const { vendor, model } = modelFor(context, product.config, 'chatbot');
  return `model ${product.company_id} ${vendor} ${model}`;
}

/** Answer a dialogue's turn if it is due and no other instance has claimed it. */
export async function reply(context: AppContext, dialogueId: number): Promise<void> {
  const dialogue = await claimTurn(context.reader, dialogueId, context.instanceId);
  if (!dialogue) return;
  try {
    const trace = dialogue.last_user_msg_id && (await findTraceOfMessage(context.reader, dialogue.last_user_msg_id));
    await withTrace(trace || null, () => answerTurn(context, dialogue));
  } finally {
    await retryWhileDatabaseUnavailable(context, () =>
      releaseTurn(context.reader, { id: dialogueId, turn: dialogue.turn, instanceId: context.instanceId }),
    );
  }
}

/** What the bot needs to answer in a dialogue. */
interface AnswerFacts {
  readonly product: ProductFacts;
  readonly lead: LeadRow;
  readonly contact: DialogueContext;
}

/**
 * Load what an answer needs; null if the bot may not answer. Called before the model is called and again before its
 * answer is stored.
 */
async function loadAnswerFacts(reader: Reader, dialogue: DialogueRow): Promise<AnswerFacts | null> {
  const contact = await findDialogueContext(reader, dialogue.id);
  const lead = contact ? await findLead(reader, contact.lead_id) : undefined;
  const product = await readProduct(reader, dialogue.product_id);
  if (!contact || !lead || !product) return null;
  const isProductActive = product.is_active;
  return botBlockReason({ lead, isProductActive, owner: dialogue.owner }, 'answer') === null
    ? { contact, lead, product }
    : null;
}

async function answerTurn(context: AppContext, dialogue: DialogueRow): Promise<void> {
  const facts = await loadAnswerFacts(context.reader, dialogue);
  if (!facts) return closeTurnIfCurrent(context, dialogue, null);
  const prompt = await readProductPrompt(context.reader, facts.product.id, 'prompt');
  if (!prompt) return closeTurnIfCurrent(context, dialogue, { code: 'no_prompt' });
  const values = await loadTemplateValues(context.reader, facts);
  const render = (text: string) => renderPrompt(context, { product: facts.product, text, values });
  let system: string;
  try {
    system = buildSystemPrompt(await render(prompt.text), values);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return closeTurnIfCurrent(context, dialogue, { code: 'template', detail: error.message.slice(0, 300) });
  }
  context.log.info({ dialogue: dialogue.id, turn: dialogue.turn, prompt: prompt.id }, 'answering');
  failpoint('reply.beforeModel');
  const answer = await writeText(context, {
    product: facts.product,
    purpose: 'chatbot',
    name: prompt.name,
    metadata: {
      prompt_id: prompt.id,
      prompt_version: prompt.version,
      turn: dialogue.turn,
      trace: currentTrace() ?? null,
    },
    system,
    messages: toModelMessages(await findHistory(context.reader, { dialogueId: dialogue.id, limit: HISTORY_LIMIT })),
    dialogueId: dialogue.id,
    lookup: await createPromptLookup(context.reader, facts.product.id, render),
  });
  failpoint('reply.afterModel');
  if (answer.kind === 'failed') return deferOrGiveUp(context, dialogue, answer);
  await context.transact((tx) => queueAnswer(tx, dialogue, { ...answer, prompt, renderedPrompt: system }));
  failpoint('reply.afterCommit');
}

/** Queue the answer and close its turn, unless the turn is no longer current. A newer turn gets its own answer. */
async function queueAnswer(
  tx: Tx,
  dialogue: DialogueRow,
  answer: Pick<OutgoingMessage, 'text' | 'model' | 'prompt' | 'renderedPrompt'> & { readonly runId: number | null },
): Promise<void> {
  const current = await lockDialogue(tx, dialogue.id);
  if (!current || current.turn !== dialogue.turn || current.turn_due_at === null) return;
  if (await hasUnprocessedInbound(tx, current.channel_id, current.chat_id)) return;
  if (!(await loadAnswerFacts(tx, current))) return closeTurn(tx, current, null);
  const { runId, text, model, prompt, renderedPrompt } = answer;
  const [firstMessageId] = await queueMessages(tx, current, {
    ...BOT_MESSAGE,
    text,
    turn: current.turn,
    replyOn: current.last_user_msg_id,
    prompt,
    renderedPrompt,
    model,
    preparedMessageId: null,
    pingConfigId: null,
    pingStepNumber: null,
  });
  if (runId !== null && firstMessageId !== undefined) await linkRunToMessage(tx, runId, firstMessageId);
  await closeTurn(tx, current, null);
  failpoint('reply.beforeCommit');
}

async function closeTurn(tx: Tx, dialogue: DialogueRow, noAnswer: NoAnswer | null): Promise<void> {
  await clearTurn(tx, dialogue.id, noAnswer);
  notify(tx, { topic: 'dialogue', product: dialogue.product_id, ids: [dialogue.id] });
}

/** Close the turn unless a newer one has begun. */
async function closeTurnIfCurrent(
  context: AppContext,
  dialogue: DialogueRow,
  noAnswer: NoAnswer | null,
): Promise<void> {
  await context.transact(async (tx) => {
    const current = await lockDialogue(tx, dialogue.id);
    if (current && current.turn === dialogue.turn) await closeTurn(tx, current, noAnswer);
  });
}

/** Try the turn again later, the next day if the budget is spent; give up if that cannot help, or took too long. */
async function deferOrGiveUp(
  context: AppContext,
  dialogue: DialogueRow,
  { reason: detail, isPermanent, paused }: Extract<WrittenText, { kind: 'failed' }>,
): Promise<void> {
  const { id, turn, turn_attempts: failures, product_id: productId } = dialogue;
  if (paused) {
    return context.transact(async (tx) => {
      await deferTurnToNextDay(tx, { id, turn, detail });
      notify(tx, { topic: 'dialogue', product: productId, ids: [id] });
    });
  }
  const delaySeconds = retryDelaySeconds(context, failures, MAX_RETRY_DELAY_SECONDS);
  const hasTimedOut =
    isPermanent ||
    (await context.transact((tx) =>
      deferTurn(tx, { id, turn, seconds: delaySeconds, timeoutSeconds: RETRY_TIMEOUT_SECONDS }),
    ));
  if (hasTimedOut) await closeTurnIfCurrent(context, dialogue, { code: 'model', detail });
}

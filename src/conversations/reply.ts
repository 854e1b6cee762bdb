/**
 * Answers the bot's turns: one answer per burst of messages, generated outside any transaction and stored only if it
 * is still current.
 */

import { isBotStopped } from '../leads/lead.ts';
import { readLead } from '../leads/publicApi.ts';
import { complete } from '../llm/complete.ts';
import { linkRunToMessage, storeRun } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { currentTrace, withTrace } from '../platform/trace.ts';
import { modelFor, readProduct } from '../products/product.ts';
import { readProductPrompt, renderPrompt, TemplateError } from '../prompts/prompt.ts';
import { invalidReplyReason } from './invalidReply.ts';
import { createPromptLookup, MAX_TOOL_ROUNDS } from './promptLookup.ts';
import { BOT_MESSAGE, queueMessages } from './queueMessages.ts';
import {
  claimTurn,
  clearTurn,
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
 * Return why the bot must not answer now; null if it may. Checked before the model is called and again before the
 * answer is stored.
 */
async function blockReason(reader: Reader, dialogue: DialogueRow): Promise<string | null> {
  if (dialogue.owner !== 'bot') return 'a human speaks here';
  const dialogueContext = await findDialogueContext(reader, dialogue.id);
  const lead = dialogueContext ? await readLead(reader, dialogueContext.lead_id) : undefined;
  if (!lead?.is_active) return 'the lead is deactivated';
  if (isBotStopped(lead.stage)) return `the lead is in stage ${lead.stage}`;
  const product = await readProduct(reader, dialogue.product_id);
  return product?.is_active ? null : 'the product is switched off';
}

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
      releaseTurn(context.reader, dialogueId, dialogue.turn, context.instanceId),
    );
  }
}

async function answerTurn(context: AppContext, dialogue: DialogueRow): Promise<void> {
  const dialogueId = dialogue.id;
  if (await blockReason(context.reader, dialogue)) return closeTurnIfCurrent(context, dialogue, null);
  const product = await readProduct(context.reader, dialogue.product_id);
  const dialogueContext = await findDialogueContext(context.reader, dialogueId);
  const lead = dialogueContext ? await readLead(context.reader, dialogueContext.lead_id) : undefined;
  if (!product || !dialogueContext || !lead) return;
  const prompt = await readProductPrompt(context.reader, product.id, 'prompt');
  if (!prompt) return closeTurnIfCurrent(context, dialogue, 'No answer: the product has no prompt');
  const modelChoice = modelFor(context, product.config, 'chatbot');
  const values = await loadTemplateValues(context.reader, { product, lead, contact: dialogueContext });
  let system: string;
  try {
    system = buildSystemPrompt(await renderPrompt(context, product, prompt.text, values), values);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return closeTurnIfCurrent(
      context,
      dialogue,
      `No answer: the prompt cannot be rendered: ${error.message.slice(0, 300)}`,
    );
  }
  const lookup = await createPromptLookup(context.reader, product.id, (text) =>
    renderPrompt(context, product, text, values),
  );
  context.log.info({ dialogue: dialogueId, turn: dialogue.turn, prompt: prompt.id }, 'answering');
  failpoint('reply.beforeModel');
  const messages = await findHistory(context.reader, dialogueId, HISTORY_LIMIT);
  const completion = await complete(context, {
    companyId: product.company_id,
    vendor: modelChoice.vendor,
    model: modelChoice.model,
    temperature: modelChoice.temperature,
    system,
    messages: toModelMessages(messages),
    ...(lookup ? { tools: lookup.tools, rounds: MAX_TOOL_ROUNDS } : {}),
  });
  failpoint('reply.afterModel');
  if (completion.kind === 'failed' && completion.paused) {
    // No model was called, so there is no run.
    const noAnswer = `No answer: ${completion.reason}`;
    await context.transact(async (tx) => {
      await deferTurnToNextDay(tx, dialogueId, dialogue.turn, noAnswer);
      notify(tx, 'dialogue', dialogue.product_id, [dialogueId]);
    });
    return;
  }
  const invalidReply = completion.kind === 'answered' ? invalidReplyReason(completion.text, system) : null;
  const error =
    completion.kind === 'failed' ? completion.reason : invalidReply === null ? null : `Unusable: ${invalidReply}`;
  const runId = await storeRun(context.reader, {
    product_id: product.id,
    dialogue_id: dialogueId,
    message_id: null,
    purpose: 'chatbot',
    name: prompt.name,
    model_vendor: modelChoice.vendor,
    model_name: modelChoice.model,
    execution_ms: completion.ms,
    token_input_usage: completion.inputTokens,
    token_output_usage: completion.outputTokens,
    metadata: {
      ...completion.metadata,
      prompt_id: prompt.id,
      prompt_version: prompt.version,
      turn: dialogue.turn,
      trace: currentTrace() ?? null,
      ...(lookup ? { read: lookup.promptsRead } : {}),
    },
    error,
  });
  if (completion.kind === 'failed' || error !== null) {
    const isPermanent = completion.kind === 'failed' && completion.isPermanent;
    return deferOrGiveUp(context, dialogue, error ?? 'no usable answer', isPermanent);
  }
  await context.transact(async (tx) => {
    const current = await lockDialogue(tx, dialogueId);
    // The lead wrote again or another process closed the turn: discard this answer. A newer turn gets its own.
    if (!current || current.turn !== dialogue.turn || current.turn_due_at === null) return;
    if (await hasUnprocessedInbound(tx, current.channel_id, current.chat_id)) return;
    if (await blockReason(tx, current)) return closeTurn(tx, current, null);
    const messageIds = await queueMessages(tx, current, {
      text: completion.text.trim(),
      ...BOT_MESSAGE,
      turn: current.turn,
      replyOn: current.last_user_msg_id,
      prompt,
      renderedPrompt: system,
      model: { vendor: modelChoice.vendor, name: modelChoice.model },
      preparedMessageId: null,
      pingConfigId: null,
      pingStepNumber: null,
    });
    const [firstMessageId] = messageIds;
    if (firstMessageId !== undefined) await linkRunToMessage(tx, runId, firstMessageId);
    await closeTurn(tx, current, null);
    failpoint('reply.beforeCommit');
  });
  failpoint('reply.afterCommit');
}

async function closeTurn(tx: Tx, dialogue: DialogueRow, noAnswer: string | null): Promise<void> {
  await clearTurn(tx, dialogue.id, noAnswer);
  notify(tx, 'dialogue', dialogue.product_id, [dialogue.id]);
}

/** Close the turn unless a newer one has begun. */
async function closeTurnIfCurrent(context: AppContext, dialogue: DialogueRow, noAnswer: string | null): Promise<void> {
  await context.transact(async (tx) => {
    const current = await lockDialogue(tx, dialogue.id);
    if (current && current.turn === dialogue.turn) await closeTurn(tx, current, noAnswer);
  });
}

/** Handle a failed model call: retry later, or show 'No answer' once the time is up or a retry cannot help. */
async function deferOrGiveUp(
  context: AppContext,
  dialogue: DialogueRow,
  reason: string,
  isPermanent: boolean,
): Promise<void> {
  const sentence = `No answer: ${reason}`;
  if (isPermanent) return closeTurnIfCurrent(context, dialogue, sentence);
  const delaySeconds =
    Math.min(context.config.retryBaseSeconds * 2 ** dialogue.turn_attempts, MAX_RETRY_DELAY_SECONDS) *
    (0.75 + Math.random() / 2);
  const timedOut = await context.transact((tx) =>
    deferTurn(tx, dialogue.id, dialogue.turn, delaySeconds, RETRY_TIMEOUT_SECONDS),
  );
  if (timedOut) await closeTurnIfCurrent(context, dialogue, sentence);
}

/** The bot's turn: one answer for a burst, made outside any transaction, stored only if it is still wanted. */

import { unacceptable } from '../chatbot/acceptable.ts';
import { HISTORY, systemText, turns } from '../chatbot/compose.ts';
import { lookUpFor, MOST_ROUNDS } from '../chatbot/rag.ts';
import { templateValues } from '../chatbot/values.ts';
import { readLead } from '../leads/known.ts';
import { isSilenced } from '../leads/lead.ts';
import { complete } from '../llm/complete.ts';
import { runBecame, storeRun } from '../llm/runs.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { announce } from '../platform/live.ts';
import { currentTrace, traced } from '../platform/trace.ts';
import { modelFor, readProduct } from '../products/product.ts';
import { productPrompt, renderPrompt, TemplateError } from '../prompts/prompt.ts';
import { BOT, compose } from './compose.ts';
import { insist } from './insist.ts';
import {
  claimTurn,
  closeTurn,
  findDialogue,
  lockDialogue,
  pauseTurn,
  postponeTurn,
  releaseTurn,
  surroundings,
} from './store/dialogues.ts';
import { hasUnreadInbound } from './store/inbox.ts';
import { history, traceOfMessage } from './store/messages.ts';
import type { DialogueRow } from './store/tables.ts';

/** How long a failing model is tried again, seconds, and the longest pause between. */
export const PATIENCE_SECONDS = 15 * 60;
export const LONGEST_PAUSE = 120;

/** Why the bot must not answer now; null when it may. Asked before the model and again where the answer is stored. */
async function obstacle(reader: Reader, dialogue: DialogueRow): Promise<string | null> {
  if (dialogue.owner !== 'bot') return 'a human speaks here';
  const around = await surroundings(reader, dialogue.id);
  const lead = around ? await readLead(reader, around.lead_id) : undefined;
  if (!lead?.is_active) return 'the lead is deactivated';
  if (isSilenced(lead.stage)) return `the lead is in stage ${lead.stage}`;
  const product = await readProduct(reader, dialogue.product_id);
  return product?.is_active ? null : 'the product is switched off';
}

/**
 * Whom an answer waits for: the company's key, at a vendor, for a model. Of the company, since a vendor that is slow to
 * one key (429, an address of its own) need not be so to others. Null when there is no such dialogue.
 */
export async function laneOfReply(ground: Ground, dialogueId: number): Promise<string | null> {
  const dialogue = await findDialogue(ground.reader, dialogueId);
  const product = dialogue && (await readProduct(ground.reader, dialogue.product_id));
  if (!product) return null;
  const { vendor, model } = modelFor(ground, product.config, 'chatbot');
  return `model ${product.company_id} ${vendor} ${model}`;
}

/** Answers a dialogue's turn if one is due and nobody else is at it. */
export async function reply(ground: Ground, dialogueId: number): Promise<void> {
  const dialogue = await claimTurn(ground.reader, dialogueId, ground.life);
  if (!dialogue) return;
  try {
    const trace = dialogue.last_user_msg_id && (await traceOfMessage(ground.reader, dialogue.last_user_msg_id));
    await traced(trace || null, () => answer(ground, dialogue));
  } finally {
    await insist(ground, () => releaseTurn(ground.reader, dialogueId, dialogue.turn, ground.life));
  }
}

async function answer(ground: Ground, dialogue: DialogueRow): Promise<void> {
  const dialogueId = dialogue.id;
  if (await obstacle(ground.reader, dialogue)) return finish(ground, dialogue, null);
  const product = await readProduct(ground.reader, dialogue.product_id);
  const around = await surroundings(ground.reader, dialogueId);
  const lead = around ? await readLead(ground.reader, around.lead_id) : undefined;
  if (!product || !around || !lead) return;
  const prompt = await productPrompt(ground.reader, product.id, 'prompt');
  if (!prompt) return finish(ground, dialogue, 'No answer: the product has no prompt');
  const chosen = modelFor(ground, product.config, 'chatbot');
  const values = await templateValues(ground.reader, { product, lead, contact: around });
  let system: string;
  try {
    system = systemText(await renderPrompt(ground, product, prompt.text, values), values);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return finish(ground, dialogue, `No answer: the prompt cannot be rendered: ${error.message.slice(0, 300)}`);
  }
  const lookUp = await lookUpFor(ground.reader, product.id, (text) => renderPrompt(ground, product, text, values));
  ground.log.info({ dialogue: dialogueId, turn: dialogue.turn, prompt: prompt.id }, 'answering');
  failpoint('reply.beforeModel');
  const said = await history(ground.reader, dialogueId, HISTORY);
  const completion = await complete(ground, {
    companyId: product.company_id,
    vendor: chosen.vendor,
    model: chosen.model,
    temperature: chosen.temperature,
    system,
    messages: turns(said),
    ...(lookUp ? { tools: lookUp.tools, rounds: MOST_ROUNDS } : {}),
  });
  failpoint('reply.afterModel');
  if (completion.kind === 'failed' && completion.paused) {
    // No model was asked, so there is no run.
    const paused = `No answer: ${completion.reason}`;
    await ground.transact(async (tx) => {
      await pauseTurn(tx, dialogueId, dialogue.turn, paused);
      announce(tx, 'dialogue', dialogue.product_id, [dialogueId]);
    });
    return;
  }
  const rubbish = completion.kind === 'answered' ? unacceptable(completion.text, system) : null;
  const error = completion.kind === 'failed' ? completion.reason : rubbish === null ? null : `Unusable: ${rubbish}`;
  const runId = await storeRun(ground.reader, {
    product_id: product.id,
    dialogue_id: dialogueId,
    message_id: null,
    purpose: 'chatbot',
    name: prompt.name,
    model_vendor: chosen.vendor,
    model_name: chosen.model,
    execution_ms: completion.ms,
    token_input_usage: completion.inputTokens,
    token_output_usage: completion.outputTokens,
    metadata: {
      ...completion.metadata,
      prompt_id: prompt.id,
      prompt_version: prompt.version,
      turn: dialogue.turn,
      trace: currentTrace() ?? null,
      ...(lookUp ? { read: lookUp.read } : {}),
    },
    error,
  });
  if (completion.kind === 'failed' || error !== null) {
    const lasting = completion.kind === 'failed' && completion.lasting;
    return fail(ground, dialogue, error ?? 'no usable answer', lasting);
  }
  await ground.transact(async (tx) => {
    const now = await lockDialogue(tx, dialogueId);
    // A newer message of the lead, or whoever else was quicker: this answer is void, the newer turn has its own.
    if (!now || now.turn !== dialogue.turn || now.turn_due_at === null) return;
    if (await hasUnreadInbound(tx, now.channel_id, now.chat_id)) return;
    if (await obstacle(tx, now)) return closeAndTell(tx, now, null);
    const made = await compose(tx, now, {
      text: completion.text.trim(),
      ...BOT,
      turn: now.turn,
      replyOn: now.last_user_msg_id,
      prompt,
      renderedPrompt: system,
      model: { vendor: chosen.vendor, name: chosen.model },
      preparedMessageId: null,
      pingConfigId: null,
      pingStepNumber: null,
    });
    const [first] = made;
    if (first !== undefined) await runBecame(tx, runId, first);
    await closeAndTell(tx, now, null);
    failpoint('reply.beforeCommit');
  });
  failpoint('reply.afterCommit');
}

async function closeAndTell(tx: Tx, dialogue: DialogueRow, noAnswer: string | null): Promise<void> {
  await closeTurn(tx, dialogue.id, noAnswer);
  announce(tx, 'dialogue', dialogue.product_id, [dialogue.id]);
}

/** Closes the turn unless a newer one has begun. */
async function finish(ground: Ground, dialogue: DialogueRow, noAnswer: string | null): Promise<void> {
  await ground.transact(async (tx) => {
    const now = await lockDialogue(tx, dialogue.id);
    if (now && now.turn === dialogue.turn) await closeAndTell(tx, now, noAnswer);
  });
}

/** The model failed: another try later, or, when patience is spent or trying cannot help, a visible 'No answer'. */
async function fail(ground: Ground, dialogue: DialogueRow, reason: string, lasting: boolean): Promise<void> {
  const sentence = `No answer: ${reason}`;
  if (lasting) return finish(ground, dialogue, sentence);
  const pause =
    Math.min(ground.config.retryBaseSeconds * 2 ** dialogue.turn_tries, LONGEST_PAUSE) * (0.75 + Math.random() / 2);
  const spent = await ground.transact((tx) => postponeTurn(tx, dialogue.id, dialogue.turn, pause, PATIENCE_SECONDS));
  if (spent) await finish(ground, dialogue, sentence);
}

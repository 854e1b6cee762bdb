/** What an operator does to messages: write, edit, hurry, cancel, send again, settle. */
import { driverOf } from '../channels/drivers.ts';
import { channelFor } from '../channels/known.ts';
import { enqueue } from '../jobs/runner.ts';
import { runBecame } from '../llm/runs.ts';
import { recordDeed, type Writing } from '../platform/audit.ts';
import type { BodyOf, QueryOf } from '../platform/contract.ts';
import type { Reader, Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { announce } from '../platform/live.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { promptOf } from '../prompts/prompt.ts';
import { dialogueOn } from './begin.ts';
import { noteFound } from './begun.ts';
import type { sendNew } from './chatbotContract.ts';
import { compose, TYPED } from './compose.ts';
import type { editMessage, messages as messageEndpoints } from './contract.ts';
import { makeText } from './made.ts';
import { handOver } from './ownership.ts';
import { dialogueRefusals } from './refusals.ts';
import { cancelMessage } from './store/cancel.ts';
import { lockDialogue, noteOutbound, oweAnswer, surroundings } from './store/dialogues.ts';
import {
  type ContactRow,
  confirm,
  findContact,
  hide,
  hurry,
  isKeyKnown,
  lockDialogueOf,
  mainDialogueId,
  queueAgain,
} from './store/hand.ts';
import { batchOf, lockMessage, messageToContact, updateMessage } from './store/messages.ts';
import type { DialogueRow, MessageRow } from './store/tables.ts';

async function mustLockMessage(tx: Tx, id: number): Promise<MessageRow> {
  await lockDialogueOf(tx, id);
  const message = await lockMessage(tx, id);
  if (!message || message.removed_at !== null) throw refuse(commonRefusals, 'not_found', { noun: 'message' });
  return message;
}

async function contactRow(tx: Tx, id: number): Promise<ContactRow> {
  const row = await findContact(tx, id);
  if (!row) throw refuse(commonRefusals, 'not_found', { noun: 'contact' });
  return row;
}

/** A message typed by an operator in a dialogue: it takes the dialogue over. */
export async function sendByHand(
  ground: Ground,
  body: BodyOf<typeof messageEndpoints.create>,
  writing: Writing,
): Promise<{ dialogueId: number; ids: number[] }> {
  return ground.transact(async (tx) => {
    const contact = await contactRow(tx, body.contact_id);
    if (contact.product_id !== body.product_id) throw refuse(dialogueRefusals, 'dialogue.mismatch');
    const dialogue =
      body.dialogue_id === null ? await mainDialogue(tx, body.contact_id) : await lockDialogue(tx, body.dialogue_id);
    if (!dialogue) throw refuse(dialogueRefusals, 'dialogue.none');
    if (dialogue.contact_id !== body.contact_id) throw refuse(dialogueRefusals, 'dialogue.mismatch');
    const prompt = body.prompt_id === null ? null : ((await promptOf(tx, body.prompt_id)) ?? null);
    if (prompt && prompt.product_id !== body.product_id) throw refuse(dialogueRefusals, 'dialogue.mismatch');
    if (dialogue.owner === 'bot') await handOver(tx, dialogue, writing.caller.login);
    const ids = await compose(tx, dialogue, {
      ...TYPED,
      text: body.message,
      operator: writing.caller.login,
      writing,
      split: body.split,
      delay: body.delay_enabled,
      schedule: body.schedule_enabled,
      debounceGuard: body.debounce_guard,
      notBefore: body.send_not_before,
      clientKey: body.client_key,
      replyOn: body.reply_on_msg_id,
      prompt,
      renderedPrompt: body.rendered_prompt,
      preparedMessageId: body.prepared_message_id,
      pingConfigId: body.ping_config_id,
      pingStepNumber: body.ping_step_number,
    });
    return { dialogueId: dialogue.id, ids };
  });
}

async function mainDialogue(tx: Tx, contactId: number): Promise<DialogueRow | undefined> {
  const id = await mainDialogueId(tx, contactId);
  return id === null ? undefined : lockDialogue(tx, id);
}

/**
 * Writes to a contact in its dialogue on the channel, or begins one. The bot stays in charge of a new dialogue, and where
 * a prepared message or a document is sent.
 */
export async function writeToContact(
  ground: Ground,
  body: BodyOf<typeof sendNew>,
  query: QueryOf<typeof sendNew>,
  writing: Writing,
): Promise<{ dialogueId: number; ids: number[] }> {
  // Asked before anything is made: a document is written by a model, and kept.
  const sent = await sentBefore(ground.reader, body.contact_id, body.client_key);
  if (sent) return sent;
  const { runId, ...made } = await makeText(ground, body, writing.caller);
  return ground.transact(async (tx) => {
    const contact = await contactRow(tx, body.contact_id);
    const channelId = body.channel_id ?? (await channelFor(tx, contact.product_id, contact.contact_type));
    if (channelId === undefined) throw refuse(dialogueRefusals, 'dialogue.no_channel', { type: contact.contact_type });
    const { dialogue, isNew } = await dialogueOn(tx, contact, channelId);
    // Under the dialogue's lock: the same call twice at once.
    const twin = await sentBefore(tx, body.contact_id, body.client_key);
    if (twin) return twin;
    // What the team has prepared is no human who takes over.
    if (!isNew && body.text !== null && dialogue.owner === 'bot') await handOver(tx, dialogue, writing.caller.login);
    const ids = await compose(tx, dialogue, {
      ...TYPED,
      ...made,
      operator: writing.caller.login,
      writing,
      split: body.split,
      delay: query.delay_enabled,
      schedule: query.schedule_enabled,
      notBefore: body.send_not_before,
      clientKey: body.client_key,
    });
    const [first] = ids;
    if (runId !== null && first !== undefined) await runBecame(tx, runId, first);
    return { dialogueId: dialogue.id, ids };
  });
}

async function sentBefore(
  reader: Reader,
  contactId: number,
  clientKey: string | null,
): Promise<{ dialogueId: number; ids: number[] } | null> {
  const message = clientKey === null ? undefined : await messageToContact(reader, contactId, clientKey);
  return message ? { dialogueId: message.dialogue_id, ids: await batchOf(reader, message) } : null;
}

/** Changes the text or the time of a message that has not left. */
export async function editScheduled(
  ground: Ground,
  id: number,
  body: BodyOf<typeof editMessage>,
  writing: Writing,
): Promise<void> {
  await ground.transact(async (tx) => {
    const message = await mustLockMessage(tx, id);
    if (message.status !== 'scheduled') throw refuse(dialogueRefusals, 'message.left', { status: message.status });
    const change = {
      ...(body.message === undefined ? {} : { message: body.message }),
      ...(body.scheduled_at === undefined ? {} : { scheduled_at: body.scheduled_at, wanted_at: null }),
    };
    if (Object.keys(change).length === 0) return;
    await updateMessage(tx, id, change);
    await record(tx, writing, 'changed', message, body);
    await wake(tx, message);
  });
}

export async function sendScheduledNow(ground: Ground, id: number, writing: Writing): Promise<void> {
  await ground.transact(async (tx) => {
    const message = await mustLockMessage(tx, id);
    if (message.status !== 'scheduled') throw refuse(dialogueRefusals, 'message.left', { status: message.status });
    await hurry(tx, id);
    await record(tx, writing, 'sent now', message);
    await wake(tx, message);
  });
}

/** Sends a failed or unconfirmed message again: inside the vendor's window under its old key, later under a new one. */
export async function retry(ground: Ground, id: number, writing: Writing): Promise<void> {
  await ground.transact(async (tx) => {
    const message = await mustLockMessage(tx, id);
    if (message.status !== 'error' && message.status !== 'unconfirmed') {
      throw refuse(dialogueRefusals, 'message.not_failed', { status: message.status });
    }
    const around = await surroundings(tx, message.dialogue_id);
    const known = around !== null && (await isKeyKnown(tx, id, driverOf(around.vendor).keyWindowMs));
    await queueMessageAgain(tx, message, message.status === 'unconfirmed' && known, writing);
  });
}

/**
 * Puts a failed or unconfirmed message, which is locked, back into the queue. `keepKey`: under the key of its earlier try,
 * and only as long as the vendor recognises that one.
 */
export async function queueMessageAgain(
  tx: Tx,
  message: MessageRow,
  keepKey: boolean,
  writing: Writing,
): Promise<void> {
  await queueAgain(tx, message.id, keepKey);
  await record(tx, writing, 'sent again', message);
  await wake(tx, message);
}

/** An operator knows that an unconfirmed message arrived. */
export async function settleAsSent(ground: Ground, id: number, writing: Writing): Promise<void> {
  await ground.transact(async (tx) => {
    const message = await mustLockMessage(tx, id);
    if (message.status !== 'unconfirmed')
      throw refuse(dialogueRefusals, 'message.not_unconfirmed', { status: message.status });
    await confirm(tx, id);
    await noteFound(tx, message);
    await noteOutbound(tx, message.dialogue_id, id, message.message.slice(0, 140));
    await record(tx, writing, 'marked as sent', message);
    await wake(tx, message);
  });
}

/** Deletes a message: a scheduled one is cancelled, another leaves the view. */
export async function removeMessage(tx: Tx, id: number, operator: string): Promise<void> {
  const message = await mustLockMessage(tx, id);
  if (message.status === 'scheduled') {
    await cancelMessage(tx, id, `Cancelled by ${operator}`);
  } else if (message.status === 'sending') {
    throw refuse(dialogueRefusals, 'message.left', { status: message.status });
  } else {
    await hide(tx, id);
  }
  await wake(tx, message);
}

/** Tries again on a dialogue that could not be answered. */
export async function tryAnswerAgain(tx: Tx, id: number, writing: Writing): Promise<void> {
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  if (dialogue.no_answer === null && dialogue.turn_due_at === null) throw refuse(dialogueRefusals, 'dialogue.answered');
  await oweAnswer(tx, id);
  const { product_id: productId, no_answer } = dialogue;
  await recordDeed(tx, {
    ...writing,
    action: 'answer again',
    noun: 'dialogue',
    rowId: id,
    productId,
    before: { no_answer },
  });
  await enqueue(tx, 'reply', { dialogue: id }, `reply:${id}`);
  announce(tx, 'dialogue', dialogue.product_id, [id]);
}

/** What was done to a message; `after`: what of it was given anew. */
function record(tx: Tx, writing: Writing, action: string, before: MessageRow, after: object = {}): Promise<void> {
  const { dialogue_id, message, status, scheduled_at } = before;
  return recordDeed(tx, {
    ...writing,
    action,
    noun: 'message',
    rowId: before.id,
    productId: before.product_id,
    before: { dialogue_id, message, status, scheduled_at },
    after: { dialogue_id, ...after },
  });
}

async function wake(tx: Tx, message: MessageRow): Promise<void> {
  await enqueue(tx, 'deliver', { dialogue: message.dialogue_id }, `deliver:${message.dialogue_id}`);
  announce(tx, 'message', message.product_id, [message.id]);
}

/** Operators' actions on messages: write, edit, send now, cancel, retry, settle. */

import { randomUUID } from 'node:crypto';
import { driverOf } from '../channels/drivers.ts';
import { selectUsableChannel } from '../channels/store.ts';
import type { editMessage, messages as messageEndpoints } from '../conversations/contract.ts';
import { openDialogue } from '../conversations/openDialogue.ts';
import { requireOptOutConfirmed } from '../conversations/optOutByHand.ts';
import { answerForBot, handOverDialogue, operatorReason, recordAnswerOfHuman } from '../conversations/ownership.ts';
import {
  findRepeatedBatch,
  OPERATOR_MESSAGE,
  OUTBOX_SWEEP,
  type OutgoingMessage,
  queueMessages,
} from '../conversations/queueMessages.ts';
import { conversationRefusals } from '../conversations/refusals.ts';
import { requestReply } from '../conversations/requestReply.ts';
import { type ContactRow, findContact, findDialogueContext, lockDialogue } from '../conversations/store/dialogues.ts';
import { findColleaguesAnswer, findMessageByClientKey, updateMessage } from '../conversations/store/messages.ts';
import type { DialogueRow, MessageRow } from '../conversations/store/tables.ts';
import { loadConversations, loadWaiting } from '../engine/postgres/load.ts';
import type { DeliveryEvent } from '../engine/rules/delivery.ts';
import { withParts } from '../engine/rules/waiting.ts';
import { applyEvents } from '../engine/steps/applyEvents.ts';
import { findWritingRun, linkRunToMessage } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { BodyOf, QueryOf } from '../platform/contract.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { ValidationError } from '../platform/http/errors.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { requirePreparedType } from '../prompts/preparedType.ts';
import { readLivePrompt, readPrompt } from '../prompts/prompt.ts';
import { renderOutgoing } from './renderOutgoing.ts';
import { reopenWait } from './reopenWait.ts';
import type { sendNew } from './sendContract.ts';
import { isSendKeyValid, lockMessage } from './store/delivery.ts';
import {
  findDialogueOfMessage,
  findMainDialogueId,
  findMessageToContact,
  hasMessages,
} from './store/operatorActions.ts';

async function lockMessageOrRefuse(tx: Tx, id: number): Promise<MessageRow> {
  await loadConversations(tx, [{ id }]);
  const message = await lockMessage(tx, id);
  if (!message || message.removed_at !== null) throw refuse(commonRefusals, 'not_found', { noun: 'message' });
  return message;
}

async function findContactOrRefuse(tx: Tx, id: number): Promise<ContactRow> {
  const row = await findContact(tx, id);
  if (!row) throw refuse(commonRefusals, 'not_found', { noun: 'contact' });
  return row;
}

/** Read the prompt that a message is said to come from: what is live of it, else what was saved. */
async function readPromptOfMessage(tx: Tx, id: number) {
  return (await readLivePrompt(tx, id)) ?? (await readPrompt(tx, id)) ?? null;
}

/** Send a message typed by an operator in a dialogue, and hand the dialogue over to them. */
export async function sendTyped(
  context: AppContext,
  body: BodyOf<typeof messageEndpoints.create>,
  writing: WriteContext,
): Promise<{ dialogueId: number; ids: number[] }> {
  return context.transact(async (tx) => {
    const contact = await findContactOrRefuse(tx, body.contact_id);
    if (contact.product_id !== body.product_id) throw refuse(conversationRefusals, 'dialogue.mismatch');
    const dialogue =
      body.dialogue_id === null
        ? await lockMainDialogue(tx, body.contact_id)
        : await lockDialogue(tx, body.dialogue_id);
    if (!dialogue) throw refuse(conversationRefusals, 'dialogue.none');
    if (dialogue.contact_id !== body.contact_id) throw refuse(conversationRefusals, 'dialogue.mismatch');
    const prompt = body.prompt_id === null ? null : await readPromptOfMessage(tx, body.prompt_id);
    if (prompt && prompt.product_id !== body.product_id) throw refuse(conversationRefusals, 'dialogue.mismatch');
    await requireMessageOfDialogue(tx, body.reply_on_msg_id, dialogue.id);
    const draft = await readDraft(tx, { runId: body.draft_run_id, dialogueId: dialogue.id });
    const { login } = writing.caller;
    if (body.seen_message_id !== null) {
      const answer = await findColleaguesAnswer(tx, { dialogueId: dialogue.id, after: body.seen_message_id, login });
      if (answer) throw refuse(conversationRefusals, 'dialogue.answered_meanwhile', answer);
    }
    const isRepeated = body.client_key !== null && (await findMessageByClientKey(tx, dialogue.id, body.client_key));
    if (!isRepeated)
      await requireOptOutConfirmed(tx, context, {
        leadId: contact.lead_id,
        dialogueId: dialogue.id,
        isConfirmed: body.confirm_opted_out,
      });
    if (dialogue.owner === 'bot' && body.keep_bot) await answerForBot(tx, dialogue, login);
    else if (dialogue.owner === 'bot') await handOverDialogue(tx, dialogue, operatorReason(writing.caller));
    await recordAnswerOfHuman(tx, dialogue.id, writing.caller);
    const ids = await queueMessages(tx, dialogue, {
      ...OPERATOR_MESSAGE,
      text: body.message,
      operator: login,
      audit: writing,
      split: body.split,
      delay: body.delay_enabled,
      schedule: body.schedule_enabled,
      debounceGuard: body.debounce_guard,
      notBefore: body.send_not_before ?? body.scheduled_at,
      clientKey: body.client_key,
      replyOn: body.reply_on_msg_id,
      prompt: prompt ?? draft.prompt,
      model: draft.model,
      renderedPrompt: body.rendered_prompt,
      preparedMessageId: body.prepared_message_id,
      pingConfigId: body.ping_config_id,
      pingStepNumber: body.ping_step_number,
    });
    const [firstId] = ids;
    if (draft.runId !== null && firstId !== undefined) await linkRunToMessage(tx, draft.runId, firstId);
    return { dialogueId: dialogue.id, ids };
  });
}

/** Refuse a reply to a message of another dialogue: what the lead writes there says nothing about it. */
async function requireMessageOfDialogue(reader: Reader, id: number | null, dialogueId: number): Promise<void> {
  if (id === null || (await findDialogueOfMessage(reader, id)) === dialogueId) return;
  const msg = 'This message belongs to another dialogue';
  throw new ValidationError([{ loc: ['body', 'reply_on_msg_id'], msg, type: 'other_dialogue' }]);
}

/**
 * Return the run, prompt and model of the draft that a message began as. Refuses a run of another dialogue. A run that a
 * message has come from already is none of this one: it keeps its cost where it is. The dialogue must be locked.
 */
async function readDraft(
  tx: Tx,
  { runId, dialogueId }: { runId: number | null; dialogueId: number },
): Promise<Pick<OutgoingMessage, 'prompt' | 'model'> & { readonly runId: number | null }> {
  const none = { runId: null, prompt: null, model: null };
  if (runId === null) return none;
  const run = await findWritingRun(tx, { runId, dialogueId });
  if (!run) throw refuse(conversationRefusals, 'dialogue.mismatch');
  if (run.is_used) return none;
  const { name, prompt_id: id, prompt_version: version } = run;
  return {
    runId,
    prompt: id === null || version === null ? null : { id, name, version },
    model: { vendor: run.model_vendor, name: run.model_name },
  };
}

async function lockMainDialogue(tx: Tx, contactId: number): Promise<DialogueRow | undefined> {
  const id = await findMainDialogueId(tx, contactId);
  return id === null ? undefined : lockDialogue(tx, id);
}

/**
 * Send to a contact in its dialogue on the channel, or create one. The bot keeps a new dialogue, and any dialogue
 * where a prepared message or a document is sent.
 */
export async function sendToContact(
  context: AppContext,
  { body, query }: { body: BodyOf<typeof sendNew>; query: QueryOf<typeof sendNew> },
  writing: WriteContext,
): Promise<{ dialogueId: number; ids: number[] }> {
  // Checked before the content is created: a model writes the document, and it is stored.
  const previous = await findPreviousSend(context.reader, body);
  if (previous) return previous;
  if (!(await hasMessages(context.reader, body.contact_id)))
    await requirePreparedType(context.reader, 'initial', [
      { id: body.prepared_message_id, loc: ['prepared_message_id'] },
    ]);
  const { runId, ...content } = await renderOutgoing(context, body, writing.caller);
  return context.transact(async (tx) => {
    const contact = await findContactOrRefuse(tx, body.contact_id);
    const channelId = body.channel_id ?? (await selectUsableChannel(tx, contact.product_id, contact.contact_type));
    if (channelId === undefined)
      throw refuse(conversationRefusals, 'dialogue.no_channel', { type: contact.contact_type });
    const { dialogue, isNew } = await openDialogue(tx, contact, channelId);
    // Checked again under the dialogue's lock, for two identical concurrent calls.
    const duplicate = await findPreviousSend(tx, body);
    if (duplicate) return duplicate;
    await requireOptOutConfirmed(tx, context, {
      leadId: contact.lead_id,
      dialogueId: dialogue.id,
      isConfirmed: body.confirm_opted_out,
    });
    // Sending content the team has prepared is not a takeover by a human.
    if (!isNew && body.text !== null && dialogue.owner === 'bot')
      await handOverDialogue(tx, dialogue, operatorReason(writing.caller));
    await recordAnswerOfHuman(tx, dialogue.id, writing.caller);
    const ids = await queueMessages(tx, dialogue, {
      ...OPERATOR_MESSAGE,
      ...content,
      operator: writing.caller.login,
      audit: writing,
      split: body.split,
      delay: query.delay_enabled,
      schedule: query.schedule_enabled,
      notBefore: body.send_not_before,
      clientKey: body.client_key,
    });
    const [firstMessageId] = ids;
    if (runId !== null && firstMessageId !== undefined) await linkRunToMessage(tx, runId, firstMessageId);
    return { dialogueId: dialogue.id, ids };
  });
}

async function findPreviousSend(
  reader: Reader,
  { contact_id: contactId, client_key: clientKey, text }: BodyOf<typeof sendNew>,
): Promise<{ dialogueId: number; ids: number[] } | null> {
  const message = clientKey === null ? undefined : await findMessageToContact(reader, contactId, clientKey);
  return message ? { dialogueId: message.dialogue_id, ids: await findRepeatedBatch(reader, message, text) } : null;
}

/** Change the text or time of a message that has not left. */
export async function editScheduledMessage(
  context: AppContext,
  { id, body }: { id: number; body: BodyOf<typeof editMessage> },
  writing: WriteContext,
): Promise<void> {
  await context.transact(async (tx) => {
    const message = await lockMessageOrRefuse(tx, id);
    if (message.status !== 'scheduled') throw refuse(conversationRefusals, 'message.left', { status: message.status });
    if (body.message !== undefined && message.unconfirmed_at !== null)
      throw refuse(conversationRefusals, 'message.maybe_arrived');
    const change = {
      ...(body.message === undefined ? {} : { message: body.message }),
      ...(body.scheduled_at === undefined ? {} : { scheduled_at: body.scheduled_at, originally_scheduled_at: null }),
    };
    if (Object.keys(change).length === 0) return;
    await updateMessage(tx, id, change);
    await recordMessageAction(tx, { writing, action: 'changed', before: message, after: body });
    wakeDelivery(tx, message);
  });
}

export async function sendScheduledMessageNow(context: AppContext, id: number, writing: WriteContext): Promise<void> {
  await context.transact(async (tx) => {
    const message = await lockMessageOrRefuse(tx, id);
    if (message.status !== 'scheduled') throw refuse(conversationRefusals, 'message.left', { status: message.status });
    const loaded = await loadWaiting(tx, { dialogueIds: [message.dialogue_id] });
    const waiting = loaded.byMessage.get(id)?.state.messages ?? new Map();
    await applyEvents(tx, { loaded, events: withParts(waiting, id, { kind: 'sent_now' }) });
    await recordMessageAction(tx, { writing, action: 'sent now', before: message });
    wakeDelivery(tx, message);
  });
}

/**
 * Retry a failed or unconfirmed message. An unconfirmed one keeps its key while the vendor recognises it; otherwise
 * the key is new.
 */
export async function retryFailedMessage(context: AppContext, id: number, writing: WriteContext): Promise<void> {
  await context.transact(async (tx) => {
    const message = await lockMessageOrRefuse(tx, id);
    if (message.status !== 'error' && message.status !== 'unconfirmed') {
      throw refuse(conversationRefusals, 'message.not_failed', { status: message.status });
    }
    const dialogueContext = await findDialogueContext(tx, message.dialogue_id);
    const isKeyValid =
      dialogueContext !== null && (await isSendKeyValid(tx, id, driverOf(dialogueContext.vendor).keyWindowMs));
    await requeueMessage(tx, { message, keepKey: message.status === 'unconfirmed' && isKeyValid }, writing);
  });
}

/**
 * Requeue a failed or unconfirmed message, whose dialogue must be locked. `keepKey` keeps the key of its earlier try; the
 * message is then sent only while the vendor recognises that key.
 */
export async function requeueMessage(
  tx: Tx,
  { message, keepKey }: { message: MessageRow; keepKey: boolean },
  writing: WriteContext,
): Promise<void> {
  const loaded = await loadConversations(tx, [message]);
  const turn = loaded.byMessage.get(message.id)?.turn ?? 0;
  const event = { kind: 'retried', key: keepKey ? null : randomUUID(), turn } as const;
  await applyEvents(tx, { loaded, events: [{ message: message.id, event }] });
  await recordMessageAction(tx, { writing, action: 'sent again', before: message });
  wakeDelivery(tx, message);
}

/** Apply an event to a message, whose dialogue must be locked. */
async function applyEvent(tx: Tx, message: MessageRow, event: DeliveryEvent): Promise<void> {
  await applyEvents(tx, { loaded: await loadConversations(tx, [message]), events: [{ message: message.id, event }] });
}

/** Mark an unconfirmed message as sent, on an operator's word. */
export async function markMessageSent(context: AppContext, id: number, writing: WriteContext): Promise<void> {
  await context.transact(async (tx) => {
    const message = await lockMessageOrRefuse(tx, id);
    if (message.status !== 'unconfirmed')
      throw refuse(conversationRefusals, 'message.not_unconfirmed', { status: message.status });
    await applyEvent(tx, message, { kind: 'confirmed' });
    await recordMessageAction(tx, { writing, action: 'marked as sent', before: message });
    wakeDelivery(tx, message);
  });
}

/** Remove a message: cancel it if it is scheduled, else hide it. */
export async function removeMessage(tx: Tx, id: number, operator: string): Promise<void> {
  const message = await lockMessageOrRefuse(tx, id);
  if (message.status === 'sending') throw refuse(conversationRefusals, 'message.left', { status: message.status });
  const isScheduled = message.status === 'scheduled';
  await applyEvent(
    tx,
    message,
    isScheduled ? { kind: 'cancelled', reason: `Cancelled by ${operator}` } : { kind: 'removed' },
  );
  if (isScheduled || message.status === 'error') await reopenWait(tx, message);
  wakeDelivery(tx, message);
}

/** Retry a dialogue's turn that could not be answered. */
export async function requestReplyAgain(tx: Tx, id: number, writing: WriteContext): Promise<void> {
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  if (dialogue.no_answer === null && dialogue.turn_due_at === null)
    throw refuse(conversationRefusals, 'dialogue.answered');
  await requestReply(tx, id);
  const { product_id: productId, no_answer, no_answer_detail } = dialogue;
  await recordAuditEntry(tx, {
    ...writing,
    action: 'answer again',
    noun: 'dialogue',
    rowId: id,
    productId,
    before: { no_answer, no_answer_detail },
  });
  notify(tx, { topic: 'dialogue', product: dialogue.product_id, ids: [id] });
}

/** Record an action on a message; `after` holds the changed fields. */
function recordMessageAction(
  tx: Tx,
  {
    writing,
    action,
    before,
    after = {},
  }: { writing: WriteContext; action: string; before: MessageRow; after?: object | undefined },
): Promise<void> {
  const { dialogue_id, message, status, scheduled_at } = before;
  return recordAuditEntry(tx, {
    ...writing,
    action,
    noun: 'message',
    rowId: before.id,
    productId: before.product_id,
    before: { dialogue_id, message, status, scheduled_at },
    after: { dialogue_id, ...after },
  });
}

function wakeDelivery(tx: Tx, message: MessageRow): void {
  wakeSweep(tx, OUTBOX_SWEEP);
  notify(tx, { topic: 'message', product: message.product_id, ids: [message.id] });
}

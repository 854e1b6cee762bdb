/** Queues outbound messages. Replies, typed messages and send-new all enter the outbox here. */

import { driverOf } from '../channels/drivers.ts';
import { findChannel, findLink } from '../channels/store.ts';
import { countAfterCommit, logAfterCommit } from '../platform/afterCommit.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { ids } from '../platform/ids.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import { currentTrace } from '../platform/trace.ts';
import type { Author } from './contract.ts';
import { delaySeconds, splitText } from './message.ts';
import {
  claimMessage,
  findBatch,
  findEarliestStart,
  findMessageByClientKey,
  insertMessage,
  secondsAfter,
} from './store/messages.ts';
import type { DialogueRow } from './store/tables.ts';

/** The sweep that sends due messages. */
export const OUTBOX_SWEEP = 'outbox';

export interface OutgoingMessage {
  readonly text: string;
  readonly author: Author;
  readonly operator: string | null;
  /** For the audit log; messages of the bot are not recorded there. */
  readonly audit?: WriteContext;
  readonly split: boolean;
  readonly delay: boolean;
  readonly schedule: boolean;
  readonly debounceGuard: boolean;
  /** ISO instant on the domain clock; null: now. */
  readonly notBefore: string | null;
  readonly clientKey: string | null;
  /** The turn it answers. */
  readonly turn: number | null;
  readonly replyOn: number | null;
  readonly prompt: { readonly id: number; readonly name: string; readonly version: number } | null;
  readonly renderedPrompt: string | null;
  readonly model: { readonly vendor: string; readonly name: string } | null;
  readonly preparedMessageId: number | null;
  readonly pingConfigId: number | null;
  readonly pingStepNumber: number | null;
  /** The kind of outreach that sends it. */
  readonly origin?: 'first' | 'ping';
  /** The lead's message that a follow-up refers to; 0: none. */
  readonly followUpAnchor?: number;
  /** The instance that claims the first part at once. That part gets no typing delay, since nobody waits for it. */
  readonly claimedBy?: string;
}

/**
 * Defaults of the bot's messages: by the schedule, in parts, with the link's delay, cancelled if the lead writes
 * again.
 */
export const BOT_MESSAGE = {
  author: 'bot',
  operator: null,
  split: true,
  delay: true,
  schedule: true,
  debounceGuard: true,
  notBefore: null,
  clientKey: null,
} as const;

/** Defaults of an operator's plain message. */
export const OPERATOR_MESSAGE = {
  author: 'operator',
  debounceGuard: true,
  turn: null,
  replyOn: null,
  prompt: null,
  renderedPrompt: null,
  model: null,
  preparedMessageId: null,
  pingConfigId: null,
  pingStepNumber: null,
} as const;

/**
 * Store a text as one or more scheduled messages of a locked dialogue and return their ids, in order. A repeated
 * client key returns the existing messages.
 */
export async function queueMessages(tx: Tx, dialogue: DialogueRow, outgoing: OutgoingMessage): Promise<number[]> {
  if (outgoing.clientKey !== null) {
    const existing = await findMessageByClientKey(tx, dialogue.id, outgoing.clientKey);
    if (existing) return findBatch(tx, existing);
  }
  const channel = await findChannel(tx, dialogue.channel_id);
  if (!channel) throw new Error(`Dialogue ${dialogue.id} has no channel`);
  const link = outgoing.delay ? await findLink(tx, dialogue.product_id, dialogue.channel_id) : undefined;
  const limit = driverOf(channel.vendor).textLimit(channel.channel_type);
  const parts = splitText(outgoing.text, limit, outgoing.split);
  const partGroup = parts.length > 1 ? ids.next() : null;
  const messageIds: number[] = [];
  // A reply shares the trace of the message it answers; a typed message uses the id of its request.
  const trace = currentTrace() ?? outgoing.audit?.requestId ?? ids.next();
  const start = await findEarliestStart(tx, dialogue.id, outgoing.notBefore);
  let delay = 0;
  for (const [index, text] of parts.entries()) {
    if (index > 0 || outgoing.claimedBy === undefined) delay += delaySeconds(text, link);
    const id = await insertMessage(tx, {
      product_id: dialogue.product_id,
      contact_id: dialogue.contact_id,
      dialogue_id: dialogue.id,
      channel_id: dialogue.channel_id,
      message: text,
      side: 'bot',
      author: outgoing.author,
      operator: outgoing.operator,
      status: 'scheduled',
      scheduled_at: secondsAfter(start, delay) as never,
      client_key: index === 0 ? outgoing.clientKey : null,
      prompt_id: outgoing.prompt?.id ?? null,
      prompt_name: outgoing.prompt?.name ?? null,
      prompt_version: outgoing.prompt?.version ?? null,
      model_vendor: outgoing.model?.vendor ?? null,
      model_name: outgoing.model?.name ?? null,
      prepared_message_id: outgoing.preparedMessageId,
      ping_config_id: outgoing.pingConfigId,
      ping_step_number: outgoing.pingStepNumber,
      // Later parts belong to the first: they count neither toward the quota nor as a step.
      origin: index === 0 ? (outgoing.origin ?? null) : null,
      follow_up_anchor_id: index === 0 ? (outgoing.followUpAnchor ?? null) : null,
      reply_on_msg_id: outgoing.replyOn,
      rendered_prompt: outgoing.renderedPrompt,
      schedule_enabled: outgoing.schedule,
      debounce_guard: outgoing.debounceGuard,
      turn: outgoing.turn,
      part_group: partGroup,
      trace,
    });
    messageIds.push(id);
    if (outgoing.audit) {
      await recordAuditEntry(tx, {
        ...outgoing.audit,
        action: 'created',
        noun: 'message',
        rowId: id,
        productId: dialogue.product_id,
        after: { dialogue_id: dialogue.id, message: text },
      });
    }
  }
  const [firstMessageId] = messageIds;
  if (outgoing.claimedBy !== undefined && firstMessageId !== undefined)
    await claimMessage(tx, {
      id: firstMessageId,
      instanceId: outgoing.claimedBy,
      keyWindowMs: driverOf(channel.vendor).keyWindowMs,
    });
  else wakeSweep(tx, OUTBOX_SWEEP);
  notify(tx, { topic: 'message', product: dialogue.product_id, ids: messageIds });
  countAfterCommit(tx, 'composed', { author: outgoing.author });
  logAfterCommit(tx, { trace, messages: messageIds, dialogue: dialogue.id, author: outgoing.author }, 'composed');
  return messageIds;
}

/** Queues outbound messages. Replies, typed messages and send-new all enter the outbox here. */

import { driverOf } from '../channels/drivers.ts';
import { countAfterCommit, logAfterCommit } from '../platform/afterCommit.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { ids } from '../platform/ids.ts';
import type { Claimant } from '../platform/lease.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import { refuse } from '../platform/refuse.ts';
import { currentTrace } from '../platform/trace.ts';
import type { Author, Origin } from './contract.ts';
import { partsForLead, secondsOfParts } from './partsForLead.ts';
import { conversationRefusals } from './refusals.ts';
import { findMessageByClientKey, findPartsOfText } from './store/messages.ts';
import { insertQueuedParts, loadQueueFacts, type QueuedPart, type QueueFacts } from './store/queue.ts';
import type { DialogueRow, MessageRow } from './store/tables.ts';

/** The sweep that sends due messages. */
export const OUTBOX_SWEEP = 'outbox';

export interface OutgoingMessage {
  readonly text: string;
  /** A model wrote it, in Markdown: it is converted to what the messenger shows. False: it is sent as it is. */
  readonly isMarkdown: boolean;
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
  /** What sends it by itself; omitted: it answers the lead, or somebody typed it. */
  readonly origin?: Origin;
  /** The lead's message that a follow-up refers to; 0: none. */
  readonly followUpAnchor?: number;
  /** The instance that claims the first part at once. That part gets no typing delay, since nobody waits for it. */
  readonly claimedBy?: Claimant;
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
  isMarkdown: false,
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

/** A text of a locked dialogue. */
export interface DialogueText {
  readonly dialogue: Pick<DialogueRow, 'id' | 'product_id'>;
  readonly outgoing: OutgoingMessage;
  /** By default the current trace, the id of the operator's request, or a new one. */
  readonly trace?: string | null;
}

/**
 * Store a text as one or more scheduled messages of a locked dialogue and return their ids, in order. A repeated
 * client key returns the existing messages, and is refused for another text.
 */
export async function queueMessages(
  tx: Tx,
  dialogue: DialogueText['dialogue'],
  outgoing: OutgoingMessage,
): Promise<number[]> {
  if (outgoing.clientKey !== null) {
    const existing = await findMessageByClientKey(tx, dialogue.id, outgoing.clientKey);
    if (existing) return findRepeatedBatch(tx, existing, outgoing.text);
  }
  const [ids] = await queueTexts(tx, [{ dialogue, outgoing }]);
  return ids ?? [];
}

/**
 * Return the ids of the messages that a text was stored as under a client key, by the first of them. Throws if that was
 * another text; null: the text is not known.
 */
export async function findRepeatedBatch(reader: Reader, first: MessageRow, text: string | null): Promise<number[]> {
  const parts = await findPartsOfText(reader, first);
  // It was split into parts at white space, and marks that a cut separated were closed and opened again.
  const onlyWords = (one: string) => one.replaceAll(/[\s*_~`]+/g, '');
  if (text !== null && onlyWords(parts.map(({ message }) => message).join('')) !== onlyWords(text))
    throw refuse(conversationRefusals, 'message.key_used');
  return parts.map(({ id }) => id);
}

/** Store texts as messages, at most one of each dialogue. Returns the ids of each text, in order. */
export async function queueTexts(
  tx: Tx,
  texts: readonly DialogueText[],
  loadedFacts?: readonly QueueFacts[],
): Promise<number[][]> {
  const asked = texts.map(({ dialogue, outgoing }) => ({ dialogueId: dialogue.id, notBefore: outgoing.notBefore }));
  const facts = loadedFacts ?? (await loadQueueFacts(tx, asked));
  const parts = texts.map((text, index) => partsOf(text, facts[index]));
  const stored = await insertQueuedParts(tx, parts.flat());
  const idsOfTexts: number[][] = [];
  for (const [index, { dialogue, outgoing }] of texts.entries()) {
    const messageIds = stored.splice(0, parts[index]?.length ?? 0);
    idsOfTexts.push(messageIds);
    if (outgoing.claimedBy === undefined) wakeSweep(tx, OUTBOX_SWEEP);
    for (const [at, id] of messageIds.entries())
      if (outgoing.audit)
        await recordAuditEntry(tx, {
          ...outgoing.audit,
          action: 'created',
          noun: 'message',
          rowId: id,
          productId: dialogue.product_id,
          after: { dialogue_id: dialogue.id, message: parts[index]?.[at]?.message },
        });
    notify(tx, { topic: 'message', product: dialogue.product_id, ids: messageIds });
    countAfterCommit(tx, 'composed', { author: outgoing.author });
    const trace = parts[index]?.[0]?.trace;
    logAfterCommit(tx, { trace, messages: messageIds, dialogue: dialogue.id, author: outgoing.author }, 'composed');
  }
  return idsOfTexts;
}

/** Split a text into the parts that are sent one after another. */
function partsOf({ dialogue, outgoing, trace }: DialogueText, facts: QueueFacts | undefined): QueuedPart[] {
  if (!facts) throw new Error(`Dialogue ${dialogue.id} has no channel`);
  const texts = partsForLead(outgoing, { driver: driverOf(facts.vendor), type: facts.channel_type });
  const link = outgoing.delay ? facts : undefined;
  const shared = {
    product_id: facts.product_id,
    contact_id: facts.contact_id,
    dialogue_id: dialogue.id,
    channel_id: facts.channel_id,
    author: outgoing.author,
    operator: outgoing.operator,
    prompt_id: outgoing.prompt?.id ?? null,
    prompt_name: outgoing.prompt?.name ?? null,
    prompt_version: outgoing.prompt?.version ?? null,
    model_vendor: outgoing.model?.vendor ?? null,
    model_name: outgoing.model?.name ?? null,
    prepared_message_id: outgoing.preparedMessageId,
    ping_config_id: outgoing.pingConfigId,
    ping_step_number: outgoing.pingStepNumber,
    reply_on_msg_id: outgoing.replyOn,
    rendered_prompt: outgoing.renderedPrompt,
    schedule_enabled: outgoing.schedule,
    debounce_guard: outgoing.debounceGuard,
    turn: outgoing.turn,
    part_group: texts.length > 1 ? ids.next() : null,
    // A reply shares the trace of the message it answers; a typed message uses the id of its request.
    trace: trace ?? currentTrace() ?? outgoing.audit?.requestId ?? ids.next(),
    start: facts.start,
  };
  const delays = secondsOfParts(texts, { link, sentAtOnce: outgoing.claimedBy !== undefined });
  return texts.map((message, index) => {
    const claimant = index === 0 ? outgoing.claimedBy : undefined;
    return {
      ...shared,
      message,
      client_key: index === 0 ? outgoing.clientKey : null,
      // Later parts belong to the first: they count neither toward the quota nor as a step.
      origin: index === 0 ? (outgoing.origin ?? null) : null,
      follow_up_anchor_id: index === 0 ? (outgoing.followUpAnchor ?? null) : null,
      claimed_by: claimant?.instanceId ?? null,
      lease_seconds: claimant?.config.leaseSeconds ?? null,
      delay_seconds: delays[index] ?? 0,
    };
  });
}

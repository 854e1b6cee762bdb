/**
 * The outbox of the engine in memory: texts become messages, due messages go to the vendor, and outcomes are settled, by the
 * deciders and rules of the engine with a database.
 */
import { driverOf } from '../../channels/drivers.ts';
import { RECENT_LIMIT } from '../../conversations/inboundMeaning.ts';
import { partsForLead, secondsOfParts } from '../../conversations/partsForLead.ts';
import type { RecentMessage } from '../../conversations/robots.ts';
import { settledAs } from '../../conversations/sendPolicy.ts';
import type { Delivery } from '../../engine/rules/message.ts';
import { withParts } from '../../engine/rules/waiting.ts';
import { type OwnerReason, ownerReasonCodes } from '../../leads/lead.ts';
import { blockBy, type DueFacts, decideSend, type SendDecision } from '../../outbox/decideSend.ts';
import { eventOfOutcome } from '../../outbox/outcomeEvent.ts';
import { checkQuota, checkSend, PREVIOUS_PART_REFUSED } from '../checkSend.ts';
import { reasonText } from '../reason.ts';
import { applyEvent, applyEvents, cancelWaiting } from './changes.ts';
import { addMessage, isWaiting, type MemoryLead } from './lead.ts';
import type { MemoryDialogue, MemoryMessage } from './rows.ts';
import type { MemoryState } from './state.ts';

/** Milliseconds for which an unconfirmed message blocks its dialogue. */
const UNCONFIRMED_BLOCKS_MS = 120_000;
/** Least seconds until a refused message is tried again. */
const RETRY_SECONDS = 2;
/** The one instance, and how long its claims last: nothing is with the vendor for any time. */
const CLAIMANT = { by: 'memory', leaseSeconds: 60, key: 'new' } as const;

interface Outgoing {
  readonly text: string;
  /** A model wrote it. */
  readonly isMarkdown: boolean;
  /** Whether blank lines begin a new part. */
  readonly split?: boolean;
  readonly origin?: Delivery['origin'];
  readonly step?: number;
  /** The lead's message that a follow-up refers to; 0: none. */
  readonly anchor?: number;
  readonly replyOn?: number | null;
}

/** Queue a text in its parts. A first message, which nobody waits for, is handed to the vendor at once. */
export function queueText(state: MemoryState, lead: MemoryLead, outgoing: Outgoing): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  const { text, isMarkdown, split = true, origin = null, anchor = null, step = null, replyOn = null } = outgoing;
  const channel = state.channels.get(dialogue.channelId);
  const parts =
    text === '' || !channel
      ? [text]
      : partsForLead({ text, isMarkdown, split }, { driver: driverOf(channel.vendor), type: channel.link.type });
  const seconds = secondsOfParts(parts, { link: channel?.delay, sentAtOnce: origin === 'first' });
  const start = earliestStart(state, dialogue);
  const group = parts.length > 1 ? String(state.nextId()) : null;
  const messages = parts.map((part, index) =>
    addMessage(dialogue, state.now, {
      id: state.nextId(),
      leadId: lead.columns.id,
      planned: lead.reason,
      author: 'bot',
      text: part,
      at: start + (seconds[index] ?? 0) * 1000,
      // Later parts belong to the first: they count neither toward the quota nor as a step.
      anchor: index === 0 ? anchor : null,
      origin: index === 0 ? origin : null,
      step,
      group,
      replyOn,
      hasHours: true,
    }),
  );
  lead.noteChange();
  const [first] = messages;
  if (origin === 'first' && first) {
    reserve(state, first);
    deliver(state, lead, first);
  }
  sendDue(state, lead);
}

/** Return the earliest time of a new text: not between the parts of another text that has started to leave. */
function earliestStart({ now }: MemoryState, { messages, thread }: MemoryDialogue): number {
  if (messages.length === 0) return now;
  const parts = messages.flatMap(({ state: one }) =>
    one.status === 'scheduled' && one.part_group !== null && one.originally_scheduled_at === null ? [one] : [],
  );
  const started = new Set([
    thread.group,
    ...parts.flatMap((one) => ((one.scheduled_at ?? 0) <= now ? [one.part_group] : [])),
  ]);
  return Math.max(now, ...parts.map((one) => (started.has(one.part_group) ? (one.scheduled_at ?? 0) : 0)));
}

/** Send what is due in a lead's dialogue, one message after another, and look again when more may be. */
export function sendDue(state: MemoryState, lead: MemoryLead): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  let message = firstWaiting(dialogue);
  while (message && dueAt(message) <= state.now && advance(state, { lead, dialogue, message }))
    message = firstWaiting(dialogue);
  if (!message) return;
  const opensAt = state.channels.opensAt(message.channelId, state.now) ?? Number.POSITIVE_INFINITY;
  const isDue = dueAt(message) <= state.now;
  const at = isDue ? Math.max(message.state.retry_at ?? 0, blockedUntil(dialogue), opensAt) : dueAt(message);
  if (at > state.now && Number.isFinite(at)) state.outbox.add(at, lead.columns.id);
}

const dueAt = ({ state: { scheduled_at: at } }: MemoryMessage): number => at ?? 0;

function firstWaiting({ messages }: MemoryDialogue): MemoryMessage | undefined {
  let first: MemoryMessage | undefined;
  for (const one of messages) if (isWaiting(one) && (!first || dueAt(one) < dueAt(first))) first = one;
  return first;
}

/** Until when an unconfirmed message blocks the others. */
function blockedUntil({ messages }: MemoryDialogue): number {
  let until = 0;
  for (const { state } of messages)
    if (state.status === 'unconfirmed') until = Math.max(until, (state.unconfirmed_at ?? 0) + UNCONFIRMED_BLOCKS_MS);
  return until;
}

interface Due {
  readonly lead: MemoryLead;
  readonly dialogue: MemoryDialogue;
  readonly message: MemoryMessage;
}

/** Decide about a due message, and do it. Returns whether what is behind it may be due. */
function advance(state: MemoryState, due: Due): boolean {
  const { lead, dialogue, message } = due;
  const decision = decide(state, due);
  switch (decision.kind) {
    case 'claim':
      deliver(state, lead, message);
      return true;
    case 'change': {
      const { event, takesParts } = decision;
      if (event.kind === 'noted' || !takesParts) applyEvent(state, lead, { message, event });
      else applyEvents(state, lead, withParts(statesOf(dialogue), message.id, event));
      return event.kind !== 'noted';
    }
    case 'expired':
      applyEvent(state, lead, { message, event: decision });
      return true;
    case 'skip':
      return false;
    default:
      return decision satisfies never;
  }
}

const statesOf = ({ messages }: MemoryDialogue): ReadonlyMap<number, Delivery> =>
  new Map(messages.map(({ id, state }) => [id, state]));

/** Decide about a due message; one that was refused temporarily takes its place in the day's quota here. */
function decide(state: MemoryState, due: Due): Exclude<SendDecision, { kind: 'quota' }> {
  const decision = decideSend(dueFacts(state, due), (facts) => checkSend(facts, state.settings));
  if (decision.kind !== 'quota') return decision;
  const { lead, message } = due;
  const { id, channelId } = message;
  if (hasOtherConversation(state, lead)) return blockBy(id, { kind: 'cancel', reason: reasonText({ code: 'talked' }) });
  const links = state.settings.links.filter((link) => link.channelId === channelId);
  const { now } = state;
  const facts = { counters: state.quota.counters(now, id), settings: { ...state.settings, links }, now };
  const block = checkQuota(lead.facts, message.contactId ?? 0, facts);
  if (block) return blockBy(id, block);
  reserve(state, message);
  return { kind: 'claim' };
}

/** Whether the person of a first message that is sent again has a conversation beside it. */
const hasOtherConversation = (state: MemoryState, lead: MemoryLead): boolean =>
  [...state.leadsOfPerson(lead)].some(
    (one) => (one.dialogue?.state.last_user_msg_id ?? null) !== null || (one !== lead && one.facts.hasConversation),
  );

function dueFacts({ settings, channels, now }: MemoryState, { lead, dialogue, message }: Due): DueFacts {
  const { columns } = lead;
  const { state } = dialogue;
  const { id, author } = message;
  const { created_at: createdAt, unconfirmed_at: since, send_key_used_at: usedAt, retry_at: retryAt } = message.state;
  const { origin, ping_step_number, reply_on_msg_id, schedule_enabled, reason, debounce_guard, turn } = message.state;
  return {
    message: {
      id,
      author,
      origin,
      ping_step_number,
      reply_on_msg_id,
      schedule_enabled,
      reason,
      debounce_guard,
      turn,
      product_id: settings.productId,
      created_at: createdAt,
      unconfirmed_at: since,
    },
    context: channels.contextOf(message.channelId, now),
    lead: {
      stage: columns.stage,
      is_active: columns.isActive,
      timezone: columns.zone,
      recognized_deactivation_request: columns.optedOut,
    },
    isProductActive: settings.isActive,
    now,
    owner: state.owner,
    ownerReason: ownerReasonOf(dialogue),
    isHandOverOpen: state.hand_over_open,
    turn: state.turn,
    isReady: retryAt === null || retryAt <= now,
    isDialogueBlocked: blockedUntil(dialogue) > now,
    addressRefusal: state.last_user_msg_id === null ? dialogue.facts.addressRefusal : null,
    hasUnprocessedInbound: false,
    // In memory a lead has one dialogue.
    hasAnsweredSince: false,
    // In memory nobody but the bot writes.
    hasNewerInbound: false,
    hasOlder: false,
    keyAgeMs: usedAt === null ? null : now - usedAt,
    personOptOut: columns.personOptOut,
  };
}

function ownerReasonOf({
  state: { owner_reason: reason, owner_reason_detail: detail },
}: MemoryDialogue): OwnerReason | null {
  const code = reason === null ? undefined : ownerReasonCodes.find((one) => one === reason);
  return code === undefined ? null : { code, detail };
}

/** Take a place in the day's quota for a first message. */
function reserve(state: MemoryState, { id, leadId, channelId }: MemoryMessage): void {
  const channel = state.channels.get(channelId);
  if (!channel || channelId === null) return;
  state.quota.take(id, { channelId, type: channel.link.type, leadId }, state.now);
  if (channel.firstSentAt !== null) return;
  channel.firstSentAt = state.now;
  state.refreshChannels();
}

/** Claim a message, hand it to the vendor, and settle the outcome. */
function deliver(state: MemoryState, lead: MemoryLead, message: MemoryMessage): void {
  const keySeconds = driverOf(state.channels.vendorOf(message.channelId)).keyWindowMs / 1000;
  applyEvent(state, lead, { message, event: { kind: 'claimed', ...CLAIMANT, keySeconds } });
  if (state.channels.noteSend(message.channelId, state.now)) state.refreshChannels();
  const maybeDelivered = message.state.unconfirmed_at !== null;
  const sent = { by: CLAIMANT.by, maybeDelivered, extId: null, pollSeconds: null, retrySeconds: RETRY_SECONDS };
  const fact = applyEvent(state, lead, { message, event: eventOfOutcome(state.send(message), sent) });
  const settled = settledAs(fact, message.state);
  if (message.state.origin === 'first') settleFirst(state, lead, { message, settled });
  if (settled === 'accepted') resumeFirstMessages(state, message.channelId);
  if (lead.dialogue && (settled === 'accepted' || settled === 'unknown'))
    noteRecent(lead.dialogue, { side: 'bot', kind: 'text', text: message.text, at: message.state.thread_at });
  state.observer.settled?.(message);
}

/** Settle what a first message takes of the day's quota, and refuse a contact for good. */
function settleFirst(
  state: MemoryState,
  lead: MemoryLead,
  { message, settled }: { message: MemoryMessage; settled: ReturnType<typeof settledAs> },
): void {
  if (settled === 'refused' || settled === 'refusedForGood') state.quota.release(message.id);
  if (settled === 'refusedForGood') {
    const { contactId } = message;
    const { part_group: group } = message.state;
    const { contacts } = lead.columns;
    lead.change({ contacts: contacts.map((one) => (one.id === contactId ? { ...one, refused: true } : one)) });
    lead.noteChange();
    if (group !== null) cancelWaiting(state, lead, { kind: 'parts', group, reason: PREVIOUS_PART_REFUSED });
  }
  state.quota.restartInterval(message.id, state.now);
  state.queueDueAt = state.now;
}

/** Resume the first messages of a channel that had stopped, since something arrived by it. */
export function resumeFirstMessages(state: MemoryState, channelId: number | null): void {
  const channel = state.channels.get(channelId);
  if (!channel || channel.stoppedReason === null) return;
  channel.stoppedReason = null;
  state.refreshChannels();
}

/** Note a message that the lead has written, or that has left. */
export function noteRecent({ recent }: MemoryDialogue, message: RecentMessage): void {
  recent.push(message);
  if (recent.length > RECENT_LIMIT) recent.shift();
}

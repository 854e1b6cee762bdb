/**
 * The outbox of the engine in memory: texts become messages, due messages go to the vendor, and outcomes are settled.
 * `decideSend`, `checkSend` and `decideRejection` decide, as for the engine with a database.
 */
import type { SendOutcome } from '../../channels/driver.ts';
import { driverOf } from '../../channels/drivers.ts';
import { delaySeconds } from '../../conversations/message.ts';
import { partsForLead } from '../../conversations/partsForLead.ts';
import { decideRejection } from '../../engine/rules/rejection.ts';
import { stageAfterOutbound } from '../../leads/lead.ts';
import { blockBy, type DueFacts, decideSend, type SendDecision } from '../../outbox/decideSend.ts';
import { checkQuota, checkSend } from '../checkSend.ts';
import {
  type MemoryDialogue,
  type MemoryLead,
  type MemoryMessage,
  type MemoryState,
  newMessage,
  noteRecent,
} from './state.ts';

/** Milliseconds for which an unconfirmed message blocks its dialogue. */
const UNCONFIRMED_BLOCKS_MS = 120_000;
/** Milliseconds until a refused message is tried again if the vendor does not say. */
const RETRY_MS = 2000;

type Outgoing = Partial<Pick<MemoryMessage, 'origin' | 'ping_step_number' | 'reply_on_msg_id' | 'anchor'>> & {
  readonly text: string;
  /** A model wrote it. */
  readonly isMarkdown: boolean;
  /** Whether blank lines begin a new part. */
  readonly split?: boolean;
};

/** Queue a text in its parts. A first message, which nobody waits for, is handed to the vendor at once. */
export function queueText(state: MemoryState, lead: MemoryLead, outgoing: Outgoing): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  const {
    text,
    isMarkdown,
    split = true,
    origin = null,
    anchor = null,
    ping_step_number: step = null,
    reply_on_msg_id: replyOn = null,
  } = outgoing;
  const channel = state.channels.get(dialogue.channelId);
  const parts =
    text === '' || !channel
      ? [text]
      : partsForLead({ text, isMarkdown, split }, { driver: driverOf(channel.vendor), type: channel.link.type });
  const start = earliestStart(state, dialogue);
  const group = parts.length > 1 ? state.nextId() : null;
  let delay = 0;
  for (const [index, part] of parts.entries()) {
    if (index > 0 || origin !== 'first') delay += delaySeconds(part, channel?.delay) * 1000;
    const message = newMessage(lead, dialogue, {
      id: state.nextId(),
      at: start + delay,
      productId: state.settings.productId,
      text: part,
      group,
      // Later parts belong to the first: they count neither toward the quota nor as a step.
      origin: index === 0 ? origin : null,
      anchor: index === 0 ? anchor : null,
      ping_step_number: step,
      reply_on_msg_id: replyOn,
    });
    dialogue.waiting.push(message);
  }
  lead.facts.hasConversation = true;
  if (origin === 'ping') {
    dialogue.facts.stepsDone = step ?? 0;
    dialogue.facts.stepAt = null;
  }
  noteWaiting(lead);
  const [first] = dialogue.waiting;
  if (origin === 'first' && first) {
    reserve(state, first);
    deliver(state, lead, first);
  }
  sendDue(state, lead);
}

/** Return the earliest time of a new text: not between the parts of another text that has begun to leave. */
function earliestStart({ now }: MemoryState, { waiting, lastGroup }: MemoryDialogue): number {
  if (waiting.length === 0) return now;
  const parts = waiting.filter((one) => one.group !== null && one.wantedAt === null);
  const groups = new Set(parts.flatMap((one) => (one.scheduledAt <= now ? one.group : [])));
  const leaving = parts.filter((one) => one.group === lastGroup || groups.has(one.group));
  return Math.max(now, ...leaving.map((one) => one.scheduledAt));
}

/** Send what is due in a lead's dialogue, one message after another. */
export function sendDue(state: MemoryState, lead: MemoryLead): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  for (let message = firstDue(dialogue, state.now); message; message = firstDue(dialogue, state.now)) {
    const decision = decide(state, { lead, dialogue, message });
    switch (decision.kind) {
      case 'claim':
        deliver(state, lead, message);
        break;
      case 'change':
        if (decision.event.kind === 'cancelled')
          cancel(state, lead, decision.takesParts ? laterParts(dialogue, message) : [message]);
        else if (decision.event.kind === 'deferred') defer(lead, message, decision.event.at);
        else {
          message.reason = decision.event.reason;
          return lookLater(state, lead, message);
        }
        break;
      case 'expired':
      case 'skip':
        return lookLater(state, lead, message);
      default:
        decision satisfies never;
    }
  }
  if (dialogue.waiting.length > 0)
    state.outbox.add(Math.min(...dialogue.waiting.map((one) => one.scheduledAt)), lead.facts.id);
}

/** Look again at a message that waits for its retry, its channel or what came before it. */
function lookLater(state: MemoryState, lead: MemoryLead, message: MemoryMessage): void {
  const opensAt = state.channels.opensAt(message.channelId, state.now) ?? Number.POSITIVE_INFINITY;
  const at = Math.max(message.retryAt ?? 0, lead.dialogue?.blockedUntil ?? 0, opensAt);
  if (at > state.now && Number.isFinite(at)) state.outbox.add(at, lead.facts.id);
}

interface Due {
  readonly lead: MemoryLead;
  readonly dialogue: MemoryDialogue;
  readonly message: MemoryMessage;
}

/** Decide about a due message; one that was refused temporarily takes its place in the day's quota here. */
function decide(state: MemoryState, due: Due): Exclude<SendDecision, { kind: 'quota' }> {
  const decision = decideSend(dueFacts(state, due), (facts) => checkSend(facts, state.settings));
  if (decision.kind !== 'quota') return decision;
  const { lead, message } = due;
  const { id, channelId } = message;
  const links = state.settings.links.filter((link) => link.channelId === channelId);
  const { now } = state;
  const facts = { counters: state.quota.counters(now, id), settings: { ...state.settings, links }, now };
  const block = checkQuota(lead.facts, message.contactId ?? 0, facts);
  if (block) return blockBy(id, block);
  reserve(state, message);
  return { kind: 'claim' };
}

function dueFacts({ settings, channels, now }: MemoryState, { lead, dialogue, message }: Due): DueFacts {
  const { facts } = lead;
  return {
    message,
    context: channels.contextOf(message.channelId, now),
    lead: {
      stage: facts.stage,
      is_active: facts.isActive,
      timezone: facts.zone,
      recognized_deactivation_request: facts.optedOut,
    },
    isProductActive: settings.isActive,
    now,
    owner: dialogue.owner,
    ownerReason: dialogue.ownerReason,
    isHandOverOpen: dialogue.isHandOverOpen,
    turn: dialogue.turn,
    isReady: message.retryAt === null || message.retryAt <= now,
    isDialogueBlocked: dialogue.blockedUntil > now,
    addressRefusal: dialogue.facts.anchor === 0 ? dialogue.facts.addressRefusal : null,
    hasUnprocessedInbound: false,
    // In memory a lead has one dialogue.
    hasAnsweredSince: false,
    // In memory nobody but the bot writes.
    hasNewerInbound: false,
    hasOlder: false,
    keyAgeMs: null,
    personOptOut: facts.personOptOut,
  };
}

function firstDue({ waiting }: MemoryDialogue, now: number): MemoryMessage | undefined {
  let first: MemoryMessage | undefined;
  for (const one of waiting) if (one.scheduledAt <= now && (!first || one.scheduledAt < first.scheduledAt)) first = one;
  return first;
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

/** Hand a message to the vendor, and settle the outcome. */
function deliver(state: MemoryState, lead: MemoryLead, message: MemoryMessage): void {
  message.status = 'sending';
  message.attempts++;
  message.retryAt = null;
  message.reason = null;
  if (state.channels.noteSend(message.channelId, state.now)) state.refreshChannels();
  settle(state, lead, message);
}

function settle(state: MemoryState, lead: MemoryLead, message: MemoryMessage): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  const outcome = state.send(message);
  if (outcome.kind === 'rejected') applyRejection(state, { lead, dialogue, message }, outcome);
  else {
    message.status = outcome.kind === 'accepted' ? 'sent' : 'unconfirmed';
    message.at = state.now;
    if (message.origin !== 'hand_over') dialogue.wantsAnswer = false;
    noteRecent(dialogue, { side: 'bot', kind: 'text', text: message.text, at: state.now });
    if (outcome.kind === 'unknown') dialogue.blockedUntil = state.now + UNCONFIRMED_BLOCKS_MS;
  }
  if (message.status !== 'scheduled') remove(dialogue, message);
  if (message.status === 'sent') noteAnswer(lead, message, state.now);
  noteWaiting(lead);
  if (message.status === 'sent') noteSent(state, { lead, dialogue, message });
  else if (message.status !== 'scheduled') noteLast(dialogue, message);
  if (message.origin === 'first') {
    state.quota.restartInterval(message.id, state.now);
    state.queueDueAt = state.now;
  }
  if (message.status !== 'scheduled') state.reevaluate(lead);
  state.observer.settled?.(message);
}

/** Note a message that was sent as the answer to the lead's last words, if it is one. */
function noteAnswer({ facts, dialogue }: MemoryLead, message: MemoryMessage, at: number): void {
  const isLate = message.author === 'bot' && (message.turn ?? 0) < (dialogue?.turn ?? 0);
  if (facts.lastUserAt === null || isLate || message.ping_step_number !== null || message.origin === 'hand_over')
    return;
  facts.answeredAt = at;
}

/** Let the facts say whether an answer is owed: the lead's last words have none, or one is being written or waits. */
export function noteOwed({ facts, dialogue }: MemoryLead): void {
  const isUnanswered = facts.lastUserAt !== null && facts.answeredAt === null;
  const waits = dialogue?.waiting.some((one) => one.ping_step_number === null) ?? false;
  facts.owesAnswer = isUnanswered || waits || (dialogue?.turnDueAt ?? null) !== null;
}

/** Note that a message has left: the lead's stage, the follow-up step that it belongs to, and that its channel works. */
function noteSent(state: MemoryState, { lead, dialogue, message }: Due): void {
  const { facts } = dialogue;
  dialogue.lastGroup = message.group;
  dialogue.hasHint = false;
  noteLast(dialogue, message);
  lead.facts.stage = stageAfterOutbound(lead.facts.stage);
  const step = message.ping_step_number;
  if (step !== null && step === facts.stepsDone) {
    dialogue.stepsSent = step;
    if (!dialogue.waiting.some((one) => one.ping_step_number === step)) facts.stepAt = state.now;
  }
  resumeFirstMessages(state, message.channelId);
}

/** Resume the first messages of a channel that had stopped, since something arrived by it. */
export function resumeFirstMessages(state: MemoryState, channelId: number | null): void {
  const channel = state.channels.get(channelId);
  if (!channel || channel.stoppedReason === null) return;
  channel.stoppedReason = null;
  state.refreshChannels();
}

function applyRejection(
  state: MemoryState,
  { lead, dialogue, message }: Due,
  { about, reason, retryAfterSeconds }: Extract<SendOutcome, { kind: 'rejected' }>,
): void {
  const maybeDelivered = message.unconfirmed_at !== null;
  const effects = decideRejection({ about, maybeDelivered }, message.attempts);
  const isFirst = message.origin === 'first';
  message.reason = reason;
  if (effects.message === 'requeued') {
    message.status = 'scheduled';
    message.retryAt = state.now + (effects.counts ? Math.max((retryAfterSeconds ?? 0) * 1000, RETRY_MS) : 0);
    if (!effects.counts) message.attempts--;
    state.outbox.add(message.retryAt, lead.facts.id);
  } else message.status = effects.message === 'failed' ? 'error' : 'unconfirmed';
  if (isFirst && effects.message !== 'unconfirmed') state.quota.release(message.id);
  if (isFirst && effects.message === 'failed') {
    lead.facts.contacts = lead.facts.contacts.map((one) =>
      one.id === message.contactId ? { ...one, refused: true } : one,
    );
    lead.facts.hasConversation = false;
    remove(dialogue, message);
    cancel(state, lead, laterParts(dialogue, message));
  }
  const channel = state.channels.get(message.channelId);
  if (effects.channelPauseSeconds === null || !channel) return;
  channel.pausedUntil = state.now + effects.channelPauseSeconds * 1000;
  channel.pauseReason = reason;
  channel.stoppedReason ??= reason;
  state.refreshChannels();
}

/** Cancel messages that wait. */
export function cancel(state: MemoryState, lead: MemoryLead, messages: readonly MemoryMessage[]): void {
  const { dialogue } = lead;
  if (!dialogue || messages.length === 0) return;
  for (const message of messages) {
    message.status = 'cancelled';
    remove(dialogue, message);
  }
  const { facts } = dialogue;
  const steps = dialogue.waiting.map((one) => one.ping_step_number ?? 0);
  facts.stepsDone = Math.max(dialogue.stepsSent, ...steps);
  noteWaiting(lead);
  state.reevaluate(lead);
}

/** Cancel what the bot wants to send to a lead; with `includeOperators`, everything. */
export function cancelPending(
  state: MemoryState,
  lead: MemoryLead,
  { includeOperators = false }: { includeOperators?: boolean } = {},
): void {
  const waiting = lead.dialogue?.waiting ?? [];
  cancel(state, lead, includeOperators ? [...waiting] : waiting.filter((one) => one.author === 'bot'));
}

/** Move messages that were deferred to working hours back to their wanted time. */
export function restoreWantedTimes(state: MemoryState, lead: MemoryLead): void {
  const { dialogue } = lead;
  const deferred = dialogue?.waiting.filter((one) => one.wantedAt !== null) ?? [];
  if (!dialogue || deferred.length === 0) return;
  for (const message of deferred) {
    message.scheduledAt = message.wantedAt ?? message.scheduledAt;
    message.wantedAt = null;
  }
  noteWaiting(lead);
  state.outbox.add(state.now, lead.facts.id);
}

function defer(lead: MemoryLead, message: MemoryMessage, until: number): void {
  const { dialogue } = lead;
  if (!dialogue) return;
  const shift = until - message.scheduledAt;
  for (const one of laterParts(dialogue, message)) {
    one.wantedAt ??= one.scheduledAt;
    one.scheduledAt += shift;
  }
  noteWaiting(lead);
}

/** Return a message and the later parts of its text. */
const laterParts = ({ waiting }: MemoryDialogue, { id, group }: MemoryMessage): MemoryMessage[] =>
  waiting.filter((one) => one.id === id || (group !== null && one.group === group && one.id > id));

function remove(dialogue: MemoryDialogue, message: MemoryMessage): void {
  const index = dialogue.waiting.indexOf(message);
  if (index === dialogue.waiting.length - 1) dialogue.waiting.pop();
  else if (index !== -1) dialogue.waiting.splice(index, 1);
}

/** Let the facts say whether messages wait, and so whether an answer is owed. */
function noteWaiting(lead: MemoryLead): void {
  noteOwed(lead);
  if (!lead.dialogue) return;
  const { facts, waiting } = lead.dialogue;
  facts.outgoing = waiting.length > 0;
  facts.outgoingAt = null;
  for (const { scheduledAt } of waiting) facts.outgoingAt = Math.max(facts.outgoingAt ?? scheduledAt, scheduledAt);
}

/** Note a message of ours as the newest one of its dialogue. */
function noteLast({ facts }: MemoryDialogue, { id, at, status }: MemoryMessage): void {
  if (facts.last === null || facts.last.at <= at) facts.last = { id, ours: true, at, failed: status === 'error' };
}

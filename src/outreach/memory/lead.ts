/**
 * The leads of the engine in memory, and how the facts of the plan are read from them. A lead has one dialogue, the one that
 * outreach writes in. Instants are ms since 1970 UTC.
 */
import type { Author } from '../../conversations/contract.ts';
import { previewOf } from '../../engine/preview.ts';
import { NEW_DELIVERY, NEW_DIALOGUE } from '../../engine/rules/defaults.ts';
import type { Dialogue } from '../../engine/rules/dialogue.ts';
import type { Delivery } from '../../engine/rules/message.ts';
import type { DialogueFacts, LeadFacts } from '../facts.ts';
import type { Reason } from '../reason.ts';
import type { Changing, MemoryDialogue, MemoryMessage } from './rows.ts';
import { hasMessages, newThread, stepWith } from './thread.ts';

/** What is stored of a lead itself. */
type LeadColumns = Pick<LeadFacts, 'id' | 'zone' | 'stage' | 'isActive' | 'optedOut' | 'personOptOut' | 'contacts'>;

export class MemoryLead {
  /** As it was when it was added: its messages of that time are not known. */
  readonly before: LeadFacts;
  readonly #facts: Changing<LeadFacts>;
  #isRead = true;
  dialogue: MemoryDialogue | null;
  /** Whether people own it as a whole, and dialogues that it gets later. */
  isTakenOver: boolean;
  reason: Reason = { code: 'now' };
  /** When it is evaluated next; null if only a change of facts or settings can make something due. */
  dueAt: number | null = null;

  /** The keys of the persons at its contacts, in their order. */
  readonly persons: readonly string[];

  constructor({
    facts,
    contacts,
    persons,
  }: Pick<MemoryLead, 'persons'> & Pick<LeadFacts, 'contacts'> & { facts: LeadFacts }) {
    this.before = facts;
    this.persons = persons;
    this.#facts = { ...facts, contacts };
    this.dialogue = facts.dialogue && existingDialogue(facts, facts.dialogue);
    this.isTakenOver = facts.humanOwned && !facts.dialogue;
  }

  get columns(): LeadColumns {
    return this.#facts;
  }

  /** What the plan reads, as of now. */
  get facts(): LeadFacts {
    if (!this.#isRead) readFacts(this.#facts, this);
    this.#isRead = true;
    return this.#facts;
  }

  /** Its messages that wait. */
  get waiting(): MemoryMessage[] {
    return this.dialogue?.messages.filter(isWaiting) ?? [];
  }

  /** Return the key of the person at a contact. */
  personOf(contactId: number | null): string {
    return this.persons[this.#facts.contacts.findIndex(({ id }) => id === contactId)] ?? '';
  }

  change(columns: Partial<LeadColumns>): void {
    Object.assign(this.#facts, columns);
  }

  /** Its dialogue or messages have changed. */
  noteChange(): void {
    this.#isRead = false;
  }
}

interface NewDialogue extends Pick<MemoryDialogue, 'contactId' | 'channelId'> {
  readonly facts: Pick<DialogueFacts, 'id' | 'createdAt' | 'addressRefusal'>;
  readonly state: Partial<Dialogue>;
}

export function newDialogue({ contactId, channelId, facts, state }: NewDialogue, thread = newThread()): MemoryDialogue {
  const { id, createdAt, addressRefusal } = facts;
  return {
    contactId,
    channelId,
    state: { ...NEW_DIALOGUE, ...state },
    messages: [],
    thread,
    recent: [],
    asked: null,
    facts: {
      id,
      createdAt,
      anchor: 0,
      anchorAt: null,
      last: null,
      outgoing: false,
      outgoingAt: null,
      stepsDone: 0,
      stepAt: null,
      skipFor: null,
      addressRefusal,
    },
  };
}

function existingDialogue({ humanOwned, answeredAt }: LeadFacts, facts: DialogueFacts): MemoryDialogue {
  const { anchor, last } = facts;
  const state = {
    owner: humanOwned ? 'human' : 'bot',
    last_user_msg_id: anchor === 0 ? null : anchor,
    last_user_msg_at: facts.anchorAt,
    last_msg_created_at: last?.at ?? null,
    waiting_since: last?.ours === false ? last.at : null,
    skip_ping_for_msg_id: facts.skipFor,
  } as const;
  const waits = waitingStep(facts) === null ? 0 : 1;
  const step = { anchor, number: facts.stepsDone - waits, group: null, at: waits === 0 ? facts.stepAt : null };
  const thread = newThread({ last, step, answer: { to: anchor, at: answeredAt } });
  const dialogue = newDialogue({ contactId: null, channelId: null, facts, state }, thread);
  if (last?.ours === false) dialogue.asked = last;
  Object.assign(dialogue.facts, facts);
  return dialogue;
}

/** A step that existed before, and has not left yet: it is the message that waits. */
export const waitingStep = ({ stepsDone, stepAt, outgoingAt }: DialogueFacts): number | null =>
  stepsDone > 0 && stepAt === null && outgoingAt !== null ? stepsDone : null;

interface NewMessage extends Pick<MemoryMessage, 'id' | 'leadId' | 'planned' | 'text' | 'anchor'> {
  readonly author: Author;
  readonly at: number;
  readonly origin: Delivery['origin'];
  readonly step: number | null;
  readonly group: string | null;
  readonly replyOn: number | null;
  readonly hasHours: boolean;
}

/** Add a message of ours to its dialogue, to leave at an instant. Literals: to spread one takes a microsecond. */
export function addMessage(dialogue: MemoryDialogue, now: number, message: NewMessage): MemoryMessage {
  const { id, leadId, planned, author, text, anchor } = message;
  const { contactId, channelId } = dialogue;
  const state = {
    ...NEW_DELIVERY,
    origin: message.origin,
    author,
    part_group: message.group,
    preview: previewOf(text),
    created_at: now,
    thread_at: now,
    scheduled_at: message.at,
    schedule_enabled: message.hasHours,
    reply_on_msg_id: message.replyOn,
    ping_step_number: message.step,
    turn: dialogue.state.turn,
  };
  const added = { id, leadId, contactId, channelId, author, text, anchor, planned, state };
  dialogue.messages.push(added);
  return added;
}

/** Whether a message waits to be sent. Nothing is with the vendor for any time. */
export const isWaiting = ({ state: { status } }: MemoryMessage): boolean =>
  status === 'scheduled' || status === 'sending';

/** Read the facts of a lead, as the statement in `store/facts.ts` does. */
function readFacts(facts: Changing<LeadFacts>, { before, dialogue, isTakenOver }: MemoryLead): void {
  facts.humanOwned = isTakenOver || dialogue?.state.owner === 'human';
  if (!dialogue) return;
  const { state, messages, thread } = dialogue;
  const { last_user_msg_id: userId, closed_msg_id: closedId } = state;
  facts.dialogue = readDialogue(dialogue, before.dialogue);
  facts.lastUserAt = state.last_user_msg_at ?? before.lastUserAt;
  const isClosed = closedId !== null && userId !== null && closedId >= userId;
  const answeredAt = thread.answer.to === (userId ?? 0) ? thread.answer.at : null;
  facts.answeredAt = isClosed ? state.closed_at : userId === null ? before.answeredAt : answeredAt;
  facts.hasConversation = before.hasConversation || userId !== null || hasMessages(facts, dialogue);
  facts.owesAnswer = (facts.lastUserAt !== null && facts.answeredAt === null) || state.turn_due_at !== null;
  for (const one of messages) if (isWaiting(one) && one.state.ping_step_number === null) facts.owesAnswer = true;
}

function readDialogue(dialogue: MemoryDialogue, before: DialogueFacts | null): DialogueFacts {
  const { state, thread, facts } = dialogue;
  const anchor = state.last_user_msg_id ?? 0;
  const userAt = state.last_user_msg_at;
  facts.anchor = anchor;
  facts.anchorAt = userAt;
  facts.skipFor = state.skip_ping_for_msg_id;
  facts.outgoing = before !== null && before.outgoing && before.outgoingAt === null;
  facts.outgoingAt = null;
  let { last } = thread;
  if (anchor !== 0 && userAt !== null && (last === null || last.at <= userAt))
    last = last?.id === anchor ? last : { id: anchor, ours: false, at: userAt, failed: false };
  let { step } = thread;
  for (const one of dialogue.messages) {
    const { status, thread_at: at, scheduled_at: scheduledAt } = one.state;
    const isOpen = isWaiting(one);
    if (isOpen) {
      facts.outgoing = true;
      facts.outgoingAt = Math.max(facts.outgoingAt ?? 0, scheduledAt ?? 0);
    } else if (last === null || last.at <= at) last = { id: one.id, ours: true, at, failed: status === 'error' };
    step = stepWith(step, one, { anchor, at: isOpen ? null : at });
  }
  facts.last = last;
  facts.stepsDone = step.anchor === anchor ? step.number : 0;
  facts.stepAt = step.anchor === anchor ? step.at : null;
  return facts;
}

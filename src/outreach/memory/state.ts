/**
 * The state of the engine in memory: one product with its leads, their dialogues and what waits to be sent, as plain
 * objects. A lead has one dialogue, the one that outreach writes in. Instants are ms since 1970 UTC.
 */
import type { SendOutcome } from '../../channels/driver.ts';
import type { MessageStatus } from '../../conversations/contract.ts';
import { RECENT_LIMIT } from '../../conversations/inboundMeaning.ts';
import type { RecentMessage } from '../../conversations/robots.ts';
import { personKey } from '../../leads/address.ts';
import type { OwnerReason } from '../../leads/lead.ts';
import type { DueFacts } from '../../outbox/decideSend.ts';
import type { Counters, DialogueFacts, LeadFacts, Settings } from '../facts.ts';
import type { Wait } from '../plan.ts';
import type { Reason } from '../reason.ts';
import { type ChannelOptions, MemoryChannels } from './channels.ts';
import { DueHeap, FirstMessageQueue } from './queues.ts';
import { MemoryQuota } from './quota.ts';

type Changing<T> = { -readonly [Key in keyof T]: T[Key] };

/** A message of ours. */
export interface MemoryMessage extends Changing<Omit<DueFacts['message'], 'origin'>> {
  readonly origin: DueFacts['message']['origin'];
  readonly leadId: number;
  /** Null for a message that existed before; outreach does not say by which contact and channel it goes. */
  readonly contactId: number | null;
  readonly channelId: number | null;
  readonly text: string;
  /** The lead's message that a follow-up refers to; 0: none. */
  readonly anchor: number | null;
  /** Parts of one text share it. */
  readonly group: number | null;
  /** Why the lead was not written to before. */
  readonly planned: Reason;
  status: MessageStatus;
  attempts: number;
  scheduledAt: number;
  /** When it was to be sent before it was deferred to working hours. */
  wantedAt: number | null;
  retryAt: number | null;
  /** When it was created, later when it was sent. */
  at: number;
}

export interface MemoryDialogue {
  readonly facts: Changing<DialogueFacts>;
  readonly contactId: number | null;
  readonly channelId: number | null;
  owner: 'bot' | 'human';
  /** Why a human owns it, if known. */
  ownerReason: OwnerReason | null;
  /** The bot has handed it over, and no human has seen to it yet. */
  isHandOverOpen: boolean;
  turn: number;
  /** Whether what the lead has written since our last message has a hint that it wants no more. */
  hasHint: boolean;
  turnDueAt: number | null;
  /** Messages that have not left. */
  waiting: MemoryMessage[];
  /** The newest messages that the lead has written, or has or may have from us, oldest first. */
  recent: RecentMessage[];
  /** Whether the lead's last words ask for an answer. */
  wantsAnswer: boolean;
  /** Highest follow-up step for the present anchor that was handed to the vendor. */
  stepsSent: number;
  lastGroup: number | null;
  /** The lead's message that was closed without an answer; 0: none. */
  closedAnchor: number;
  /** Until when an unconfirmed message blocks the others. */
  blockedUntil: number;
}

export interface MemoryLead {
  readonly facts: Changing<LeadFacts>;
  dialogue: MemoryDialogue | null;
  reason: Reason;
  /** When it is evaluated next; null if only a change of facts or settings can make something due. */
  dueAt: number | null;
}

/** Where texts come from; without it, each message is one part. Null: the engine asks for the text and waits for it. */
interface Texts {
  first(leadId: number): string;
  followUp(leadId: number, step: number): string | null;
  reply(leadId: number): string | null;
}

/** A text that the engine waits for: its clock does not move until it has an answer. */
export type TextRequest =
  | { readonly kind: 'reply'; readonly leadId: number; readonly turn: number }
  | { readonly kind: 'follow_up'; readonly leadId: number; readonly step: number; readonly anchor: number };

/** What the engine reports while it runs. */
interface Observer {
  /** A message was settled: it left, failed, waits for another attempt, or nobody knows. */
  settled?(message: MemoryMessage): void;
  waits?(wait: Wait): void;
  expired?(leadId: number): void;
}

export interface EngineInput {
  readonly leads: readonly LeadFacts[];
  /** As they are at `from`. */
  readonly counters: Counters;
  readonly settings: Settings;
  readonly from: number;
  readonly channels?: ReadonlyMap<number, ChannelOptions>;
  readonly texts?: Texts;
  /** The vendor: what becomes of a message handed to it. By default, it accepts each one. */
  readonly send?: (message: MemoryMessage) => SendOutcome;
  readonly observer?: Observer;
  readonly debounceSeconds?: number;
}

const ACCEPTED: SendOutcome = { kind: 'accepted', messageId: null, chatId: null };

export class MemoryState {
  readonly leads = new Map<number, MemoryLead>();
  readonly dueLeads = new DueHeap();
  /** Leads with messages that wait. */
  readonly outbox = new DueHeap();
  readonly dueTurns = new DueHeap();
  readonly queue = new FirstMessageQueue();
  /** Texts that the engine waits for. */
  readonly requests = new Set<TextRequest>();
  readonly channels: MemoryChannels;
  readonly quota: MemoryQuota;
  readonly texts: Texts | undefined;
  readonly send: (message: MemoryMessage) => SendOutcome;
  readonly observer: Observer;
  readonly debounceSeconds: number;
  /** Leads by the key of the person. */
  readonly #leadsByPerson = new Map<string, number[]>();
  /** Lead under which a person was first contacted. */
  readonly #contacted = new Map<string, number>();
  now: number;
  queueDueAt: number | null;
  settings: Settings;
  #lastId = 0;

  constructor(input: EngineInput) {
    this.now = input.from;
    this.queueDueAt = input.from;
    this.settings = input.settings;
    this.channels = new MemoryChannels(input.settings.links, input.channels);
    this.quota = new MemoryQuota(input.settings, input.counters, input.from);
    this.texts = input.texts;
    this.send = input.send ?? (() => ACCEPTED);
    this.observer = input.observer ?? {};
    this.debounceSeconds = input.debounceSeconds ?? 0;
    for (const facts of input.leads) this.addLead(facts);
  }

  nextId(): number {
    return ++this.#lastId;
  }

  addLead(facts: LeadFacts): MemoryLead {
    const { id } = facts;
    const contacts = facts.contacts.map((one) => ({
      ...one,
      contactedAsLeadId: one.contactedAsLeadId ?? this.#contacted.get(personKey(one.address)) ?? null,
    }));
    const lead: MemoryLead = { facts: { ...facts, contacts }, dialogue: null, reason: { code: 'now' }, dueAt: null };
    this.leads.set(id, lead);
    for (const person of new Set(contacts.map(({ address }) => personKey(address)))) {
      const existing = this.#leadsByPerson.get(person);
      if (existing) existing.push(id);
      else this.#leadsByPerson.set(person, [id]);
    }
    if (facts.dialogue) this.#addExistingDialogue(lead, facts.dialogue);
    // What waits leaves first.
    this.schedule(lead, Math.max(this.now, facts.dialogue?.outgoingAt ?? this.now));
    return lead;
  }

  /** Evaluate a lead at an instant; null: not until something changes. */
  schedule(lead: MemoryLead, at: number | null): void {
    if (at === null || lead.dueAt === at) {
      lead.dueAt = at;
      return;
    }
    lead.dueAt = at;
    this.dueLeads.add(at, lead.facts.id);
  }

  /** Evaluate a lead now, since its facts have changed. */
  reevaluate(lead: MemoryLead): void {
    this.schedule(lead, this.now);
  }

  /** Let the plan see channels as they are now, and evaluate the queue. */
  refreshChannels(): void {
    this.settings = { ...this.settings, links: this.channels.links(this.now) };
    this.queueDueAt = this.now;
  }

  openDialogue(lead: MemoryLead, contactId: number, channelId: number): void {
    const facts = {
      id: lead.facts.id,
      createdAt: this.now,
      anchor: 0,
      anchorAt: null,
      last: null,
      outgoing: false,
      outgoingAt: null,
      stepsDone: 0,
      stepAt: null,
      skipFor: null,
      addressRefusal: lead.facts.contacts.find((one) => one.id === contactId)?.addressRefusal ?? null,
    };
    lead.dialogue = toDialogue(facts, contactId, channelId);
    lead.facts.dialogue = lead.dialogue.facts;
  }

  /** Mark the person as contacted: their other leads get no first message. */
  markContacted(lead: MemoryLead, contactId: number | null): void {
    const person = personKey(lead.facts.contacts.find((one) => one.id === contactId)?.address ?? '');
    if (this.#contacted.has(person)) return;
    this.#contacted.set(person, lead.facts.id);
    for (const other of this.#othersOf(person, lead)) {
      other.facts.contacts = other.facts.contacts.map((one) =>
        personKey(one.address) === person ? { ...one, contactedAsLeadId: lead.facts.id } : one,
      );
      this.reevaluate(other);
    }
  }

  /** Return the other leads of the person. */
  otherLeadsOfPerson(lead: MemoryLead): MemoryLead[] {
    return [...new Set(lead.facts.contacts.flatMap(({ address }) => this.#othersOf(personKey(address), lead)))];
  }

  #othersOf(person: string, lead: MemoryLead): MemoryLead[] {
    return (this.#leadsByPerson.get(person) ?? []).flatMap((id) => {
      const other = this.leads.get(id);
      return other && other !== lead ? [other] : [];
    });
  }

  /** Add a dialogue that existed before, with the message that waits in it. */
  #addExistingDialogue(lead: MemoryLead, facts: DialogueFacts): void {
    const dialogue = toDialogue({ ...facts }, null, null);
    lead.dialogue = dialogue;
    lead.facts.dialogue = dialogue.facts;
    dialogue.owner = lead.facts.humanOwned ? 'human' : 'bot';
    if (!facts.outgoing || facts.outgoingAt === null) return;
    const at = Math.max(this.now, facts.outgoingAt);
    // If a step was created and not sent yet, it is the message that waits.
    const step = facts.stepsDone > 0 && facts.stepAt === null ? facts.stepsDone : null;
    dialogue.waiting.push({
      ...newMessage(lead, dialogue, {
        id: this.nextId(),
        at,
        productId: this.settings.productId,
        ping_step_number: step,
        // A follow-up that waits stays there while outreach is paused.
        origin: step !== null && this.settings.isPaused ? 'ping' : null,
      }),
      author: 'operator',
      schedule_enabled: false,
      planned: { code: 'outgoing' },
    });
    this.outbox.add(at, lead.facts.id);
  }
}

function toDialogue(
  facts: Changing<DialogueFacts>,
  contactId: number | null,
  channelId: number | null,
): MemoryDialogue {
  return {
    facts,
    contactId,
    channelId,
    owner: 'bot',
    ownerReason: null,
    isHandOverOpen: false,
    turn: 0,
    hasHint: false,
    turnDueAt: null,
    waiting: [],
    recent: [],
    wantsAnswer: facts.last?.ours === false,
    stepsSent: facts.stepAt === null ? 0 : facts.stepsDone,
    lastGroup: null,
    closedAnchor: 0,
    blockedUntil: 0,
  };
}

/** Note a message that the lead has written, or that has left. */
export function noteRecent({ recent }: MemoryDialogue, message: RecentMessage): void {
  recent.push(message);
  if (recent.length > RECENT_LIMIT) recent.shift();
}

interface NewMessage
  extends Partial<
    Pick<MemoryMessage, 'text' | 'origin' | 'ping_step_number' | 'reply_on_msg_id' | 'anchor' | 'group'>
  > {
  readonly id: number;
  readonly at: number;
  readonly productId: number;
}

/** Build a message of the bot to a lead, scheduled at an instant. One literal: spreading takes a microsecond. */
export function newMessage(lead: MemoryLead, dialogue: MemoryDialogue, message: NewMessage): MemoryMessage {
  return {
    id: message.id,
    product_id: message.productId,
    author: 'bot',
    origin: message.origin ?? null,
    ping_step_number: message.ping_step_number ?? null,
    reply_on_msg_id: message.reply_on_msg_id ?? null,
    schedule_enabled: true,
    reason: null,
    debounce_guard: true,
    turn: dialogue.turn,
    unconfirmed_at: null,
    created_at: new Date(message.at).toISOString(),
    leadId: lead.facts.id,
    contactId: dialogue.contactId,
    channelId: dialogue.channelId,
    text: message.text ?? '',
    anchor: message.anchor ?? null,
    group: message.group ?? null,
    planned: lead.reason,
    status: 'scheduled',
    attempts: 0,
    scheduledAt: message.at,
    wantedAt: null,
    retryAt: null,
    at: message.at,
  };
}

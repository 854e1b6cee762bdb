/** The state of the engine in memory: one product with its leads, and what is due when. Instants are ms since 1970 UTC. */
import type { SendOutcome } from '../../channels/driver.ts';
import type { Now } from '../../engine/rules/message.ts';
import { personKey } from '../../leads/address.ts';
import type { Counters, LeadFacts, Settings } from '../facts.ts';
import type { Wait } from '../plan.ts';
import { type ChannelOptions, MemoryChannels } from './channels.ts';
import { addMessage, MemoryLead, newDialogue, waitingStep } from './lead.ts';
import { DueHeap, FirstMessageQueue } from './queues.ts';
import { MemoryQuota } from './quota.ts';
import type { MemoryMessage } from './rows.ts';

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
  /** In memory both clocks are the simulated one. */
  clocks: Now;
  queueDueAt: number | null;
  settings: Settings;
  #lastId = 0;

  constructor(input: EngineInput) {
    this.clocks = { domain: input.from, real: input.from };
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

  get now(): number {
    return this.clocks.domain;
  }

  set now(at: number) {
    this.clocks = { domain: at, real: at };
  }

  nextId(): number {
    return ++this.#lastId;
  }

  addLead(facts: LeadFacts): MemoryLead {
    const { id, dialogue } = facts;
    const persons = facts.contacts.map(({ address }) => personKey(address));
    const contacts = facts.contacts.map((one, index) => ({
      ...one,
      contactedAsLeadId: one.contactedAsLeadId ?? this.#contacted.get(persons[index] ?? '') ?? null,
    }));
    const lead = new MemoryLead({ facts, contacts, persons });
    this.leads.set(id, lead);
    for (const person of new Set(persons)) {
      const existing = this.#leadsByPerson.get(person);
      if (existing) existing.push(id);
      else this.#leadsByPerson.set(person, [id]);
    }
    if (dialogue) {
      this.#lastId = Math.max(this.#lastId, dialogue.anchor, dialogue.last?.id ?? 0);
      this.#addExistingMessage(lead);
    }
    // What waits leaves first.
    this.schedule(lead, Math.max(this.now, dialogue?.outgoingAt ?? this.now));
    return lead;
  }

  /** Evaluate a lead at an instant; null: not until something changes. */
  schedule(lead: MemoryLead, at: number | null): void {
    const isSame = at === null || lead.dueAt === at;
    lead.dueAt = at;
    if (!isSame) this.dueLeads.add(at, lead.columns.id);
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
    const { id, contacts } = lead.columns;
    const addressRefusal = contacts.find((one) => one.id === contactId)?.addressRefusal ?? null;
    const owner = lead.isTakenOver ? 'human' : 'bot';
    const facts = { id, createdAt: this.now, addressRefusal };
    lead.dialogue = newDialogue({ contactId, channelId, facts, state: { owner } });
    lead.noteChange();
  }

  /** Mark the person as contacted: their other leads get no first message. */
  markContacted(lead: MemoryLead, contactId: number | null): void {
    const person = lead.personOf(contactId);
    if (this.#contacted.has(person)) return;
    const contactedAsLeadId = lead.columns.id;
    this.#contacted.set(person, contactedAsLeadId);
    for (const one of this.#leadsOf(person)) {
      if (one === lead) continue;
      const contacts = one.columns.contacts.map((contact) =>
        one.personOf(contact.id) === person ? { ...contact, contactedAsLeadId } : contact,
      );
      one.change({ contacts });
      this.reevaluate(one);
    }
  }

  /** Whether a person got a first message before. A refused one of the same lead does not count. */
  isContacted(lead: MemoryLead, contactId: number): boolean {
    const { contacts } = lead.columns;
    const person = lead.personOf(contactId);
    const isKnown = contacts.some(({ id, contactedAsLeadId: as }) => id === contactId && as !== null);
    if (!isKnown && !this.#contacted.has(person)) return false;
    return !contacts.some(({ id, refused }) => refused && lead.personOf(id) === person);
  }

  /** Return the leads of the person, this one first. */
  leadsOfPerson(lead: MemoryLead): ReadonlySet<MemoryLead> {
    return new Set([lead, ...lead.persons.flatMap((person) => this.#leadsOf(person))]);
  }

  #leadsOf(person: string): MemoryLead[] {
    return (this.#leadsByPerson.get(person) ?? []).flatMap((id) => this.leads.get(id) ?? []);
  }

  /** Add the message that waits in a dialogue that existed before. */
  #addExistingMessage({ before, dialogue }: MemoryLead): void {
    const facts = before.dialogue;
    if (!dialogue || !facts?.outgoing || facts.outgoingAt === null) return;
    const step = waitingStep(facts);
    const scheduledAt = Math.max(this.now, facts.outgoingAt);
    addMessage(dialogue, this.now, {
      id: this.nextId(),
      leadId: before.id,
      planned: { code: 'outgoing' },
      author: 'operator',
      text: '',
      at: scheduledAt,
      anchor: step === null ? null : facts.anchor,
      // A follow-up that waits stays there while outreach is paused.
      origin: step !== null && this.settings.isPaused ? 'ping' : null,
      step,
      group: null,
      replyOn: null,
      hasHours: false,
    });
    this.outbox.add(scheduledAt, before.id);
  }
}

/**
 * Rehearsal: compute what would be sent in a period if nobody replied and nobody changed anything. It calls the same
 * plan as the worker, on a copy of the facts, and jumps from due instant to due instant. Sends nothing, calls no model.
 */
import type { ChannelType } from '../channels/contract.ts';
import { dayAt } from '../platform/days.ts';
import { quotaDay } from '../products/quotaDay.ts';
import type { Counters, DialogueFacts, LeadFacts, LinkSettings, Settings } from './facts.ts';
import { type Decision, plan, type Wait } from './plan.ts';
import type { Reason } from './reason.ts';
import { DueHeap, FirstMessageQueue } from './rehearsalQueues.ts';

/** Leads of each messenger evaluated together. The result does not depend on it. */
const QUEUE_HEAD_SIZE = 4;

export interface PlannedMessage {
  readonly leadId: number;
  /** `scheduled`: it already waits in the outbox. */
  readonly kind: 'first' | 'ping' | 'scheduled';
  /** Step number of the follow-up; 0 for other kinds. */
  readonly step: number;
  readonly at: number;
  readonly contactId: number | null;
  readonly channelId: number | null;
  /** Why it is sent at this moment and not before. */
  readonly reason: Reason;
}

export interface Rehearsal {
  /** Messages in the order in which they are sent. */
  readonly messages: readonly PlannedMessage[];
  readonly expired: readonly { readonly leadId: number; readonly at: number }[];
  /** Messengers and days (of the product's zone, since 1970) on which a limit delayed a message. */
  readonly limits: readonly { readonly day: number; readonly type: ChannelType }[];
  /** The reason of each lead that gets no message. */
  readonly silent: readonly Reason[];
}

/** A lead during the rehearsal. */
interface LeadState {
  facts: LeadFacts;
  reason: Reason;
}

interface RehearsalInput {
  readonly leads: readonly LeadFacts[];
  /** As they are at `from`. */
  readonly counters: Counters;
  readonly settings: Settings;
  /** The period, ms since 1970 UTC. */
  readonly from: number;
  readonly to: number;
}

/** Compute what would be sent in a period. */
export function rehearse(input: RehearsalInput): Rehearsal {
  return new Run(input).result();
}

class Run {
  readonly #to: number;
  readonly #leads: Map<number, LeadState>;
  readonly #leadsByAddress: ReadonlyMap<string, readonly number[]>;
  readonly #dueHeap = new DueHeap();
  readonly #queue = new FirstMessageQueue();
  readonly #messages: PlannedMessage[] = [];
  readonly #expired: { leadId: number; at: number }[] = [];
  readonly #limits = new Map<string, { day: number; type: ChannelType }>();
  #settings: Settings;
  #counters: Counters;
  #now: number;
  #queueDueAt: number | null;
  #dayEnds: number;
  #lastMessageId = 0;

  constructor({ leads, counters, settings, from, to }: RehearsalInput) {
    this.#to = to;
    this.#leads = new Map(leads.map((facts) => [facts.id, { facts, reason: { code: 'now' } }]));
    this.#leadsByAddress = sharedAddresses(leads);
    this.#settings = settings;
    this.#counters = { ...counters, isSending: false };
    this.#now = from;
    this.#queueDueAt = from;
    this.#dayEnds = quotaDay(settings, from).until;
    for (const { id, dialogue } of leads) this.#dueHeap.add(Math.max(from, dialogue?.outgoingAt ?? from), id);
  }

  /** Jump from due instant to due instant until the period ends. */
  result(): Rehearsal {
    for (;;) {
      const next = Math.min(
        this.#dueHeap.nextAt ?? Number.POSITIVE_INFINITY,
        this.#queueDueAt ?? Number.POSITIVE_INFINITY,
      );
      if (next > this.#to) break;
      if (next >= this.#dayEnds) {
        this.#counters = {
          ...this.#counters,
          sentTodayByChannel: new Map(),
          sentTodayByType: { telegram: 0, whatsapp: 0 },
        };
        this.#dayEnds = quotaDay(this.#settings, next).until;
      }
      this.#now = Math.max(this.#now, next);
      const due = this.#dueHeap.removeDue(this.#now);
      if (due.length > 0) this.#evaluateDue(due);
      if (this.#queueDueAt !== null && this.#queueDueAt <= this.#now) this.#processQueue();
    }
    const messagedLeadIds = new Set(this.#messages.map((one) => one.leadId));
    const silent = [...this.#leads.values()].filter((lead) => !messagedLeadIds.has(lead.facts.id));
    return {
      messages: this.#messages,
      expired: this.#expired,
      limits: [...this.#limits.values()],
      silent: silent.map((lead) => lead.reason),
    };
  }

  #updateLead(id: number, change: Partial<LeadFacts>): void {
    const lead = this.#leads.get(id);
    if (lead) lead.facts = { ...lead.facts, ...change };
  }

  /** Record that a message of ours was sent. */
  #recordSent(id: number, dialogue: DialogueFacts): void {
    this.#updateLead(id, {
      dialogue: {
        ...dialogue,
        outgoing: false,
        outgoingAt: null,
        last: { id: --this.#lastMessageId, ours: true, at: this.#now, failed: false },
      },
    });
    this.#dueHeap.add(this.#now, id);
  }

  #applyDecision(decision: Decision): void {
    const { leadId } = decision;
    const lead = this.#leads.get(leadId);
    if (!lead) return;
    switch (decision.kind) {
      case 'wait':
        lead.reason = decision.reason;
        this.#noteLimit(decision);
        if (decision.queue !== null) this.#enqueue(decision.queue.type, decision.queue.dueAt, leadId);
        else if (decision.until !== null) this.#dueHeap.add(Math.max(decision.until, this.#now), leadId);
        return;
      case 'first': {
        const type = lead.facts.contacts.find((one) => one.id === decision.contactId)?.type;
        if (type) this.#enqueue(type, decision.dueAt, leadId);
        return;
      }
      case 'ping': {
        const { dialogue } = lead.facts;
        if (!dialogue) return;
        const step = decision.step.step_number;
        this.#messages.push({
          leadId,
          kind: 'ping',
          step,
          at: this.#now,
          contactId: null,
          channelId: null,
          reason: lead.reason,
        });
        this.#recordSent(leadId, { ...dialogue, stepsDone: step, stepAt: this.#now });
        return;
      }
      case 'expire':
        this.#updateLead(leadId, { stage: 'ignore' });
        this.#expired.push({ leadId, at: this.#now });
        return;
      default:
        decision satisfies never;
    }
  }

  #noteLimit(wait: Wait): void {
    const { reason } = wait;
    if (reason.code !== 'limit') return;
    const day = dayAt(this.#settings.zone, this.#now);
    this.#limits.set(`${day} ${reason.type}`, { day, type: reason.type });
  }

  #enqueue(type: ChannelType, dueAt: number, leadId: number): void {
    this.#queue.add(type, dueAt, leadId);
    this.#queueDueAt = this.#now;
  }

  #evaluateDue(ids: readonly number[]): void {
    const due: LeadFacts[] = [];
    for (const id of ids) {
      const lead = this.#leads.get(id);
      if (!lead) continue;
      const { dialogue } = lead.facts;
      if (dialogue?.outgoing && dialogue.outgoingAt !== null) {
        const leaves = {
          leadId: id,
          kind: 'scheduled' as const,
          step: 0,
          at: this.#now,
          contactId: null,
          channelId: null,
        };
        this.#messages.push({ ...leaves, reason: { code: 'outgoing' } });
        // If a step was created and not sent yet, it is the message that was waiting.
        this.#recordSent(id, dialogue.stepsDone > 0 ? { ...dialogue, stepAt: dialogue.stepAt ?? this.#now } : dialogue);
      } else due.push(lead.facts);
    }
    for (const decision of plan({ leads: due, counters: this.#counters }, this.#settings, this.#now))
      this.#applyDecision(decision);
  }

  #processQueue(): void {
    this.#queueDueAt = null;
    for (;;) {
      const head = this.#queue.head(QUEUE_HEAD_SIZE).flatMap((id) => this.#leads.get(id)?.facts ?? []);
      let first: Extract<Decision, { kind: 'first' }> | null = null;
      let until = Number.POSITIVE_INFINITY;
      let hasLeft = false;
      for (const decision of plan({ leads: head, counters: this.#counters }, this.#settings, this.#now)) {
        if (decision.kind === 'first') first ??= decision;
        else if (decision.kind === 'wait' && decision.queue !== null) {
          const lead = this.#leads.get(decision.leadId);
          if (lead) lead.reason = decision.reason;
          this.#noteLimit(decision);
          until = Math.min(until, decision.until ?? Number.POSITIVE_INFINITY);
        } else {
          this.#queue.remove(decision.leadId);
          hasLeft = true;
          this.#applyDecision(decision);
        }
      }
      if (first !== null) {
        this.#sendFirstMessage(first);
        continue;
      }
      if (hasLeft) continue;
      if (Number.isFinite(until)) this.#queueDueAt = until;
      return;
    }
  }

  #sendFirstMessage(first: Extract<Decision, { kind: 'first' }>): void {
    const { leadId, contactId, channelId } = first;
    const lead = this.#leads.get(leadId);
    const type = lead?.facts.contacts.find((one) => one.id === contactId)?.type;
    if (!lead || !type) return;
    this.#queue.remove(leadId);
    this.#messages.push({ leadId, kind: 'first', step: 0, at: this.#now, contactId, channelId, reason: lead.reason });
    const today = new Map(this.#counters.sentTodayByChannel).set(
      channelId,
      (this.#counters.sentTodayByChannel.get(channelId) ?? 0) + 1,
    );
    const ofType = { ...this.#counters.sentTodayByType, [type]: this.#counters.sentTodayByType[type] + 1 };
    this.#counters = {
      ...this.#counters,
      sentTodayByChannel: today,
      sentTodayByType: ofType,
      lastAt: this.#now,
      lastLeadId: leadId,
    };
    this.#settings = withFirstSentAt(this.#settings, channelId, this.#now);
    this.#updateLead(leadId, { hasConversation: true, stage: 'started' });
    this.#markAddressContacted(leadId, contactId);
    const dialogue = { id: leadId, createdAt: this.#now, anchor: 0, anchorAt: null, last: null, skipFor: null };
    this.#recordSent(leadId, { ...dialogue, outgoing: false, outgoingAt: null, stepsDone: 0, stepAt: null });
  }

  /** Mark the person as contacted: other leads with the same address get no first message. */
  #markAddressContacted(leadId: number, contactId: number): void {
    const address = this.#leads.get(leadId)?.facts.contacts.find((one) => one.id === contactId)?.address;
    for (const otherId of this.#leadsByAddress.get(address ?? '') ?? []) {
      const other = this.#leads.get(otherId);
      if (!other || otherId === leadId) continue;
      const contacts = other.facts.contacts.map((one) =>
        one.address === address ? { ...one, contactedAsLeadId: leadId } : one,
      );
      this.#updateLead(otherId, { contacts });
      this.#dueHeap.add(this.#now, otherId);
    }
  }
}

/** Map the addresses that several leads share to those leads. */
function sharedAddresses(leads: readonly LeadFacts[]): Map<string, number[]> {
  const leadsOfAddress = new Map<string, number[]>();
  for (const lead of leads)
    for (const { address } of lead.contacts) {
      const existing = leadsOfAddress.get(address);
      if (existing) existing.push(lead.id);
      else leadsOfAddress.set(address, [lead.id]);
    }
  for (const [address, ids] of leadsOfAddress) if (ids.length < 2) leadsOfAddress.delete(address);
  return leadsOfAddress;
}

/** Record the channel's very first first message: its ramp counts from this day. */
function withFirstSentAt(settings: Settings, channelId: number, at: number): Settings {
  const isNew = (link: LinkSettings) => link.channelId === channelId && link.firstSentAt === null;
  if (!settings.links.some(isNew)) return settings;
  return { ...settings, links: settings.links.map((link) => (isNew(link) ? { ...link, firstSentAt: at } : link)) };
}

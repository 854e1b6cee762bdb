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

/** Rehearse from `from` to `to`, ms since 1970 UTC. `counters` are those at `from`. */
export function rehearse(
  initialLeads: readonly LeadFacts[],
  counters: Counters,
  initialSettings: Settings,
  from: number,
  to: number,
): Rehearsal {
  let settings = initialSettings;
  const leads = new Map<number, LeadState>(initialLeads.map((facts) => [facts.id, { facts, reason: { code: 'now' } }]));
  const dueHeap = new DueHeap();
  const queue = new FirstMessageQueue();
  const messages: PlannedMessage[] = [];
  const expired: { leadId: number; at: number }[] = [];
  const limits = new Map<string, { day: number; type: ChannelType }>();
  let now = from;
  let currentCounters: Counters = { ...counters, isSending: false };
  let queueDueAt: number | null = from;
  let lastMessageId = 0;
  let dayEnds = quotaDay(settings, from).until;

  const leadsByAddress = sharedAddresses(initialLeads);
  for (const lead of initialLeads) {
    const leaves = lead.dialogue?.outgoingAt ?? null;
    if (leaves === null) dueHeap.add(from, lead.id);
    else dueHeap.add(Math.max(from, leaves), lead.id);
  }

  const updateLead = (id: number, change: Partial<LeadFacts>) => {
    const lead = leads.get(id);
    if (lead) lead.facts = { ...lead.facts, ...change };
  };

  /** Record that a message of ours was sent. */
  function recordSent(id: number, dialogue: DialogueFacts): void {
    updateLead(id, {
      dialogue: {
        ...dialogue,
        outgoing: false,
        outgoingAt: null,
        last: { id: --lastMessageId, ours: true, at: now, failed: false },
      },
    });
    dueHeap.add(now, id);
  }

  function applyDecision(decision: Decision): void {
    const { leadId } = decision;
    const lead = leads.get(leadId);
    if (!lead) return;
    switch (decision.kind) {
      case 'wait':
        lead.reason = decision.reason;
        noteLimit(decision);
        if (decision.queue !== null) enqueue(decision.queue.type, decision.queue.dueAt, leadId);
        else if (decision.until !== null) dueHeap.add(Math.max(decision.until, now), leadId);
        return;
      case 'first': {
        const type = lead.facts.contacts.find((one) => one.id === decision.contactId)?.type;
        if (type) enqueue(type, decision.dueAt, leadId);
        return;
      }
      case 'ping': {
        const { dialogue } = lead.facts;
        if (!dialogue) return;
        const step = decision.step.step_number;
        messages.push({ leadId, kind: 'ping', step, at: now, contactId: null, channelId: null, reason: lead.reason });
        recordSent(leadId, { ...dialogue, stepsDone: step, stepAt: now });
        return;
      }
      case 'expire':
        updateLead(leadId, { stage: 'ignore' });
        expired.push({ leadId, at: now });
        return;
      default:
        decision satisfies never;
    }
  }

  function noteLimit(wait: Wait): void {
    const { reason } = wait;
    if (reason.code !== 'limit') return;
    const day = dayAt(settings.zone, now);
    limits.set(`${day} ${reason.type}`, { day, type: reason.type });
  }

  function enqueue(type: ChannelType, dueAt: number, leadId: number): void {
    queue.add(type, dueAt, leadId);
    queueDueAt = now;
  }

  function evaluateDue(ids: readonly number[]): void {
    const due: LeadFacts[] = [];
    for (const id of ids) {
      const lead = leads.get(id);
      if (!lead) continue;
      const { dialogue } = lead.facts;
      if (dialogue?.outgoing && dialogue.outgoingAt !== null) {
        const leaves = { leadId: id, kind: 'scheduled' as const, step: 0, at: now, contactId: null, channelId: null };
        messages.push({ ...leaves, reason: { code: 'outgoing' } });
        // If a step was created and not sent yet, it is the message that was waiting.
        recordSent(id, dialogue.stepsDone > 0 ? { ...dialogue, stepAt: dialogue.stepAt ?? now } : dialogue);
      } else due.push(lead.facts);
    }
    for (const decision of plan({ leads: due, counters: currentCounters }, settings, now)) applyDecision(decision);
  }

  function processQueue(): void {
    queueDueAt = null;
    for (;;) {
      const head = queue.head(QUEUE_HEAD_SIZE).flatMap((id) => leads.get(id)?.facts ?? []);
      let first: Extract<Decision, { kind: 'first' }> | null = null;
      let until = Number.POSITIVE_INFINITY;
      let hasLeft = false;
      for (const decision of plan({ leads: head, counters: currentCounters }, settings, now)) {
        if (decision.kind === 'first') first ??= decision;
        else if (decision.kind === 'wait' && decision.queue !== null) {
          const lead = leads.get(decision.leadId);
          if (lead) lead.reason = decision.reason;
          noteLimit(decision);
          until = Math.min(until, decision.until ?? Number.POSITIVE_INFINITY);
        } else {
          queue.remove(decision.leadId);
          hasLeft = true;
          applyDecision(decision);
        }
      }
      if (first !== null) {
        sendFirstMessage(first);
        continue;
      }
      if (hasLeft) continue;
      if (Number.isFinite(until)) queueDueAt = until;
      return;
    }
  }

  function sendFirstMessage(first: Extract<Decision, { kind: 'first' }>): void {
    const { leadId, contactId, channelId } = first;
    const lead = leads.get(leadId);
    const type = lead?.facts.contacts.find((one) => one.id === contactId)?.type;
    if (!lead || !type) return;
    queue.remove(leadId);
    messages.push({ leadId, kind: 'first', step: 0, at: now, contactId, channelId, reason: lead.reason });
    const today = new Map(currentCounters.sentTodayByChannel).set(
      channelId,
      (currentCounters.sentTodayByChannel.get(channelId) ?? 0) + 1,
    );
    const ofType = { ...currentCounters.sentTodayByType, [type]: currentCounters.sentTodayByType[type] + 1 };
    currentCounters = {
      ...currentCounters,
      sentTodayByChannel: today,
      sentTodayByType: ofType,
      lastAt: now,
      lastLeadId: leadId,
    };
    settings = withFirstSentAt(settings, channelId, now);
    updateLead(leadId, { hasConversation: true, stage: 'started' });
    markAddressContacted(leadId, contactId);
    const dialogue = { id: leadId, createdAt: now, anchor: 0, anchorAt: null, last: null, skipFor: null };
    recordSent(leadId, { ...dialogue, outgoing: false, outgoingAt: null, stepsDone: 0, stepAt: null });
  }

  /** Mark the person as contacted: other leads with the same address get no first message. */
  function markAddressContacted(leadId: number, contactId: number): void {
    const address = leads.get(leadId)?.facts.contacts.find((one) => one.id === contactId)?.address;
    for (const otherId of leadsByAddress.get(address ?? '') ?? []) {
      const other = leads.get(otherId);
      if (!other || otherId === leadId) continue;
      const contacts = other.facts.contacts.map((one) =>
        one.address === address ? { ...one, contactedAsLeadId: leadId } : one,
      );
      updateLead(otherId, { contacts });
      dueHeap.add(now, otherId);
    }
  }

  for (;;) {
    const next = Math.min(dueHeap.nextAt ?? Number.POSITIVE_INFINITY, queueDueAt ?? Number.POSITIVE_INFINITY);
    if (next > to) break;
    if (next >= dayEnds) {
      currentCounters = {
        ...currentCounters,
        sentTodayByChannel: new Map(),
        sentTodayByType: { telegram: 0, whatsapp: 0 },
      };
      dayEnds = quotaDay(settings, next).until;
    }
    now = Math.max(now, next);
    const due = dueHeap.removeDue(now);
    if (due.length > 0) evaluateDue(due);
    if (queueDueAt !== null && queueDueAt <= now) processQueue();
  }
  const messagedLeadIds = new Set(messages.map((one) => one.leadId));
  const silent = [...leads.values()].filter((lead) => !messagedLeadIds.has(lead.facts.id)).map((lead) => lead.reason);
  return { messages, expired, limits: [...limits.values()], silent };
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

/** A binary heap of lead ids by due time. */
class DueHeap {
  readonly #heap: { at: number; id: number }[] = [];

  get nextAt(): number | null {
    return this.#heap[0]?.at ?? null;
  }

  add(at: number, id: number): void {
    const heap = this.#heap;
    const one = { at, id };
    let index = heap.length;
    heap.push(one);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (!parent || parent.at <= at) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = one;
  }

  /** Remove and return every lead due at `now`, each once. */
  removeDue(now: number): number[] {
    const due = new Set<number>();
    for (let first = this.#heap[0]; first && first.at <= now; first = this.#heap[0]) {
      due.add(first.id);
      this.#dropFirst();
    }
    return [...due];
  }

  #dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      const leftChild = heap[child];
      const right = heap[child + 1];
      if (!leftChild) break;
      const smaller = right && right.at < leftChild.at ? right : leftChild;
      if (smaller === right) child++;
      if (last.at <= smaller.at) break;
      heap[index] = smaller;
      index = child;
    }
    heap[index] = last;
  }
}

/** Leads that wait for their first message, by messenger, in the order in which they fell due. */
class FirstMessageQueue {
  readonly #of: Record<ChannelType, { dueAt: number; id: number }[]> = { telegram: [], whatsapp: [] };
  readonly #in = new Set<number>();

  add(type: ChannelType, dueAt: number, id: number): void {
    if (this.#in.has(id)) return;
    this.#in.add(id);
    const waiting = this.#of[type];
    let low = 0;
    let high = waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const one = waiting[middle];
      if (one && (one.dueAt < dueAt || (one.dueAt === dueAt && one.id < id))) low = middle + 1;
      else high = middle;
    }
    waiting.splice(low, 0, { dueAt, id });
  }

  remove(id: number): void {
    if (!this.#in.delete(id)) return;
    for (const waiting of Object.values(this.#of)) {
      const index = waiting.findIndex((one) => one.id === id);
      if (index !== -1) waiting.splice(index, 1);
    }
  }

  head(length: number): number[] {
    return Object.values(this.#of).flatMap((waiting) => waiting.slice(0, length).map((one) => one.id));
  }
}

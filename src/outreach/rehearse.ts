/**
 * Rehearsal: what would go out in a period if nobody answered and nobody changed anything. It asks the very plan that
 * the worker asks, on a copy of the facts, and jumps from due instant to due instant. Sends nothing, calls no model.
 */
import type { ChannelType } from '../channels/contract.ts';
import { dayAt } from '../platform/days.ts';
import { quotaDay } from '../products/quotaDay.ts';
import type { Counters, DialogueFacts, LeadFacts, LinkSettings, Settings } from './facts.ts';
import { type Decision, plan, type Wait } from './plan.ts';
import type { Why } from './why.ts';

/** So many of each messenger are looked at together; the result does not depend on it. */
const HEAD = 4;

export interface Rehearsed {
  readonly leadId: number;
  /** `scheduled`: it waits in the outbox already. */
  readonly kind: 'first' | 'ping' | 'scheduled';
  /** The follow-up's step; 0 otherwise. */
  readonly step: number;
  readonly at: number;
  readonly contactId: number | null;
  readonly channelId: number | null;
  /** Why at this moment and not before. */
  readonly why: Why;
}

export interface Rehearsal {
  /** In the order in which they leave. */
  readonly messages: readonly Rehearsed[];
  readonly expired: readonly { readonly leadId: number; readonly at: number }[];
  /** Messengers and days (of the product's zone, since 1970) on which a limit kept somebody waiting. */
  readonly limits: readonly { readonly day: number; readonly type: ChannelType }[];
  /** Of each lead to whom nothing is said, why. */
  readonly silent: readonly Why[];
}

/** A lead as it goes along. */
interface Moving {
  facts: LeadFacts;
  why: Why;
}

/** Rehearses from `from` to `to`, ms since 1970 UTC. `counters` are those of `from`. */
export function rehearse(
  given: readonly LeadFacts[],
  counters: Counters,
  asStored: Settings,
  from: number,
  to: number,
): Rehearsal {
  let settings = asStored;
  const leads = new Map<number, Moving>(given.map((facts) => [facts.id, { facts, why: { code: 'now' } }]));
  const wakes = new Wakes();
  const line = new Line();
  const messages: Rehearsed[] = [];
  const expired: { leadId: number; at: number }[] = [];
  const limits = new Map<string, { day: number; type: ChannelType }>();
  let now = from;
  let shared: Counters = { ...counters, inHand: false };
  let lineAt: number | null = from;
  let made = 0;
  let dayEnds = quotaDay(settings, from).until;

  const twins = sharedAddresses(given);
  for (const lead of given) {
    const leaves = lead.dialogue?.outgoingAt ?? null;
    if (leaves === null) wakes.add(from, lead.id);
    else wakes.add(Math.max(from, leaves), lead.id);
  }

  const set = (id: number, change: Partial<LeadFacts>) => {
    const lead = leads.get(id);
    if (lead) lead.facts = { ...lead.facts, ...change };
  };

  /** A message of ours left. */
  function said(id: number, dialogue: DialogueFacts): void {
    set(id, {
      dialogue: {
        ...dialogue,
        outgoing: false,
        outgoingAt: null,
        last: { id: --made, ours: true, at: now, failed: false },
      },
    });
    wakes.add(now, id);
  }

  function carryOut(decision: Decision): void {
    const { leadId } = decision;
    const lead = leads.get(leadId);
    if (!lead) return;
    switch (decision.kind) {
      case 'wait':
        lead.why = decision.why;
        noteLimit(decision);
        if (decision.line !== null) join(decision.line.type, decision.line.dueAt, leadId);
        else if (decision.until !== null) wakes.add(Math.max(decision.until, now), leadId);
        return;
      case 'first': {
        const type = lead.facts.contacts.find((one) => one.id === decision.contactId)?.type;
        if (type) join(type, decision.dueAt, leadId);
        return;
      }
      case 'ping': {
        const { dialogue } = lead.facts;
        if (!dialogue) return;
        const step = decision.step.step_number;
        messages.push({ leadId, kind: 'ping', step, at: now, contactId: null, channelId: null, why: lead.why });
        said(leadId, { ...dialogue, stepsDone: step, stepAt: now });
        return;
      }
      case 'expire':
        set(leadId, { stage: 'ignore' });
        expired.push({ leadId, at: now });
        return;
      default:
        decision satisfies never;
    }
  }

  function noteLimit(wait: Wait): void {
    const { why } = wait;
    if (why.code !== 'limit') return;
    const day = dayAt(settings.zone, now);
    limits.set(`${day} ${why.type}`, { day, type: why.type });
  }

  function join(type: ChannelType, dueAt: number, leadId: number): void {
    line.add(type, dueAt, leadId);
    lineAt = now;
  }

  function think(ids: readonly number[]): void {
    const due: LeadFacts[] = [];
    for (const id of ids) {
      const lead = leads.get(id);
      if (!lead) continue;
      const { dialogue } = lead.facts;
      if (dialogue?.outgoing && dialogue.outgoingAt !== null) {
        const leaves = { leadId: id, kind: 'scheduled' as const, step: 0, at: now, contactId: null, channelId: null };
        messages.push({ ...leaves, why: { code: 'outgoing' } });
        // A step that was made and not sent yet is what waits.
        said(id, dialogue.stepsDone > 0 ? { ...dialogue, stepAt: dialogue.stepAt ?? now } : dialogue);
      } else due.push(lead.facts);
    }
    for (const decision of plan({ leads: due, counters: shared }, settings, now)) carryOut(decision);
  }

  function moveLine(): void {
    lineAt = null;
    for (;;) {
      const head = line.head(HEAD).flatMap((id) => leads.get(id)?.facts ?? []);
      let first: Extract<Decision, { kind: 'first' }> | null = null;
      let until = Number.POSITIVE_INFINITY;
      let left = false;
      for (const decision of plan({ leads: head, counters: shared }, settings, now)) {
        if (decision.kind === 'first') first ??= decision;
        else if (decision.kind === 'wait' && decision.line !== null) {
          const lead = leads.get(decision.leadId);
          if (lead) lead.why = decision.why;
          noteLimit(decision);
          until = Math.min(until, decision.until ?? Number.POSITIVE_INFINITY);
        } else {
          line.remove(decision.leadId);
          left = true;
          carryOut(decision);
        }
      }
      if (first !== null) {
        writeFirst(first);
        continue;
      }
      if (left) continue;
      if (Number.isFinite(until)) lineAt = until;
      return;
    }
  }

  function writeFirst(first: Extract<Decision, { kind: 'first' }>): void {
    const { leadId, contactId, channelId } = first;
    const lead = leads.get(leadId);
    const type = lead?.facts.contacts.find((one) => one.id === contactId)?.type;
    if (!lead || !type) return;
    line.remove(leadId);
    messages.push({ leadId, kind: 'first', step: 0, at: now, contactId, channelId, why: lead.why });
    const today = new Map(shared.today).set(channelId, (shared.today.get(channelId) ?? 0) + 1);
    const ofType = { ...shared.ofType, [type]: shared.ofType[type] + 1 };
    shared = { ...shared, today, ofType, lastAt: now, lastLeadId: leadId };
    settings = begun(settings, channelId, now);
    set(leadId, { talked: true, stage: 'started' });
    know(leadId, contactId);
    const dialogue = { id: leadId, createdAt: now, anchor: 0, anchorAt: null, last: null, skipFor: null };
    said(leadId, { ...dialogue, outgoing: false, outgoingAt: null, stepsDone: 0, stepAt: null });
  }

  /** The person is known from now on: who else has the address is not written to. */
  function know(leadId: number, contactId: number): void {
    const address = leads.get(leadId)?.facts.contacts.find((one) => one.id === contactId)?.address;
    for (const twin of twins.get(address ?? '') ?? []) {
      const other = leads.get(twin);
      if (!other || twin === leadId) continue;
      const contacts = other.facts.contacts.map((one) => (one.address === address ? { ...one, knownAs: leadId } : one));
      set(twin, { contacts });
      wakes.add(now, twin);
    }
  }

  for (;;) {
    const next = Math.min(wakes.nextAt ?? Number.POSITIVE_INFINITY, lineAt ?? Number.POSITIVE_INFINITY);
    if (next > to) break;
    if (next >= dayEnds) {
      shared = { ...shared, today: new Map(), ofType: { telegram: 0, whatsapp: 0 } };
      dayEnds = quotaDay(settings, next).until;
    }
    now = Math.max(now, next);
    const due = wakes.take(now);
    if (due.length > 0) think(due);
    if (lineAt !== null && lineAt <= now) moveLine();
  }
  const spokenTo = new Set(messages.map((one) => one.leadId));
  const silent = [...leads.values()].filter((lead) => !spokenTo.has(lead.facts.id)).map((lead) => lead.why);
  return { messages, expired, limits: [...limits.values()], silent };
}

/** Leads by the addresses that several of them have. */
function sharedAddresses(leads: readonly LeadFacts[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const lead of leads)
    for (const { address } of lead.contacts) {
      const known = found.get(address);
      if (known) known.push(lead.id);
      else found.set(address, [lead.id]);
    }
  for (const [address, ids] of found) if (ids.length < 2) found.delete(address);
  return found;
}

/** The number has sent its first first message: its ramp counts from this day on. */
function begun(settings: Settings, channelId: number, at: number): Settings {
  const isNew = (link: LinkSettings) => link.channelId === channelId && link.firstAt === null;
  if (!settings.links.some(isNew)) return settings;
  return { ...settings, links: settings.links.map((link) => (isNew(link) ? { ...link, firstAt: at } : link)) };
}

/** Who is to be thought about when: a binary heap by time. */
class Wakes {
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

  /** Takes out whoever is due at `now`, each once. */
  take(now: number): number[] {
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
      const left = heap[child];
      const right = heap[child + 1];
      if (!left) break;
      const smaller = right && right.at < left.at ? right : left;
      if (smaller === right) child++;
      if (last.at <= smaller.at) break;
      heap[index] = smaller;
      index = child;
    }
    heap[index] = last;
  }
}

/** Those who wait for room, by messenger, who fell due first in front. */
class Line {
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

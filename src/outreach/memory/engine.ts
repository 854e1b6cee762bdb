/**
 * The engine in memory: outreach, conversations and sending of one product without a database. It calls the same
 * deciders as the engine with a database (`plan`, `decideSend`, `decideInbound`) and jumps from one due instant to the
 * next. A vendor answers at once and delivery reports follow at once; a model takes no time. Instants are ms since
 * 1970 UTC.
 */
import type { LeadFacts, Settings } from '../facts.ts';
import { type Decision, plan } from '../plan.ts';
import { answerTurn, changeStage, deactivate, handOver, receiveText, returnToBot } from './inbound.ts';
import { queueText, restoreWantedTimes, sendDue } from './outbox.ts';
import { type EngineInput, type MemoryLead, MemoryState } from './state.ts';

/** Leads of each messenger evaluated together. The result does not depend on it. */
const QUEUE_HEAD_SIZE = 4;

type FirstDecision = Extract<Decision, { kind: 'first' }>;

export class MemoryEngine {
  readonly #state: MemoryState;

  constructor(input: EngineInput) {
    this.#state = new MemoryState(input);
  }

  get now(): number {
    return this.#state.now;
  }

  get leads(): ReadonlyMap<number, Readonly<MemoryLead>> {
    return this.#state.leads;
  }

  /** The next due instant; infinity if nothing is due without a change. */
  get nextAt(): number {
    const { dueLeads, outbox, dueTurns, queueDueAt, channels, now } = this.#state;
    const never = Number.POSITIVE_INFINITY;
    const next = Math.min(dueLeads.nextAt ?? never, outbox.nextAt ?? never, dueTurns.nextAt ?? never);
    return Math.max(now, Math.min(next, queueDueAt ?? never, channels.nextChange(now)));
  }

  /** Jump from due instant to due instant until nothing is due up to `to`. The clock then shows `to`. */
  runUntil(to: number): void {
    for (let next = this.nextAt; next <= to; next = this.nextAt) this.#runAt(next);
    this.#state.now = Math.max(this.#state.now, to);
  }

  addLead(facts: LeadFacts): void {
    this.#state.addLead(facts);
  }

  /** Receive a text from a lead. */
  receive(leadId: number, text: string): void {
    receiveText(this.#state, this.#find(leadId), text);
  }

  /** Set who writes for us in a lead's dialogue. */
  setOwner(leadId: number, owner: 'bot' | 'human'): void {
    const lead = this.#find(leadId);
    if (lead.dialogue?.owner === owner) return;
    (owner === 'human' ? handOver : returnToBot)(this.#state, lead);
  }

  deactivate(leadId: number): void {
    deactivate(this.#state, this.#find(leadId));
  }

  /** Apply settings with the same time zone and channels. */
  changeSettings(settings: Settings): void {
    const state = this.#state;
    state.settings = settings;
    state.refreshChannels();
    for (const lead of state.leads.values()) {
      restoreWantedTimes(state, lead);
      state.reevaluate(lead);
    }
  }

  /** Switch a channel on or off. */
  setChannelActive(channelId: number, isActive: boolean): void {
    const state = this.#state;
    const channel = state.channels.get(channelId);
    if (!channel) return;
    channel.isActive = isActive;
    state.refreshChannels();
    for (const lead of state.leads.values())
      if (lead.dialogue?.waiting.length) state.outbox.add(state.now, lead.facts.id);
  }

  #find(leadId: number): MemoryLead {
    const lead = this.#state.leads.get(leadId);
    if (!lead) throw new Error(`No lead ${leadId}`);
    return lead;
  }

  #runAt(at: number): void {
    const state = this.#state;
    const hasChange = state.channels.nextChange(state.now) <= at;
    state.now = at;
    if (hasChange) state.refreshChannels();
    for (const id of state.outbox.removeDue(at)) sendDue(state, this.#find(id));
    for (const id of state.dueTurns.removeDue(at)) answerTurn(state, this.#find(id));
    this.#evaluateDue();
    if (state.queueDueAt !== null && state.queueDueAt <= at) this.#processQueue();
  }

  #evaluateDue(): void {
    const { dueLeads, quota, settings, now } = this.#state;
    const due: LeadFacts[] = [];
    for (const id of dueLeads.removeDue(now)) {
      const lead = this.#find(id);
      if (lead.dueAt === null || lead.dueAt > now) continue;
      lead.dueAt = null;
      due.push(lead.facts);
    }
    if (due.length === 0) return;
    for (const decision of plan({ leads: due, counters: quota.counters(now) }, settings, now)) this.#apply(decision);
  }

  #apply(decision: Decision): void {
    const state = this.#state;
    const lead = this.#find(decision.leadId);
    const { id } = lead.facts;
    const hasQueued = decision.kind === 'first' || (decision.kind === 'wait' && decision.queue !== null);
    if (!hasQueued) state.queue.remove(id);
    switch (decision.kind) {
      case 'wait': {
        const { queue, until } = decision;
        lead.reason = decision.reason;
        state.observer.waits?.(decision);
        if (queue !== null) this.#enqueue({ type: queue.type, dueAt: queue.dueAt, id });
        else state.schedule(lead, until === null ? null : Math.max(until, state.now));
        return;
      }
      case 'first': {
        const type = lead.facts.contacts.find((one) => one.id === decision.contactId)?.type;
        if (type) this.#enqueue({ type, dueAt: decision.dueAt, id });
        return;
      }
      case 'ping': {
        const { step_number: step } = decision.step;
        const text = state.texts?.followUp(id, step) ?? '';
        queueText(state, lead, { text, origin: 'ping', ping_step_number: step, anchor: decision.anchor });
        return;
      }
      case 'expire':
        changeStage(state, lead, 'ignore');
        state.observer.expired?.(id);
        return;
      default:
        decision satisfies never;
    }
  }

  #enqueue(lead: Parameters<MemoryState['queue']['add']>[0]): void {
    this.#state.queue.add(lead);
    this.#state.queueDueAt = this.#state.now;
  }

  /** Send the first messages that the quotas allow now, in the order of the queue. */
  #processQueue(): void {
    const state = this.#state;
    state.queueDueAt = null;
    for (;;) {
      const leads = state.queue.head(QUEUE_HEAD_SIZE).map((id) => this.#find(id).facts);
      let first: FirstDecision | null = null;
      let until = Number.POSITIVE_INFINITY;
      let hasLeft = false;
      for (const decision of plan({ leads, counters: state.quota.counters(state.now) }, state.settings, state.now)) {
        if (decision.kind === 'first') first ??= decision;
        else if (decision.kind === 'wait' && decision.queue !== null) {
          this.#find(decision.leadId).reason = decision.reason;
          state.observer.waits?.(decision);
          until = Math.min(until, decision.until ?? Number.POSITIVE_INFINITY);
        } else {
          hasLeft = true;
          this.#apply(decision);
        }
      }
      if (first !== null) this.#sendFirstMessage(first);
      else if (!hasLeft) {
        state.queueDueAt = Number.isFinite(until) ? until : null;
        return;
      }
    }
  }

  #sendFirstMessage({ leadId, contactId, channelId }: FirstDecision): void {
    const state = this.#state;
    const lead = this.#find(leadId);
    state.queue.remove(leadId);
    state.markContacted(lead, contactId);
    state.openDialogue(lead, contactId, channelId);
    queueText(state, lead, { text: state.texts?.first(leadId) ?? '', origin: 'first' });
  }
}

/**
 * The engine in memory: outreach, conversations and sending of one product without a database. It calls the same
 * deciders as the engine with a database (`plan`, `decideSend`, `decideInbound`) and jumps from one due instant to the
 * next. A vendor answers at once and delivery reports follow at once; a model takes no time. A text that somebody else
 * writes is asked for, and the clock stands still until it is there. Instants are ms since 1970 UTC.
 */

import type { Stage } from '../../leads/contract.ts';
import { blockReasonText } from '../../leads/lead.ts';
import type { LeadFacts, Settings } from '../facts.ts';
import { type Decision, plan } from '../plan.ts';
import { restoreMoved } from './changes.ts';
import {
  answerTurn,
  changeStage,
  deactivate,
  dropHandOverText,
  handOver,
  receiveFromPhone,
  receiveText,
  returnToBot,
  storeWritten,
  type WrittenText,
} from './inbound.ts';
import type { MemoryLead } from './lead.ts';
import { queueText, sendDue } from './outbox.ts';
import { type EngineInput, MemoryState, type TextRequest } from './state.ts';

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

  /**
   * Jump from due instant to due instant until nothing is due up to `to`. The clock then shows `to`. If texts are asked
   * for, it stops at that instant and returns them; it goes on when each has its answer by `write`.
   */
  runUntil(to: number): readonly TextRequest[] {
    const state = this.#state;
    for (let next = this.nextAt; next <= to && state.requests.size === 0; next = this.nextAt) this.#runAt(next);
    if (state.requests.size === 0) state.now = Math.max(state.now, to);
    return [...state.requests];
  }

  /** Provide a text that was asked for. It is used if it still fits: the lead may have written meanwhile. */
  write(request: TextRequest, written: WrittenText): void {
    const state = this.#state;
    if (!state.requests.delete(request)) return;
    const lead = this.#find(request.leadId);
    if (request.kind === 'reply') return storeWritten(state, lead, { turn: request.turn, written });
    const [decision] = plan(
      { leads: [lead.facts], counters: state.quota.counters(state.now) },
      state.settings,
      state.now,
    );
    if (!decision) return;
    const { step, anchor } = request;
    const isSame = decision.kind === 'ping' && decision.step.step_number === step && decision.anchor === anchor;
    if (!isSame) this.#apply(decision);
    else if (written.kind === 'text')
      queueText(state, lead, { text: written.text, isMarkdown: true, origin: 'ping', step, anchor });
    else if (written.kind !== 'stop') lead.reason = { code: 'text', reason: written.reason };
  }

  addLead(facts: LeadFacts): void {
    this.#state.addLead(facts);
  }

  /** Receive a text from a lead. */
  receive(leadId: number, text: string): void {
    receiveText(this.#state, this.#find(leadId), text);
  }

  /** Receive a text from a person who has no dialogue yet, by a channel. */
  receiveFirst(leadId: number, { contactId, channelId }: { contactId: number; channelId: number }, text: string): void {
    const lead = this.#find(leadId);
    if (!lead.dialogue) this.#state.openDialogue(lead, contactId, channelId);
    receiveText(this.#state, lead, text);
  }

  /** A person of ours writes to a lead from the phone. */
  receiveFromPhone(leadId: number): void {
    receiveFromPhone(this.#state, this.#find(leadId));
  }

  /** Move a lead to a stage, as stage detection does. */
  changeStage(leadId: number, stage: Stage): void {
    changeStage(this.#state, this.#find(leadId), { stage, isDetected: true });
  }

  /** Set who writes for us in a lead's dialogue. */
  setOwner(leadId: number, owner: 'bot' | 'human', { staySilent = false }: { staySilent?: boolean } = {}): void {
    const lead = this.#find(leadId);
    const present = lead.dialogue?.state.owner;
    const byOperator = { code: 'operator' } as const;
    if (owner === 'human' && present === 'human')
      return dropHandOverText(this.#state, lead, blockReasonText({ code: 'human', by: byOperator }));
    if (present === owner) return;
    if (owner === 'human') handOver(this.#state, lead, byOperator);
    else returnToBot(this.#state, lead, { staySilent });
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
      restoreMoved(state, lead);
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
    for (const lead of state.leads.values()) if (lead.waiting.length > 0) state.outbox.add(state.now, lead.facts.id);
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
        const { anchor } = decision;
        const text = state.texts ? state.texts.followUp(id, step) : '';
        if (text === null) this.#askForFollowUp({ kind: 'follow_up', leadId: id, step, anchor });
        else queueText(state, lead, { text, isMarkdown: false, origin: 'ping', step, anchor });
        return;
      }
      case 'expire':
        changeStage(state, lead, { stage: 'ignore' });
        state.observer.expired?.(id);
        return;
      default:
        decision satisfies never;
    }
  }

  /** Ask for a follow-up's text, unless that was done already. */
  #askForFollowUp(request: Extract<TextRequest, { kind: 'follow_up' }>): void {
    const { requests } = this.#state;
    const isAsked = [...requests].some((one) => one.kind === 'follow_up' && one.leadId === request.leadId);
    if (!isAsked) requests.add(request);
  }

  #enqueue(lead: Parameters<MemoryState['queue']['add']>[0]): void {
    this.#state.queue.add(lead);
    this.#state.queueDueAt = this.#state.now;
  }

  /** Send the first messages that the quotas allow now, in the order of the queue. */
  #processQueue(): void {
    const state = this.#state;
    for (;;) {
      const leads = state.queue.head(QUEUE_HEAD_SIZE).map((id) => this.#find(id).facts);
      const { settings, now } = state;
      let until = Number.POSITIVE_INFINITY;
      let isChanged = false;
      for (const decision of plan({ leads, counters: state.quota.counters(now) }, settings, now)) {
        if (decision.kind === 'first') {
          // Another lead of the same person was written to just now: this one is evaluated again.
          if (this.#find(decision.leadId).dueAt === now) continue;
          this.#sendFirstMessage(decision);
          isChanged = true;
          // The others were decided for channels as they were.
          if (state.settings !== settings) break;
        } else if (decision.kind === 'wait' && decision.queue !== null) {
          this.#find(decision.leadId).reason = decision.reason;
          state.observer.waits?.(decision);
          until = Math.min(until, decision.queue.freeAt ?? Number.POSITIVE_INFINITY);
        } else {
          this.#apply(decision);
          isChanged = true;
        }
      }
      if (isChanged) continue;
      state.queueDueAt = Number.isFinite(until) ? until : null;
      return;
    }
  }

  #sendFirstMessage({ leadId, contactId, channelId }: FirstDecision): void {
    const state = this.#state;
    const lead = this.#find(leadId);
    state.queue.remove(leadId);
    // For example after a message that was cancelled: nobody gets a first message twice.
    if (state.isContacted(lead, contactId)) {
      lead.reason = { code: 'talked' };
      return;
    }
    state.markContacted(lead, contactId);
    state.openDialogue(lead, contactId, channelId);
    queueText(state, lead, { text: state.texts?.first(leadId) ?? '', isMarkdown: false, origin: 'first' });
  }
}

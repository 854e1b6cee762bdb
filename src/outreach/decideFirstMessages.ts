/** Decides which leads of a product's queue get their first message now. Pure. */

import { personKey } from '../leads/address.ts';
import type { Settings } from './facts.ts';
import type { FirstText } from './messageText.ts';
import { type Decision, plan } from './plan.ts';
import { type PlanResult, toPlanResult } from './planResult.ts';
import type { CountersNow, LeadOfProduct } from './store/facts.ts';
import type { RecipientFacts } from './store/firstMessages.ts';
import type { FailedLead } from './store/outreach.ts';

/** Seconds until a lead with an unprocessed inbound message is evaluated again. Real clock. */
const UNREAD_RETRY_SECONDS = 2;

/** The head of a queue, and all that deciding about it needs. */
export interface QueueFacts {
  readonly settings: Settings;
  readonly counters: CountersNow;
  readonly leads: readonly LeadOfProduct[];
  /** Texts by lead; a lead without one waits for the next batch. */
  readonly texts: ReadonlyMap<number, FirstText>;
  readonly recipients: ReadonlyMap<number, RecipientFacts>;
  /** Addresses that belonged to deleted leads. */
  readonly suppressed: ReadonlySet<string>;
}

export type FirstDecision = Extract<Decision, { kind: 'first' }>;

/** A first message that may be claimed. */
export interface FirstMessage extends FirstDecision {
  readonly address: string;
  readonly type: LeadOfProduct['contacts'][number]['type'];
  readonly text: Extract<FirstText, { kind: 'made' }>;
}

export interface QueueDecision {
  readonly claims: readonly FirstMessage[];
  readonly failed: readonly FailedLead[];
  /** What the plan decides about leads that leave the queue. */
  readonly left: readonly PlanResult[];
  /** Leads that may go now, and whose text is not made yet. */
  readonly pending: readonly FirstDecision[];
  /** When quotas and interval may let one go, whoever it is, ms since 1970; null: only a change can tell. */
  readonly until: number | null;
}

/** Decide about the head of a queue, in the order in which its leads fell due. */
export function decideFirstMessages({
  settings,
  counters,
  leads,
  texts,
  recipients,
  suppressed,
}: QueueFacts): QueueDecision {
  const claims: FirstMessage[] = [];
  const failed: FailedLead[] = [];
  const left: PlanResult[] = [];
  const pending: FirstDecision[] = [];
  const persons = new Set<string>();
  let until: number | null = null;
  for (const decision of plan({ leads, counters }, settings, counters.now)) {
    const { leadId } = decision;
    if (decision.kind === 'wait' && decision.queue !== null) {
      const { freeAt } = decision.queue;
      until = freeAt === null ? until : Math.min(until ?? Number.POSITIVE_INFINITY, freeAt);
      continue;
    }
    if (decision.kind !== 'first') {
      left.push(toPlanResult(decision, leads, counters.now));
      continue;
    }
    const contact = leads.find(({ id }) => id === leadId)?.contacts.find(({ id }) => id === decision.contactId);
    const recipient = recipients.get(decision.contactId);
    const text = texts.get(leadId);
    // Another lead of this batch may be the same person: the next batch knows.
    if (!contact || !recipient || text?.contactId !== decision.contactId || persons.has(personKey(contact.address))) {
      pending.push(decision);
      continue;
    }
    const { address, type } = contact;
    const failure = failureOf({
      text,
      recipient,
      channelId: decision.channelId,
      isSuppressed: suppressed.has(address),
    });
    if (failure !== null) failed.push({ leadId, ...failure });
    else if (text.kind === 'made') {
      claims.push({ ...decision, address, type, text });
      persons.add(personKey(address));
    }
  }
  return { claims, failed, left, pending, until };
}

function failureOf({
  text,
  recipient,
  channelId,
  isSuppressed,
}: {
  text: FirstText;
  recipient: RecipientFacts;
  channelId: number;
  isSuppressed: boolean;
}): Omit<FailedLead, 'leadId'> | null {
  if (text.kind === 'failed')
    return {
      reason: { code: 'text', reason: text.reason },
      pauseSeconds: text.isPermanent ? null : text.retrySeconds,
      state: text.state,
    };
  if (isSuppressed) return { reason: { code: 'forgotten' }, pauseSeconds: null };
  // For example after a message that was cancelled, or requeued and never sent: nobody gets a first message twice.
  if (recipient.isContacted) return { reason: { code: 'talked' }, pauseSeconds: null };
  // The lead has written, and the message is about to be processed.
  if (recipient.unprocessedOn.includes(channelId))
    return { reason: { code: 'answer_first' }, pauseSeconds: UNREAD_RETRY_SECONDS };
  return null;
}

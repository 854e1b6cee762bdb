/** What is stored of the plan's decision about a lead. Pure. */
import type { ChannelType } from '../channels/contract.ts';
import type { LeadFacts } from './facts.ts';
import type { Decision } from './plan.ts';
import type { Reason } from './reason.ts';

/** The result of evaluating the plan for a lead. Instants are ms since 1970 UTC. */
export interface PlanResult {
  readonly leadId: number;
  readonly nextAt: number | null;
  readonly queue: { readonly type: ChannelType; readonly dueAt: number } | null;
  readonly nextAction: 'first' | 'ping' | 'expire' | null;
  readonly nextActionAt: number | null;
  readonly reason: Reason;
}

/** Convert a decision into the state stored on the lead's row until the next evaluation. */
export function toPlanResult(decision: Decision, leads: readonly LeadFacts[], now: number): PlanResult {
  const { leadId } = decision;
  switch (decision.kind) {
    case 'wait': {
      const { next, until, reason, queue } = decision;
      return { leadId, nextAt: queue ? null : until, queue, nextAction: next, nextActionAt: until, reason };
    }
    case 'first': {
      const type = leads
        .find((lead) => lead.id === leadId)
        ?.contacts.find((one) => one.id === decision.contactId)?.type;
      const queue = type ? { type, dueAt: decision.dueAt } : null;
      return { leadId, nextAt: null, queue, nextAction: 'first', nextActionAt: now, reason: { code: 'interval' } };
    }
    case 'ping':
    case 'expire':
      return {
        leadId,
        nextAt: now,
        queue: null,
        nextAction: decision.kind,
        nextActionAt: now,
        reason: { code: 'now' },
      };
    default:
      return decision satisfies never;
  }
}

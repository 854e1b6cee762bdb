/**
 * Rehearsal: compute what would be sent in a period if nobody replied and nobody changed anything, by the engine in
 * memory on a copy of the facts. Sends nothing, calls no model.
 */
import type { ChannelType } from '../channels/contract.ts';
import { dayAt } from '../platform/days.ts';
import type { Counters, LeadFacts, Settings } from './facts.ts';
import { MemoryEngine } from './memory/engine.ts';
import type { MemoryMessage } from './memory/rows.ts';
import type { Reason } from './reason.ts';

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
export function rehearse({ to, ...input }: RehearsalInput): Rehearsal {
  const messages: PlannedMessage[] = [];
  const expired: { leadId: number; at: number; reason: Reason }[] = [];
  const limits = new Map<string, { day: number; type: ChannelType }>();
  const engine: MemoryEngine = new MemoryEngine({
    ...input,
    observer: {
      settled: (message) => messages.push(toPlannedMessage(message)),
      // What it waited for until then says more than that it has expired.
      expired: (leadId) =>
        expired.push({ leadId, at: engine.now, reason: engine.leads.get(leadId)?.reason ?? { code: 'now' } }),
      waits({ reason }) {
        if (reason.code !== 'limit') return;
        const day = dayAt(input.settings.zone, engine.now);
        limits.set(`${day} ${reason.type}`, { day, type: reason.type });
      },
    },
  });
  engine.runUntil(to);
  const messagedLeadIds = new Set(messages.map((one) => one.leadId));
  const silent = [...engine.leads.values()].filter((lead) => !messagedLeadIds.has(lead.facts.id));
  const reasons = new Map(expired.map(({ leadId, reason }) => [leadId, reason]));
  return {
    messages,
    expired,
    limits: [...limits.values()],
    silent: silent.map((lead) => reasons.get(lead.facts.id) ?? lead.reason),
  };
}

function toPlannedMessage(message: MemoryMessage): PlannedMessage {
  const { leadId, contactId, channelId, planned } = message;
  const { origin, thread_at: at, ping_step_number: step } = message.state;
  const isFirst = origin === 'first';
  return {
    leadId,
    kind: isFirst || origin === 'ping' ? origin : 'scheduled',
    step: origin === 'ping' ? (step ?? 0) : 0,
    at,
    contactId: isFirst ? contactId : null,
    channelId: isFirst ? channelId : null,
    reason: planned,
  };
}

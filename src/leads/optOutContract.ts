/** Contract of the wish of a person to get no more messages. */
import { z } from 'zod';
import { endpoint, errorReply, instant, nameShape, reference } from '../platform/contract.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { lead } from './contract.ts';
import { optOutSources, optOutStates } from './personOptOut.ts';

const leadParams = z.strictObject({ id: reference('lead') });

/** The wish of the person behind a lead to get no more messages, known from any lead of the company. */
export const personOptOut = z.object({
  /** `doubtful`: nothing unsolicited is sent until it is decided. */
  state: z.enum(optOutStates),
  source: z.enum(optOutSources),
  since: instant,
  /** The operator who recorded it. */
  operator: z.string().nullable(),
  /** Where it came from; null if that was deleted. */
  lead_id: z.int().nullable(),
  lead_name: z.string().nullable(),
  dialogue_id: z.int().nullable(),
  message_id: z.int().nullable(),
  message: z.string().nullable(),
  /** Since when people are asked to decide; null: model or stage detection may still decide. */
  asked_at: instant.nullable(),
});
export type PersonOptOutView = z.output<typeof personOptOut>;
nameShape('PersonOptOut', personOptOut);
const optOutReply = z.object({ opt_out: personOptOut.nullable() });

export const optOutOfLead = endpoint({
  operation: 'readOptOutOfLead',
  method: 'GET',
  path: '/v1/leads/{id}/opt-out',
  access: 'session',
  summary: 'Whether the person behind a lead wants no more messages, and how that is known',
  params: leadParams,
  replies: { 200: optOutReply, 404: errorReply },
});

export const decideOptOutOfLead = endpoint({
  operation: 'decideOptOutOfLead',
  method: 'POST',
  path: '/v1/leads/{id}/opt-out',
  access: 'session',
  summary: 'Record that the person asked to get no more messages, or that a doubtful wish is none',
  params: leadParams,
  body: z.strictObject({ decision: z.enum(['stop', 'keep']) }),
  replies: { 200: optOutReply, 404: errorReply, 409: errorReply },
});

export const liftOptOutOfLead = endpoint({
  operation: 'liftOptOutOfLead',
  method: 'POST',
  path: '/v1/leads/{id}/lift-opt-out',
  access: 'session',
  summary: 'Lift the opt-out of the person in the company; what was written before does not count again',
  params: leadParams,
  query: z.strictObject({ activate: z.boolean().default(true) }),
  replies: { 200: lead, 404: errorReply, 409: errorReply },
});

export const optOutRefusals = {
  'lead.opted_out': { status: 409, sentence: 'This person asked not to be written to. Lift the opt-out instead.' },
  'lead.no_opt_out': { status: 409, sentence: 'This person has not asked to get no more messages.' },
} satisfies RefusalKinds;

/** Rehearsal: what would be sent, and how a change of settings would affect it. */
import { z } from 'zod';
import { channelTypes } from '../channels/contract.ts';
import { day, endpoint, errorReply, instant, nameShape, reference } from '../platform/contract.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { timeZone } from '../platform/zones.ts';
import { messagingConfig } from '../products/contract.ts';
import { pingSettings, scheduleConfig } from './contract.ts';
import { reason } from './reason.ts';

/** Maximum number of leads in one rehearsal; those with the lowest ids are taken. */
export const MAX_LEADS = 50_000;
export const MAX_DAYS = 92;

/** Settings to try instead of the stored ones. Omitted fields keep their stored value; null means none. */
const proposal = z.strictObject({
  timezone: timeZone.optional(),
  lead_expires_in_hours: z.int().min(0).max(1_000_000).optional(),
  messaging_config: messagingConfig.nullable().optional(),
  schedule: z.strictObject({ timezone: timeZone, config: scheduleConfig }).nullable().optional(),
  pings: z.strictObject({ is_enabled: z.boolean(), config: pingSettings }).nullable().optional(),
});
export type Proposal = z.output<typeof proposal>;

export const rehearsalKinds = ['first', 'ping', 'scheduled'] as const;

const rehearsedMessage = z.object({
  lead_id: z.int(),
  lead_name: z.string(),
  kind: z.enum(rehearsalKinds),
  /** Step number of the follow-up; null for other kinds. */
  step: z.int().nullable(),
  at: instant,
  /** The lead's time zone, or the schedule's; null if neither is known. */
  zone: z.string().nullable(),
  channel: z.string().nullable(),
  why: reason,
  text: z.object({
    /**
     * `prompt`: a model would write it, and the text is the rendered prompt. `failed`: it would not be sent, for the
     * reason in the text.
     */
    kind: z.enum(['text', 'prompt', 'failed']),
    /** Name of the prompt or prepared message. */
    name: z.string().nullable(),
    text: z.string(),
  }),
  /** The arm of the running experiment whose text it is; null for other messages and leads that do not take part. */
  arm: z.object({ experiment_id: z.int(), experiment: z.string(), arm: z.int(), name: z.string() }).nullable(),
});
export type RehearsedMessage = z.output<typeof rehearsedMessage>;
nameShape('RehearsedMessage', rehearsedMessage);

const rehearsedDay = z.object({ day, first: z.int(), ping: z.int(), scheduled: z.int(), expired: z.int() });

export const rehearsal = z.object({
  from: instant,
  to: instant,
  leads: z.int(),
  /** True if the product has more leads than a rehearsal takes. */
  cut: z.boolean(),
  /** Every day of the period, in the product's time zone. */
  days: z.array(rehearsedDay),
  limits: z.array(z.object({ day, type: z.enum(channelTypes) })),
  /** Leads that get nothing in the period, by reason. */
  silent: z.array(z.object({ why: reason, leads: z.int() })),
  items: z.array(rehearsedMessage),
  total: z.int(),
  page: z.int(),
  limit: z.int(),
});
export type Rehearsal = z.output<typeof rehearsal>;
nameShape('Rehearsal', rehearsal);

export const readRehearsal = endpoint({
  operation: 'getRehearsal',
  method: 'GET',
  path: '/v1/outreach/rehearsal',
  access: 'session',
  summary: 'Every automatic message of a period if no one replies; sends nothing and calls no model',
  slowReason: 'Plans weeks ahead for every lead of a product.',
  query: z.strictObject({
    product_id: reference('product'),
    days: z.int().positive().max(MAX_DAYS).default(30),
    day: day.optional(),
    kind: z.array(z.enum(rehearsalKinds)).max(3).optional(),
    lead_id: z.array(reference('lead')).max(100).optional(),
    page: z.int().positive().default(1),
    limit: z.int().positive().max(100).default(25),
  }),
  replies: { 200: rehearsal, 404: errorReply, 503: errorReply },
});

export const consequences = z.object({
  /** Time zone of the days in `limits`. */
  timezone: z.string(),
  /** Number of messages in the period with the stored settings, and with the proposal. */
  before: z.int(),
  after: z.int(),
  moved: z.int(),
  added: z.int(),
  dropped: z.int(),
  /** Number of dropped messages whose lead would expire first. */
  dropped_by_expiry: z.int(),
  /** Days on which a limit is reached with the proposal but not without it. */
  limits: z.array(z.object({ day, type: z.enum(channelTypes) })),
  /** Leads that never get their first message with the proposal, since 'Send at' is after their working hours. */
  after_hours: z.int(),
  /** Number of messages that would be sent within the next hour only because of the proposal. */
  at_once: z.int(),
  /**
   * Leads that expire in the period with the stored settings, with the proposal, and within the next hour only because
   * of it.
   */
  expired_before: z.int(),
  expired_after: z.int(),
  expired_at_once: z.int(),
});
export type Consequences = z.output<typeof consequences>;
nameShape('OutreachConsequences', consequences);

export const readConsequences = endpoint({
  operation: 'previewOutreachChange',
  method: 'POST',
  path: '/v1/outreach/consequences',
  access: 'session',
  summary: 'What a change of settings would do to the messages of the coming days; changes nothing',
  slowReason: 'Plans weeks ahead for every lead of a product, twice.',
  body: z.strictObject({
    product_id: reference('product'),
    days: z.int().positive().max(MAX_DAYS).default(30),
    proposal,
  }),
  replies: { 200: consequences, 404: errorReply, 503: errorReply },
});

export const rehearsalRefusals = {
  'rehearsal.busy': {
    status: 503,
    sentence:
      'Other rehearsals of this company are still being worked out. Try again in a moment, or choose fewer days.',
  },
} satisfies RefusalKinds;

/** State of a lead in its sequence. */
export const sequenceStates = [
  'waiting',
  'active',
  'paused',
  'finished, replied',
  'finished, no reply',
  'failed',
  'opted out',
] as const;
export type SequenceState = (typeof sequenceStates)[number];

export const leadOutreach = z.object({
  state: z.enum(sequenceStates),
  /** What the plan will do next; null if nothing. */
  next: z.enum(['first', 'ping', 'expire']).nullable(),
  at: instant.nullable(),
  why: reason,
  dialogue_id: z.int().nullable(),
  /** Id of the message after which Skip would suppress follow-ups. */
  last_bot_msg_id: z.int().nullable(),
  zone: z.string().nullable(),
});
export type LeadOutreach = z.output<typeof leadOutreach>;
nameShape('LeadOutreach', leadOutreach);

export const readLeadOutreach = endpoint({
  operation: 'getLeadOutreach',
  method: 'GET',
  path: '/v1/outreach/leads/{lead_id}',
  access: 'session',
  summary: 'What is sent to a lead next, and why not now',
  params: z.strictObject({ lead_id: reference('lead') }),
  replies: { 200: leadOutreach, 404: errorReply },
});

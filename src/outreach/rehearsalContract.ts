/** Rehearsal: what would go out, and what a change of settings would do to it. */
import { z } from 'zod';
import { channelTypes } from '../channels/contract.ts';
import { day, endpoint, errorReply, instant, nameShape, reference } from '../platform/contract.ts';
import { timeZone } from '../platform/zones.ts';
import { messagingConfig } from '../products/contract.ts';
import { pingSettings, scheduleConfig } from './contract.ts';
import { reason } from './reason.ts';

/** Leads that one rehearsal takes at most: those that come first. */
export const MAX_LEADS = 50_000;
export const MAX_DAYS = 92;

/** Settings to try instead of the stored ones; what is left out stays as it is, null means none. */
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
  /** The follow-up's step; null otherwise. */
  step: z.int().nullable(),
  at: instant,
  /** The lead's time zone, or the schedule's; null: neither is known. */
  zone: z.string().nullable(),
  channel: z.string().nullable(),
  why: reason,
  text: z.object({
    /** `prompt`: a model would write it; shown is the prompt as rendered. `failed`: it would not be sent, for this reason. */
    kind: z.enum(['text', 'prompt', 'failed']),
    /** Of the prompt or prepared message. */
    name: z.string().nullable(),
    text: z.string(),
  }),
});
export type RehearsedMessage = z.output<typeof rehearsedMessage>;
nameShape('RehearsedMessage', rehearsedMessage);

const rehearsedDay = z.object({ day, first: z.int(), ping: z.int(), scheduled: z.int(), expired: z.int() });

export const rehearsal = z.object({
  from: instant,
  to: instant,
  leads: z.int(),
  /** True: the product has more leads than a rehearsal takes. */
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
  summary: 'Every message that would go out in a period if nobody answered; sends nothing and asks no model',
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
  replies: { 200: rehearsal, 404: errorReply },
});

export const consequences = z.object({
  /** The zone of the days in `limits`. */
  timezone: z.string(),
  /** Messages in the period as things stand, and with the proposal. */
  before: z.int(),
  after: z.int(),
  moved: z.int(),
  added: z.int(),
  dropped: z.int(),
  /** Of the dropped ones, those whose lead expires before. */
  dropped_by_expiry: z.int(),
  /** Days on which a limit is reached with the proposal and was not before. */
  limits: z.array(z.object({ day, type: z.enum(channelTypes) })),
  /** What leaves within the next hour that would not have. */
  at_once: z.int(),
  /** Leads that expire in the period as things stand, with the proposal, and within the next hour by it alone. */
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
  replies: { 200: consequences, 404: errorReply },
});

/** Where a lead stands in its sequence, in a word. */
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
  /** What the plan will do next; null: nothing by itself. */
  next: z.enum(['first', 'ping', 'expire']).nullable(),
  at: instant.nullable(),
  why: reason,
  dialogue_id: z.int().nullable(),
  /** The message after which Skip would leave out the follow-ups. */
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
  summary: 'What comes next for a lead by itself, and why not now',
  params: z.strictObject({ lead_id: reference('lead') }),
  replies: { 200: leadOutreach, 404: errorReply },
});

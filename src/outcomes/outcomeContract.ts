/** Contract of the ledger of outcomes: its rows, and their counts. One set of filters serves all of them. */
import { z } from 'zod';
import { channelTypes } from '../channels/contract.ts';
import {
  day,
  endpoint,
  errorReply,
  instant,
  listReply,
  nameShape,
  reference,
  uncheckedId,
} from '../platform/contract.ts';
import { arrayFilters, listQuery } from '../platform/crud.ts';

/** What an attempt may have reached, by the bits of the column `reached`. */
export const reachable = [
  'written',
  'delivered',
  'read',
  'answered',
  'qualified',
  'success',
  'refused',
  'ignored',
  'failed',
  'opted_out',
  'handed_over',
] as const;
export type Reached = (typeof reachable)[number];

export const sources = ['import', 'crm', 'inbound', 'api'] as const;
const outcomes = ['success', 'refused', 'ignore', 'failed'] as const;
const initiators = ['us', 'lead'] as const;

/**
 * How far an attempt is in an experiment. `finished`: the experiment's days are over. `succeeded`: it has also reached the
 * metric in time.
 */
export const experimentStages = ['finished', 'succeeded'] as const;

/** Dimensions whose value a row may lack. */
const absent = [
  'first_text',
  'prompt_version',
  'last_prompt_version',
  'model',
  'language',
  'operator',
  'outcome',
  'ended_by',
  'import',
  'refusal_reason',
  'arm',
] as const;

/** A refusal is an opt-out, or the stage `refused` without one. */
const refusals = ['opted_out', 'refused'] as const;
/** Who wrote first after a hand-over. */
const responses = ['operator', 'phone', 'none'] as const;

const text = z.string().min(1).max(200);
const count = z.int();
const version = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .describe('0 where the version is not recorded');
const step = z
  .int()
  .positive()
  .max(2 ** 31 - 1);

/** Ids are compared with rows of the product alone, and may be those of prompts that are gone. */
const filters = {
  id: uncheckedId,
  lead_id: uncheckedId,
  dialogue_id: uncheckedId,
  channel_id: uncheckedId,
  messenger: z.enum(channelTypes),
  language: text,
  started_by: z.enum(initiators),
  source: z.enum(sources),
  import_id: uncheckedId,
  prepared_message_id: uncheckedId,
  text_prompt_id: uncheckedId,
  text_prompt_version: version,
  prompt_id: uncheckedId,
  prompt_version: version,
  model: text,
  last_prompt_id: uncheckedId,
  last_prompt_version: version,
  last_model: text,
  operator: text,
  first_message_id: uncheckedId,
  last_message_id: uncheckedId,
  text_message_id: uncheckedId,
  answer_message_id: uncheckedId,
  last_answer_message_id: uncheckedId,
  last_step_message_id: uncheckedId,
  hour: z.int().min(0).max(23).describe('Hour of the first message in the time zone of the product'),
  weekday: z.int().min(1).max(7).describe('Weekday of the first message, 1 is Monday'),
  step: step.describe('Follow-up that was sent; of several, all of them'),
  step_answered: step.describe('Follow-up that the lead answered before the next one; of several, all of them'),
  step_opted_out: step.describe('Follow-up after which the lead opted out; of several, all of them'),
  outcome: z.enum(outcomes),
  ended_by: text,
  reached: z.enum(reachable).describe('What was reached; of several, all of them'),
  refusal: z.enum(refusals).describe('How the lead refused'),
  refusal_reason: z
    .string()
    .min(1)
    .max(400)
    .describe('Stored reason of the stage `refused`, as `/v1/outcomes/refusals` groups it'),
  response: z.enum(responses).describe('Which person wrote first after the first hand-over'),
  responder: text.describe('Login of the operator who wrote first after the first hand-over'),
  run: text.describe('A run of a model in the attempt: PURPOSE:VENDOR/MODEL'),
  without: z.enum(absent).describe('What the attempt lacks; of several, all of them'),
  experiment_id: uncheckedId.describe('Experiment that the lead was assigned to in the attempt, and counts in'),
  arm: z.int().min(0).max(3).describe('Arm that the lead was assigned to, in one of `experiment_id` if that is given'),
  experiment_result: z
    .enum(experimentStages)
    .describe('How far the attempt is in one of `experiment_id`; of several, all of them'),
};

/** Days of the first message in the time zone of the product, both included. */
const days = { started_from: day.optional(), started_to: day.optional() };

/** The filters alone: for counts. */
export const outcomeQuery = z.strictObject({ product_id: reference('product'), ...days, ...arrayFilters(filters) });
export type OutcomeFilter = z.output<typeof outcomeQuery>;

const {
  created_from: _createdFrom,
  created_to: _createdTo,
  created_timezone: _createdTimezone,
  ...paged
} = listQuery(filters, ['started_at', 'id']).shape;

const outcome = z.object({
  id: z.int(),
  lead_id: z.int(),
  lead_name: z.string(),
  attempt: z.int(),
  product_id: z.int(),
  dialogue_id: z.int().nullable(),
  channel_id: z.int().nullable(),
  messenger: z.enum(channelTypes).nullable(),
  source: z.enum(sources),
  import_id: z.int().nullable(),
  /** The script of the lead's first message with letters: `ru`, `latin`. */
  language: z.string().nullable(),
  started_at: instant,
  started_by: z.enum(initiators),
  first_message_id: z.int().nullable(),
  last_at: instant.nullable(),
  last_message_id: z.int().nullable(),
  /** Who wrote our last message. */
  last_author: z.string().nullable(),
  sent: count,
  received: count,
  written_at: instant.nullable(),
  delivered_at: instant.nullable(),
  read_at: instant.nullable(),
  answered_at: instant.nullable(),
  qualified_at: instant.nullable(),
  /** Our first message after the lead's first one. */
  replied_at: instant.nullable(),
  opted_out_at: instant.nullable(),
  handed_over_at: instant.nullable(),
  ended_at: instant.nullable(),
  outcome: z.enum(outcomes).nullable(),
  ended_by: z.string().nullable(),
  operator: z.string().nullable(),
  /** The message with the first text, and what it was written from. */
  text_message_id: z.int().nullable(),
  prepared_message_id: z.int().nullable(),
  text_prompt_id: z.int().nullable(),
  text_prompt_version: z.int().nullable(),
  /** The bot's first answer, and the last one. */
  answer_message_id: z.int().nullable(),
  prompt_id: z.int().nullable(),
  prompt_version: z.int().nullable(),
  model: z.string().nullable(),
  last_answer_message_id: z.int().nullable(),
  last_prompt_id: z.int().nullable(),
  last_prompt_version: z.int().nullable(),
  last_model: z.string().nullable(),
  /** How many answers by each prompt version and model: `PROMPT:VERSION:VENDOR/MODEL`. */
  answers: z.record(z.string(), z.int()),
  /** Follow-ups that were sent. */
  steps: count,
  last_step_message_id: z.int().nullable(),
  /** Cost of models in US dollars. */
  cost: z.number(),
});
export type OutcomeRow = z.output<typeof outcome>;
nameShape('Outcome', outcome);

const counts = z.object({
  attempts: count,
  ...(Object.fromEntries(reachable.map((name) => [name, count])) as Record<Reached, typeof count>),
});

export const rate = z.object({
  /** Share of the attempts; null without any. */
  rate: z.number().nullable(),
  /** 95 % Wilson interval. */
  low: z.number(),
  high: z.number(),
});
nameShape('OutcomeRate', rate);

const funnel = counts.extend({
  /** In US dollars. */
  cost: z.number(),
  cost_per_qualified: z.number().nullable(),
  cost_per_success: z.number().nullable(),
  rates: z.object(Object.fromEntries(reachable.map((name) => [name, rate])) as Record<Reached, typeof rate>),
  /** Fewer than 30 attempts: the rates tell nothing yet. */
  too_few: z.boolean(),
});
export type Funnel = z.output<typeof funnel>;
nameShape('OutcomeFunnel', funnel);

const period = z.object({ from: day, to: day });
nameShape('OutcomePeriod', period);

export const outcomeStrip = z.object({
  timezone: z.string(),
  /** The days that were asked for; null without `started_from`. */
  period: period.nullable(),
  current: funnel,
  /** The same number of days before; null without a period. */
  previous_period: period.nullable(),
  previous: funnel.nullable(),
  /** Median seconds from our first message to the lead's first answer, and from that to our next message. */
  seconds_to_answer: z.number().nullable(),
  seconds_to_reply: z.number().nullable(),
});
nameShape('OutcomeStrip', outcomeStrip);

export const listOutcomes = endpoint({
  operation: 'listOutcomes',
  method: 'GET',
  path: '/v1/outcomes/',
  access: 'session',
  summary: 'List attempts to win leads, with what they reached',
  query: z.strictObject({ product_id: reference('product'), ...days, ...paged }),
  replies: { 200: listReply(outcome), 404: errorReply },
});

export const readOutcomeStrip = endpoint({
  operation: 'getOutcomeStrip',
  method: 'GET',
  path: '/v1/outcomes/strip',
  access: 'session',
  summary: 'How many attempts got how far, now and in the period before',
  query: outcomeQuery,
  replies: {
    200: outcomeStrip,
    404: errorReply,
  },
});

export const dimensions = [
  'first_text',
  'prompt_version',
  'last_prompt_version',
  'model',
  'channel',
  'messenger',
  'language',
  'source',
  'import',
  'operator',
  'hour',
  'weekday',
  'week',
  'ended_by',
  'arm',
] as const;
export type Dimension = (typeof dimensions)[number];

const group = {
  /** Null for attempts without a value. */
  value: z.union([z.string(), z.int()]).nullable(),
  label: z.string(),
  /** The query of `GET /v1/outcomes/` that finds these attempts. */
  filter: outcomeQuery,
};

export const funnelOfValue = funnel.extend({ ...group, previous: funnel.nullable() });
export type FunnelOfValue = z.output<typeof funnelOfValue>;
nameShape('OutcomeFunnelOfValue', funnelOfValue);

export const readOutcomesBy = endpoint({
  operation: 'getOutcomesBy',
  method: 'GET',
  path: '/v1/outcomes/by/{dimension}',
  access: 'session',
  summary:
    'How many attempts got how far, for each value of a dimension; an attempt in two experiments is in an arm of each',
  params: z.strictObject({ dimension: z.enum(dimensions) }),
  query: outcomeQuery,
  replies: { 200: z.object({ items: z.array(funnelOfValue) }), 404: errorReply },
});

export const stepOutcome = z.object({
  ...group,
  value: z.int(),
  /** Attempts in which the follow-up was sent, in which it was answered before the next one, or led to an opt-out. */
  sent: count,
  answered: count,
  opted_out: count,
  rates: z.object({ answered: rate, opted_out: rate }),
  too_few: z.boolean(),
});
export type StepOutcome = z.output<typeof stepOutcome>;
nameShape('OutcomeOfStep', stepOutcome);

export const readOutcomesByStep = endpoint({
  operation: 'getOutcomesByStep',
  method: 'GET',
  path: '/v1/outcomes/by/step',
  access: 'session',
  summary: 'How many attempts got each follow-up, and what came of it',
  query: outcomeQuery,
  replies: { 200: z.object({ items: z.array(stepOutcome) }), 404: errorReply },
});

const cohort = funnel.extend({ week: day, filter: outcomeQuery });
nameShape('OutcomeCohort', cohort);

export const readOutcomeCohorts = endpoint({
  operation: 'getOutcomeCohorts',
  method: 'GET',
  path: '/v1/outcomes/cohorts',
  access: 'session',
  summary: 'How many attempts got how far, by the week of their first message',
  query: outcomeQuery,
  replies: {
    /** Weeks begin on Monday; those without attempts are left out. */
    200: z.object({ items: z.array(cohort) }),
    404: errorReply,
  },
});

/** Contract of what Insights reads besides the funnel: why leads refused, how fast people answered, what models cost. */
import { z } from 'zod';
import { day, endpoint, errorReply, nameShape } from '../platform/contract.ts';
import { outcomeQuery, rate } from './outcomeContract.ts';

const count = z.int();
/** In US dollars. */
const cost = z.number();

/** Most groups of refusals in an answer, and most examples of each. */
export const MAX_REFUSALS = 100;
export const MAX_REFUSAL_EXAMPLES = 3;

export const refusalGroup = z.object({
  /**
   * `opted_out`: the lead asked for no more messages, whatever stage followed. `refused`: the attempt ended in that
   * stage without an opt-out.
   */
  refusal: z.enum(['opted_out', 'refused']),
  /** Who set the stage `refused`: `classification`, an operator's login, `amoCRM`. Null for opt-outs. */
  ended_by: z.string().nullable(),
  /**
   * The reason that was stored with the stage, as free text: in lower case, without white space and full stops around
   * it, and its first 200 characters. Reasons that differ in more are groups of their own; nothing is interpreted. Null
   * for opt-outs, and where no reason was stored.
   */
  reason: z.string().nullable(),
  count,
  /** Share of all attempts. */
  rate,
  /**
   * The newest attempts: the reason as it was stored, or the lead's last words before the opt-out. Null where there is
   * neither.
   */
  examples: z
    .array(z.object({ lead_id: z.int(), lead_name: z.string(), text: z.string().nullable() }))
    .max(MAX_REFUSAL_EXAMPLES),
  /** The query of `GET /v1/outcomes/` that finds these attempts. */
  filter: outcomeQuery,
});
export type RefusalGroup = z.output<typeof refusalGroup>;
nameShape('OutcomeRefusalGroup', refusalGroup);

export const readRefusals = endpoint({
  operation: 'getOutcomeRefusals',
  method: 'GET',
  path: '/v1/outcomes/refusals',
  access: 'session',
  summary: 'Why leads refused or opted out',
  query: outcomeQuery,
  replies: {
    200: z.object({
      attempts: count,
      /** Attempts that ended with a refusal or an opt-out: the sum of `items` and `others`. */
      refusals: count,
      rate,
      filter: outcomeQuery,
      /** The most frequent first. */
      items: z.array(refusalGroup).max(MAX_REFUSALS),
      /** What is beyond the groups in `items`. */
      others: z.object({ groups: count, count }),
    }),
    404: errorReply,
  },
});

const responseTimes = z.object({
  /** Attempts that were handed over and in which a person wrote afterwards. */
  answered: count,
  /** Seconds from the first hand-over of an attempt to a person's next message; null where nobody answered. */
  median: z.number().nullable(),
  p90: z.number().nullable(),
  /** The query of `GET /v1/outcomes/` that finds these attempts. */
  filter: outcomeQuery,
});

const responseTimesOfOperator = responseTimes.extend({
  /** Login of the operator who wrote first; null for messages from a phone, whose author is not known. */
  operator: z.string().nullable(),
});
export type ResponseTimesOfOperator = z.output<typeof responseTimesOfOperator>;
nameShape('OutcomeResponseTimesOfOperator', responseTimesOfOperator);

export const readResponseTimes = endpoint({
  operation: 'getOutcomeResponseTimes',
  method: 'GET',
  path: '/v1/outcomes/response-times',
  access: 'session',
  summary: 'How long leads waited for a person after a hand-over by the bot or stage detection',
  query: outcomeQuery,
  replies: {
    200: z.object({
      /** Attempts with a hand-over: `overall.answered` and `unanswered` together. */
      handed_over: count,
      handed_over_filter: outcomeQuery,
      /** Attempts in which no person has written since the hand-over. */
      unanswered: count,
      unanswered_filter: outcomeQuery,
      overall: responseTimes,
      /** The operator with the most answers first; phones last. */
      items: z.array(responseTimesOfOperator),
    }),
    404: errorReply,
  },
});

const spent = z.object({
  attempts: count,
  qualified: count,
  success: count,
  /** The cost of these attempts, as in `/v1/outcomes/strip` under the same filter. */
  cost,
  cost_per_attempt: cost.nullable(),
  cost_per_qualified: cost.nullable(),
  cost_per_success: cost.nullable(),
  /** The query of `GET /v1/outcomes/` that finds these attempts. */
  filter: outcomeQuery,
});

const modelSpent = z.object({
  /** `chatbot`, `classification`, `ping`, `document`, `summary`. */
  purpose: z.string(),
  /** `VENDOR/MODEL` */
  model: z.string(),
  runs: count,
  /** Runs with tokens whose model had no known price; their cost is not in `cost`. */
  unpriced: count,
  cost,
});
nameShape('OutcomeModelSpent', modelSpent);

const spentInPeriod = spent.extend({
  /** Days of the first message of the attempts, both included: one day, or a week from Monday to Sunday. */
  from: day,
  to: day,
  models: z.array(modelSpent),
});
export type SpentInPeriod = z.output<typeof spentInPeriod>;
nameShape('OutcomeSpentInPeriod', spentInPeriod);

export const spentOnModel = modelSpent.extend({
  /** The query of `GET /v1/outcomes/` that finds the attempts with these runs. */
  filter: outcomeQuery,
});
nameShape('OutcomeSpentOnModel', spentOnModel);

/**
 * The runs of models for attempts, whenever they ran. Runs that belong to no attempt are not included: those of the
 * playground and the assistant, and those for leads with whom no message was exchanged. The company's
 * spending has them too (`/v1/companies/{id}/llm-spending`).
 */
export const readOutcomeSpending = endpoint({
  operation: 'getOutcomeSpending',
  method: 'GET',
  path: '/v1/outcomes/spending',
  access: 'session',
  summary: 'What models cost for attempts, by time, purpose and model',
  query: outcomeQuery.extend({ by: z.enum(['day', 'week']).default('week') }),
  replies: {
    200: z.object({
      total: spent,
      /** By the first message of the attempts, oldest first; periods without attempts are left out. */
      periods: z.array(spentInPeriod),
      /** The most expensive first. Their costs add up to that of `total`. */
      models: z.array(spentOnModel),
    }),
    404: errorReply,
  },
});

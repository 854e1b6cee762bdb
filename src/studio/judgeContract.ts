/**
 * Contract of the judge (a model that compares two answers in both orders) and of its calibration: operators label pairs,
 * and its agreement with them says how far it can be trusted. Below 60 labels its results are advisory.
 */
import { z } from 'zod';
import { endpoint, errorReply, instant, listReply, nameShape, reference } from '../platform/contract.ts';
import { listQuery } from '../platform/crud.ts';

export const CALIBRATION_LABELS = 60;

export const preferences = ['first', 'second', 'tie'] as const;
export type Preference = (typeof preferences)[number];

/** Two answers to the same conversation, in the order in which the operator sees them. */
export const judgePair = z.object({
  id: z.int(),
  product_id: z.int(),
  history: z.array(z.object({ side: z.enum(['user', 'bot']), text: z.string() })),
  first: z.string(),
  second: z.string(),
  /** What the operator chose; null: not yet. The judge's choice is only shown with it. */
  label: z.enum(preferences).nullable(),
  judged: z.enum(preferences).nullable(),
  labelled_by: z.string().nullable(),
  created_at: instant,
});
export type JudgePair = z.output<typeof judgePair>;
nameShape('StudioJudgePair', judgePair);

export const listJudgePairs = endpoint({
  operation: 'listJudgePairs',
  method: 'GET',
  path: '/v1/studio/judge/pairs',
  access: 'session',
  summary: 'Pairs of answers to label, from the latest replays',
  query: listQuery(
    {
      id: reference('studio_pair'),
      product_id: reference('product'),
      label: z.enum(preferences),
      judged: z.enum(preferences),
    },
    ['id', 'created_at'],
  ).extend({
    product_id: reference('product'),
    /** Pairs that hold the words of this lead, of whatever judge; otherwise those of the product's judge. */
    lead_id: reference('lead').optional(),
    is_labelled: z.boolean().optional(),
  }),
  replies: { 200: listReply(judgePair) },
});

export const labelJudgePair = endpoint({
  operation: 'labelJudgePair',
  method: 'POST',
  path: '/v1/studio/judge/pairs/{id}/label',
  access: 'session',
  summary: 'Say which answer is better',
  params: z.strictObject({ id: reference('studio_pair') }),
  body: z.strictObject({ label: z.enum(preferences) }),
  replies: { 200: judgePair, 404: errorReply },
});

/** A share with its 95 % interval, each 0 to 1. */
const rate = z.object({ rate: z.number(), low: z.number(), high: z.number() });

export const calibration = z.object({
  /** Whose calibration it is: another model, or another version of the question, is another judge. */
  judge: z.object({ vendor: z.string(), model: z.string() }),
  /** Pairs with a label and a judgement. */
  labels: z.int(),
  needed: z.int(),
  /** Enough labels, and a kappa of at least 0.4. Until then, what the judge says is advisory. */
  is_calibrated: z.boolean(),
  /** Share of pairs on which judge and operator agree, 0 to 1; null without labels. */
  agreement: rate.nullable(),
  /** Cohen's kappa; null if it is not defined. */
  kappa: z.number().nullable(),
  /** How often the judge prefers the answer that it reads first, over both orders of a pair: 0.5 is unbiased. Null without judgements. */
  first_preferred: rate.nullable(),
  /** Whether the judge leans to a position beyond chance. */
  has_position_bias: z.boolean(),
  /**
   * How often the candidate of the run is better, worse, or as good, corrected for the judge's errors; null without a
   * run, or without labels or judgements.
   */
  corrected: z.object({ better: rate, worse: rate, tie: rate }).nullable(),
});
export type Calibration = z.output<typeof calibration>;
nameShape('StudioCalibration', calibration);

export const readCalibration = endpoint({
  operation: 'getJudgeCalibration',
  method: 'GET',
  path: '/v1/studio/judge/calibration',
  access: 'session',
  summary: "How far the judge agrees with the team's labels",
  query: z.strictObject({
    product_id: reference('product'),
    /** The replay whose rates are corrected. */
    run_id: reference('studio_run').optional(),
  }),
  replies: { 200: calibration, 404: errorReply },
});

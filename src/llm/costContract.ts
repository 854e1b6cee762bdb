/** What models have cost: of a lead, of a dialogue, of a company by day. All in US dollars. */
import { z } from 'zod';
import { day, endpoint, errorReply, nameShape, reference } from '../platform/contract.ts';

const sums = z.object({
  runs: z.int(),
  /** Runs with tokens whose model had no known price; their cost is not included in `cost`. */
  unpriced: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost: z.number(),
});
export type Sums = z.output<typeof sums>;
nameShape('LlmCost', sums);

export const costOfLead = endpoint({
  operation: 'getLeadLlmCost',
  method: 'GET',
  path: '/v1/leads/{id}/llm-cost',
  access: 'session',
  summary: 'What models have cost for a lead, in all its dialogues and documents',
  params: z.strictObject({ id: reference('lead') }),
  replies: { 200: sums, 404: errorReply },
});

export const costOfDialogue = endpoint({
  operation: 'getDialogueLlmCost',
  method: 'GET',
  path: '/v1/dialogues/{id}/llm-cost',
  access: 'session',
  summary: 'What models have cost in a dialogue, failed answers too',
  params: z.strictObject({ id: reference('dialogue') }),
  replies: { 200: sums, 404: errorReply },
});

const spent = sums.extend({
  day,
  /**
   * The purpose: `chatbot`, `classification`, `ping`, `document`, `summary`, `playground`, `studio`, `assistant`; `test`:
   * tests of keys; `lost`: the estimates of calls whose process ended before it stored them; `gone`: no longer known.
   */
  purpose: z.string(),
  vendor: z.string(),
  model: z.string(),
});
export type Spent = z.output<typeof spent>;

export const spending = z.object({
  /** The days of the answer, oldest first: the last 30 UTC days, ending today. */
  days: z.array(day),
  items: z.array(spent),
});
export type Spending = z.output<typeof spending>;
nameShape('LlmSpending', spending);

export const readSpending = endpoint({
  operation: 'getLlmSpending',
  method: 'GET',
  path: '/v1/companies/{id}/llm-spending',
  access: 'session',
  summary: 'What a company spent on models by day, purpose and model',
  params: z.strictObject({ id: reference('company') }),
  replies: { 200: spending, 404: errorReply },
});

/** The costs of models: prices, a company's spending and its limit. All in US dollars. */
import { z } from 'zod';
import { day, endpoint, errorReply, nameShape, reference } from '../platform/contract.ts';
import { llmVendors } from '../products/contract.ts';

const perMillion = z.number().min(0).max(100_000);

const price = z.strictObject({
  vendor: z.enum(llmVendors),
  /** May be a prefix: `gpt-4o` also prices `gpt-4o-2024-08-06`, unless that has its own price. */
  model: z.string().trim().min(1).max(200),
  input_per_million: perMillion,
  output_per_million: perMillion,
});
export type Price = z.output<typeof price>;

const prices = z.object({ items: z.array(price) });
nameShape('LlmPrices', prices);

export const readPrices = endpoint({
  operation: 'getLlmPrices',
  method: 'GET',
  path: '/v1/llm/prices',
  access: 'session',
  summary: 'Model prices, for a million tokens',
  replies: { 200: prices },
});

export const writePrices = endpoint({
  operation: 'replaceLlmPrices',
  method: 'PUT',
  path: '/v1/llm/prices',
  access: 'admin',
  summary: 'Replace the prices; runs without a known price get one',
  slowReason: 'Prices all earlier runs that had no price.',
  body: z
    .strictObject({ items: z.array(price).max(500) })
    .refine(({ items }) => new Set(items.map((one) => `${one.vendor} ${one.model}`)).size === items.length, {
      message: 'A model stands here twice',
      path: ['items'],
    }),
  replies: { 200: prices },
});

/** The share of the budget from which a warning is shown. */
export const WARNING_SHARE = 0.8;

export const budget = z.object({
  /** Null: no limit. */
  usd_per_day: z.number().nullable(),
  /** The current UTC day on the domain clock. */
  today: day,
  spent_today: z.number(),
  /** What calls in progress may still cost. */
  reserved: z.number(),
  /** `spent`: replies are paused until the next day, or until the budget is raised. */
  state: z.enum(['none', 'fine', 'warning', 'spent']),
  /** The last thirty days with any spending, newest first. */
  days: z.array(z.object({ day, cost: z.number() })),
});
export type Budget = z.output<typeof budget>;
nameShape('LlmBudget', budget);

const ofCompany = z.strictObject({ id: reference('company') });

export const readBudget = endpoint({
  operation: 'getLlmBudget',
  method: 'GET',
  path: '/v1/companies/{id}/llm-budget',
  access: 'session',
  summary: "A company's daily model budget, and what it has spent today",
  params: ofCompany,
  replies: { 200: budget, 404: errorReply },
});

export const writeBudget = endpoint({
  operation: 'replaceLlmBudget',
  method: 'PUT',
  path: '/v1/companies/{id}/llm-budget',
  access: 'session',
  summary: "Set a company's daily model budget; paused replies resume",
  params: ofCompany,
  body: z.strictObject({ usd_per_day: z.number().min(0).max(1_000_000).nullable() }),
  replies: { 200: budget, 404: errorReply },
});

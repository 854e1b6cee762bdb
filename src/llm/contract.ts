/** Language models: the runs behind what the bot says. */
import { z } from 'zod';
import { instant } from '../platform/contract.ts';
import type { RefusalKinds } from '../platform/refuse.ts';

export const purposes = [
  'chatbot',
  'classification',
  'ping',
  'document',
  'assistant',
  'playground',
  'generate',
] as const;
export type Purpose = (typeof purposes)[number];

export const llmRun = z.object({
  id: z.int(),
  created_at: instant,
  product_id: z.int(),
  message_id: z.int().nullable(),
  name: z.string(),
  model_name: z.string(),
  model_vendor: z.string(),
  execution_ms: z.int(),
  token_input_usage: z.int().nullable(),
  token_output_usage: z.int().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  error: z.string().nullable(),
});
export type LlmRun = z.output<typeof llmRun>;

export const llmRefusals = {
  'llm.no_key': { status: 409, sentence: 'No active key for {vendor}' },
} satisfies RefusalKinds;

/** Language models: the runs behind what the bot says. */
import { z } from 'zod';
import { instant } from '../platform/contract.ts';

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

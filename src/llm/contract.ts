/** Language models: the runs behind the bot's messages. */
import { z } from 'zod';
import { hasNewKey, instant, nameShape, reference, secretKey } from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';
import { llmVendors } from '../products/contract.ts';

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
  /** US dollars; null: the model has no known price. */
  cost: z.number().nullable(),
});
export type LlmRun = z.output<typeof llmRun>;
nameShape('LlmRun', llmRun);

const llmConfig = z.strictObject({
  /** A self-hosted, OpenAI-compatible server; null: the vendor's own. */
  base_url: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .nullable()
    .optional(),
});

/** What a test of a key has shown. */
export const credentialTest = z.object({
  /** The model answers. */
  ok: z.boolean(),
  /** Why it does not, in the vendor's words where it has refused. */
  reason: z.string().nullable(),
  model: z.string(),
  /** What works, each in a sentence. */
  parts: z.array(z.object({ part: z.enum(['answer', 'stream', 'tool_call']), ok: z.boolean(), sentence: z.string() })),
});
export type CredentialTest = z.output<typeof credentialTest>;

export const companyLlm = z.object({
  id: z.int(),
  company_id: z.int(),
  vendor: z.enum(llmVendors),
  /** Masked: `…` and the last four characters. */
  credentials: z.object({ api_key: z.string() }),
  config: z.object({ base_url: z.string().optional() }),
  is_active: z.boolean(),
  created_at: instant,
  /** Null: not tested with this key and address. */
  test: credentialTest.nullable(),
  tested_at: instant.nullable(),
  /** What is left out of requests because a server refuses it, in its words: by model and parameter. */
  refused: z.record(z.string(), z.record(z.string(), z.string())),
  version: rowVersion,
});
export type CompanyLlm = z.output<typeof companyLlm>;

export const companyLlms = crud(
  {
    resource: 'company_llm',
    plural: 'LLM credentials',
    path: '/v1/company-llms/',
    item: companyLlm,
    create: z.strictObject({
      company_id: reference('company'),
      vendor: z.enum(llmVendors),
      credentials: z.strictObject({ api_key: secretKey }),
      config: llmConfig.prefault({}),
      is_active: z.boolean().default(true),
    }),
    /** A changed base URL requires entering the key again. */
    update: z.strictObject({
      /** Neither can change. */
      company_id: reference('company'),
      vendor: z.enum(llmVendors),
      credentials: z.strictObject({ api_key: secretKey }),
      config: llmConfig,
      is_active: z.boolean(),
    }),
    filters: {},
    orderBy: ['id', 'vendor', 'is_active', 'created_at'],
    search: [],
  },
  { read: 'session', write: 'session', reauthentication: hasNewKey },
);

export const llmRefusals = {
  'llm.active_taken': {
    status: 409,
    sentence: 'This company already has an active key for {vendor}. Switch that one off first.',
  },
  'llm.company_fixed': { status: 409, sentence: 'A credential cannot move to another company or vendor.' },
  'llm.key_again': { status: 409, sentence: 'The key belongs to the old address. Please enter it again.' },
} satisfies RefusalKinds;

/** Available models, the test of a key, and one answer outside any dialogue. */
import { z } from 'zod';
import { endpoint, errorReply, nameShape, reference, text } from '../platform/contract.ts';
import { llmVendors } from '../products/contract.ts';
import { companyLlm, credentialTest } from './contract.ts';

const chosen = z.object({ vendor: z.enum(llmVendors), model: z.string(), temperature: z.number() });

export const llmSettings = z.object({
  models: z.record(z.string(), z.array(z.string())),
  default_chatbot_model: chosen,
  default_classification_model: chosen,
  default_ping_model: chosen,
  default_document_model: chosen,
  /** Of the judge that compares answers in the studio. */
  default_judge_model: chosen,
});
export type LlmSettings = z.output<typeof llmSettings>;
nameShape('LlmSettings', llmSettings);

/** Models that the console offers when the settings cannot be loaded. */
export const FALLBACK_MODELS: LlmSettings['models'] = {
  chatgpt: ['gpt-4', 'gpt-3.5-turbo'],
  anthropic: ['claude-3-5-sonnet-20241022', 'claude-3-5-haiku-20241022'],
};

export const readLlmSettings = endpoint({
  operation: 'getLlmSettings',
  method: 'GET',
  path: '/v1/llm/settings',
  access: 'session',
  load: 'outside',
  summary: 'Models by vendor, and the defaults of products without their own choice',
  query: z.strictObject({
    /** The company whose keys are used to list the models; without it, the built-in lists. */
    company_id: reference('company').optional(),
  }),
  replies: { 200: llmSettings, 404: errorReply },
});

export const testCredential = endpoint({
  operation: 'testCompanyLlm',
  method: 'POST',
  path: '/v1/company-llms/{id}/test',
  access: 'session',
  summary: 'Test this key: an answer, a stream and a call of a tool',
  load: 'outside',
  slowReason: 'A model answers.',
  params: z.strictObject({ id: reference('company_llm') }),
  query: z.strictObject({
    /** Default: a cheap model of the vendor, or the first one that an own server lists. */
    model: z.string().trim().min(1).max(200).optional(),
  }),
  replies: {
    200: credentialTest.extend({ ms: z.int() }),
    404: errorReply,
  },
});

export const resetRefused = endpoint({
  operation: 'resetRefusedParameters',
  method: 'POST',
  path: '/v1/company-llms/{id}/reset-refused',
  access: 'session',
  summary: 'Send again what the server has refused',
  params: z.strictObject({ id: reference('company_llm') }),
  replies: { 200: companyLlm.pick({ refused: true }), 404: errorReply },
});

export const generate = endpoint({
  operation: 'generateText',
  method: 'POST',
  path: '/v1/llm/generate',
  access: 'session',
  summary: 'One answer of a model, with the key of the product’s company',
  load: 'outside',
  slowReason: 'A model writes the answer.',
  body: z.strictObject({
    product_id: reference('product'),
    purpose: z.enum(['chatbot', 'classification', 'ping', 'document']),
    prompt_id: reference('prompt').nullable().default(null),
    system: text.nullable().default(null),
    content: text,
    vendor: z.enum(llmVendors).nullable().default(null),
    model: z.string().trim().min(1).max(200).nullable().default(null),
    temperature: z.number().min(0).max(2).nullable().default(null),
  }),
  replies: {
    200: z.object({
      content: z.string(),
      vendor: z.string(),
      model: z.string(),
      usage: z.object({ input: z.int().nullable(), output: z.int().nullable() }),
      run_id: z.int(),
    }),
    404: errorReply,
    409: errorReply,
    503: errorReply,
  },
});

/** Contract of products: what is offered, and the unit that nearly everything is scoped to. */
import { z } from 'zod';
import {
  clockTime,
  confirmErrors,
  endpoint,
  errorReply,
  externalId,
  instant,
  name,
  nameShape,
  reference,
} from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import { normalizeLineEndings } from '../platform/lineEndings.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';
import { timeZone } from '../platform/zones.ts';
import { tagRules } from './tagContract.ts';

export const llmVendors = ['chatgpt', 'gemini', 'anthropic'] as const;
export type LlmVendor = (typeof llmVendors)[number];
export const llmVendorNames: Readonly<Record<LlmVendor, string>> = {
  chatgpt: 'ChatGPT',
  gemini: 'Gemini',
  anthropic: 'Anthropic',
};

export const DEFAULT_TEMPERATURE = 0.7;
/** Of the judge: the same pair should get the same judgement. */
export const DEFAULT_JUDGE_TEMPERATURE = 0;

export const modelConfig = z.strictObject({
  vendor: z.enum(llmVendors).nullable().default(null),
  model: z.string().trim().min(1).max(200).nullable().default(null),
  temperature: z.number().min(0).max(2).default(DEFAULT_TEMPERATURE),
});
export type ModelConfig = z.output<typeof modelConfig>;

export const modelsConfig = z.strictObject({
  chatbot_model_config: modelConfig.nullable().default(null),
  classification_model_config: modelConfig.nullable().default(null),
  ping_model_config: modelConfig.nullable().default(null),
  document_model_config: modelConfig.nullable().default(null),
});

const dailyLimit = z.int().min(0).max(1_000_000);

export const messagingConfig = z
  .strictObject({
    tg_daily_limit: dailyLimit.default(0),
    whatsapp_daily_limit: dailyLimit.default(0),
    add_interval_seconds: z.int().min(0).max(86_400).default(180),
    /** Upper bound of the random seconds added between two first messages, different each time; 0 adds none. */
    add_interval_jitter_seconds: z.int().min(0).max(86_400).default(0),
    /** Time on the clock of the product's time zone. */
    initial_message_send_at: clockTime.default('10:30'),
    initial_message_document_prompt_id: reference('document_prompt').nullable().default(null),
    initial_message_prepared_message_id: reference('prepared_message').nullable().default(null),
    initial_message_text: z.string().overwrite(normalizeLineEndings).max(10_000).nullable().default(null),
  })
  .refine(
    (config) =>
      config.initial_message_prepared_message_id !== null || (config.initial_message_text ?? '').trim() !== '',
    { message: 'Either a prepared message or initial message text is required', path: ['initial_message_text'] },
  );

export type MessagingConfig = z.output<typeof messagingConfig>;

/**
 * What saving a prompt does. `off`: it is live at once. `warn` and `block`: it is a draft until it is published; `block`
 * refuses that while the prompt's cases fail.
 */
export const gates = ['off', 'warn', 'block'] as const;
export type Gate = (typeof gates)[number];

export const productConfig = z.strictObject({
  lead_expires_in_hours: z.int().min(0).max(1_000_000).default(0),
  models_config: modelsConfig.nullable().default(null),
  messaging_config: messagingConfig.nullable().default(null),
  gate: z.enum(gates).default('off'),
  /** The model that compares answers in the studio. Beside `models_config`, whose four entries are fixed. */
  judge_model_config: modelConfig.nullable().default(null),
});
export type ProductConfig = z.output<typeof productConfig>;

export const DEFAULT_PRODUCT_CONFIG: ProductConfig = {
  lead_expires_in_hours: 0,
  models_config: null,
  messaging_config: null,
  gate: 'off',
  judge_model_config: null,
};

export const DEFAULT_PRODUCT_ZONE = 'UTC';

/** When the bot's replies are sent: during the product's working hours, or at any hour. */
export const replyHours = ['working', 'any'] as const;
export type ReplyHours = (typeof replyHours)[number];

/** What becomes of dialogues that need people. */
const handOverSettings = {
  /** Minutes within which somebody answers a lead who waits for a person. */
  target_minutes: z.int().min(1).max(10_080),
  /** Hours without a message from a person after which the bot answers again; null: never. */
  return_to_bot_hours: z.int().min(1).max(8760).nullable(),
  /** Whether the bot may hand a dialogue over to people. */
  hand_over: z.boolean(),
  /** The one sentence that the lead gets then; empty: none. */
  hand_over_text: z.string().trim().max(1000),
  /** Whether dialogues that the bot hands over are assigned to the company's operators in turn. */
  round_robin: z.boolean(),
  /** Whether models that write to a lead get the operators' notes about the dialogue. */
  bot_reads_notes: z.boolean(),
};

export const product = z.object({
  id: z.int(),
  name: z.string(),
  company_id: z.int(),
  crm_id: z.string().nullable(),
  is_active: z.boolean(),
  timezone: z.string(),
  config: productConfig,
  reply_hours: z.enum(replyHours),
  tag_rules: tagRules,
  ...handOverSettings,
  /** Since when first messages and follow-ups are paused, and by whom; null while outreach is running. */
  outreach_paused_at: instant.nullable(),
  outreach_paused_by: z.string().nullable(),
  created_at: instant,
  version: rowVersion,
});
export type Product = z.output<typeof product>;

const productWrite = z.strictObject({
  confirm_errors: confirmErrors,
  name,
  company_id: reference('company'),
  crm_id: externalId(z.string().trim().max(200)).nullable().default(null),
  is_active: z.boolean().default(true),
  /** Time zone of quota days, `initial_message_send_at`, charts and the console's date filters. */
  timezone: timeZone.default(DEFAULT_PRODUCT_ZONE),
  config: productConfig.default(DEFAULT_PRODUCT_CONFIG),
  reply_hours: z.enum(replyHours).default('working'),
  /** Tags that new leads get when they are imported from a file or the CRM. */
  tag_rules: tagRules.default([]),
  target_minutes: handOverSettings.target_minutes.default(15),
  return_to_bot_hours: handOverSettings.return_to_bot_hours.default(null),
  hand_over: handOverSettings.hand_over.default(true),
  hand_over_text: handOverSettings.hand_over_text.default(''),
  round_robin: handOverSettings.round_robin.default(false),
  bot_reads_notes: handOverSettings.bot_reads_notes.default(false),
});

export const products = crud({
  resource: 'product',
  plural: 'products',
  path: '/v1/products/',
  item: product,
  create: productWrite,
  update: productWrite,
  filters: {},
  orderBy: ['id', 'name', 'created_at', 'company_id', 'is_active'],
  search: ['name'],
});

export const llmOfProduct = z.object({
  vendor: z.string(),
  model: z.string(),
  temperature: z.number(),
  is_default: z.boolean(),
});
nameShape('ProductLlmInfo', llmOfProduct);

export const productLlm = endpoint({
  operation: 'getProductLlmInfo',
  method: 'GET',
  path: '/v1/products/{id}/llm-info',
  access: 'session',
  summary: 'The model that answers for this product',
  params: z.strictObject({ id: reference('product') }),
  replies: { 200: llmOfProduct, 404: errorReply },
});

export const pauseOutreach = endpoint({
  operation: 'pauseOutreach',
  method: 'POST',
  path: '/v1/products/{id}/outreach/pause',
  access: 'session',
  summary: 'Pause outreach: no first messages and no follow-ups; replies continue',
  params: z.strictObject({ id: reference('product') }),
  replies: { 200: product, 404: errorReply },
});

export const resumeOutreach = endpoint({
  operation: 'resumeOutreach',
  method: 'POST',
  path: '/v1/products/{id}/outreach/resume',
  access: 'session',
  summary: 'Resume outreach, within limits, intervals and working hours',
  params: z.strictObject({ id: reference('product') }),
  replies: { 200: product, 404: errorReply },
});

export const productRefusals = {
  'product.has_leads': { status: 409, sentence: 'This product still has {count} lead(s). Delete them first.' },
  'product.company_fixed': {
    status: 409,
    sentence:
      'A product with leads, channels, CRM integrations, webhooks or webhook deliveries cannot move to another company.',
  },
} satisfies RefusalKinds;

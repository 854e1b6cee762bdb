/** Contract of classification configurations and results, and of rendering a prompt with a lead's facts. */
import { z } from 'zod';
import { endpoint, errorReply, instant, nameShape, reference, text } from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';

/** Stages that a classification may name. */
export const classifiableStages = ['ongoing', 'pending', 'success', 'refused', 'failed'] as const;

/** Default delay. Ten minutes lets a burst of messages end, yet classifies the same day. */
export const USUAL_MINUTES = 10;

const classificationSettings = z.strictObject({
  interval_minutes: z.int().positive().max(100_000),
  prompt_id: reference('prompt'),
});

export const classificationConfig = z.object({
  id: z.int(),
  product_id: z.int(),
  config: z.object({ interval_minutes: z.int(), prompt_id: z.int() }),
  created_at: instant,
  version: rowVersion,
});
export type ClassificationConfig = z.output<typeof classificationConfig>;

const classificationConfigInput = z.strictObject({ product_id: reference('product'), config: classificationSettings });

export const classificationConfigs = crud({
  resource: 'classification_config',
  plural: 'classification configurations',
  path: '/v1/classification-configs/',
  item: classificationConfig,
  create: classificationConfigInput,
  update: classificationConfigInput,
  filters: {},
  orderBy: ['id', 'created_at'],
  search: [],
});

const resultShape = {
  stage: z.enum(classifiableStages),
  reason: z.string().max(2000),
  /**
   * Whether the confirming prompt agreed; null if none has to confirm this stage. An unconfirmed result (false)
   * leaves the lead's stage unchanged.
   */
  confirmed: z.boolean().nullable().default(null),
  /** The confirming prompt's reason. */
  confirmation: z.string().max(2000).nullable().default(null),
};

export const classificationResult = z.object({
  id: z.int(),
  product_id: z.int(),
  dialogue_id: z.int(),
  /** Null if the configuration was deleted. */
  config_id: z.int().nullable(),
  result: z.object(resultShape),
  created_at: instant,
});
export type ClassificationResult = z.output<typeof classificationResult>;

const classificationResultInput = z.strictObject({
  dialogue_id: reference('dialogue'),
  config_id: reference('classification_config'),
  result: z.strictObject(resultShape),
});

/** Results can be created and deleted, not changed. */
export const classificationResults = crud({
  resource: 'classification_result',
  plural: 'classification results',
  path: '/v1/classification-results/',
  item: classificationResult,
  create: classificationResultInput,
  update: classificationResultInput,
  filters: { config_id: reference('classification_config') },
  orderBy: ['id', 'created_at'],
  search: [],
});

export const renderedPrompt = z.object({
  /** Null if the template is invalid. */
  text: z.string().nullable(),
  error: z.string().nullable(),
  /** For a message: the variable that is empty for this lead, so the message would not be sent. */
  missing: z.string().nullable(),
  /** Unknown variables, as written in the template. */
  unknown: z.array(z.string()),
  /** All errors of the template, as `confirm_errors` names them where a text goes live. */
  errors: z.array(z.string()),
});
nameShape('RenderedPrompt', renderedPrompt);

export const renderForLead = endpoint({
  operation: 'renderPrompt',
  method: 'POST',
  path: '/v1/prompts/render',
  access: 'session',
  summary: "Show a prompt's text as the model would read it, with the data of a lead or of a sample lead",
  body: z.strictObject({
    product_id: reference('product'),
    text,
    lead_id: reference('lead').nullable().default(null),
    /** `message` applies the rule of prepared messages: no variable may be empty unless it has a `default`. */
    kind: z.enum(['prompt', 'message']).default('prompt'),
  }),
  replies: { 200: renderedPrompt, 404: errorReply },
});

export const promptRunRefusals = {
  'classification.exists': {
    status: 409,
    sentence: 'This product already has a classification configuration. Change that one.',
  },
  'classification.product_fixed': {
    status: 409,
    sentence: 'A classification configuration cannot move to another product.',
  },
  'generate.failed': { status: 503, sentence: '{reason}' },
  'generate.refused': { status: 409, sentence: '{reason}' },
  'generate.unknown_model': { status: 409, sentence: '{reason}' },
  'generate.not_published': { status: 409, sentence: 'This prompt was never published.' },
  'generate.template': { status: 409, sentence: 'The prompt cannot be rendered: {reason}' },
} satisfies RefusalKinds;

/**
 * Contract of experiments: two to four arms of the first text, the chatbot prompt or the chatbot's model, among which the
 * new leads of a product are split. Arm 0 is the control.
 *
 * `draft` is edited and deleted as any settings document (`If-Match`); `running` and `stopped` ones are records and change
 * by `start`, `stop` and `apply` alone. Only a draft can be started, only a running experiment stopped, and only a stopped
 * one applied; anything else is refused with 409 and a sentence.
 */
import { z } from 'zod';
import { type ExperimentKind, experimentKinds, frozenContent } from '../experiments/contract.ts';
import {
  confirmErrors,
  endpoint,
  errorReply,
  instant,
  name,
  nameShape,
  reference,
  text,
  uncheckedId,
} from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';
import { DEFAULT_TEMPERATURE, llmVendors } from '../products/contract.ts';
import { outcomeQuery } from './outcomeContract.ts';

/** What counts as a success if it happens within `days` after a lead was assigned. */
export const experimentMetrics = ['answered', 'qualified', 'success'] as const;

export const experimentStates = ['draft', 'running', 'stopped'] as const;

/** `decided`: an analysis found a winner or no difference. `guard`: a guard has stopped all variants. */
export const experimentEnds = ['decided', 'operator', 'guard'] as const;
export type ExperimentEnd = (typeof experimentEnds)[number];

export const MAX_ARMS = 4;

/**
 * What an arm uses. `current` is what the product uses when the experiment starts, and only the control may be it. All
 * contents are copied at the start (`arm_states`), so that what is edited or deleted later changes no arm.
 */
export const armContent = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('current') }),
  z.strictObject({ source: z.literal('text'), text: text.max(10_000) }),
  z.strictObject({ source: z.literal('prepared_message'), prepared_message_id: reference('prepared_message') }),
  z.strictObject({ source: z.literal('document_prompt'), document_prompt_id: reference('document_prompt') }),
  z.strictObject({
    source: z.literal('prompt'),
    prompt_id: reference('prompt'),
    prompt_version: z
      .int()
      .positive()
      .max(2 ** 31 - 1),
  }),
  z.strictObject({
    source: z.literal('model'),
    vendor: z.enum(llmVendors),
    model: z.string().trim().min(1).max(200),
    temperature: z.number().min(0).max(2).default(DEFAULT_TEMPERATURE),
  }),
]);
export type ArmContent = z.output<typeof armContent>;

/** The sources that each kind of experiment allows. */
export const sourcesOfKind: Readonly<Record<ExperimentKind, readonly ArmContent['source'][]>> = {
  first_text: ['current', 'text', 'prepared_message', 'document_prompt'],
  prompt: ['current', 'prompt'],
  model: ['current', 'model'],
};

const arm = z.strictObject({
  name: z.string().trim().min(1).max(60),
  /** Only the proportions of the weights count. */
  weight: z.int().min(1).max(100).default(1),
  content: armContent,
});
export type ExperimentArm = z.output<typeof arm>;

/** By how much a variant may exceed the control before it is stopped; null: not checked. Complaints are not recorded. */
const guards = z.strictObject({
  /** Share of attempts with an opt-out: 0.02 is two points more than the control. */
  opt_outs: z.number().min(0).max(1).nullable().default(0.02),
  /** Share of attempts that ended as refused. */
  refusals: z.number().min(0).max(1).nullable().default(0.05),
  /** US dollars of models for an attempt, on average. */
  cost: z.number().min(0).max(1000).nullable().default(0.05),
});
export type ExperimentGuards = z.output<typeof guards>;

/** An arm since the start. */
const armState = z.object({
  content: frozenContent,
  /** When the variant was stopped: its leads go back to what the product uses. Null: it is not. */
  stopped_at: instant.nullable(),
  /** Why, as a sentence: `B was stopped: opt-outs 15 % against 2 %, …`, or `B is worse than A`. */
  stopped_reason: z.string().nullable(),
});
export type ArmState = z.output<typeof armState>;
nameShape('ExperimentArmState', armState);

export const experiment = z.object({
  id: z.int(),
  product_id: z.int(),
  name: z.string(),
  kind: z.enum(experimentKinds),
  metric: z.enum(experimentMetrics),
  /** Days after its assignment within which a lead has to reach the metric. */
  days: z.int(),
  /** Share of the new leads that takes part, 0 to 1. */
  part: z.number(),
  /** The metric's rate without a change, 0 to 1, as it was estimated for the plan. */
  base_rate: z.number(),
  /** The smallest difference to be found: 0.1 for ten points. */
  difference: z.number(),
  guards: guards.required(),
  arms: z.array(arm),
  /** Planned number of analyses, and attempts of each arm at the last one. */
  analyses: z.int(),
  per_arm: z.int(),
  state: z.enum(experimentStates),
  /** One for each arm, in their order; empty before the start. */
  arm_states: z.array(armState),
  started_at: instant.nullable(),
  started_by: z.string().nullable(),
  stopped_at: instant.nullable(),
  /** Null: it stopped itself. */
  stopped_by: z.string().nullable(),
  end: z.enum(experimentEnds).nullable(),
  /** What was decided, or why it stopped, as a sentence; null before it has stopped. */
  conclusion: z.string().nullable(),
  /** The arm that the product was changed to, when and by whom. */
  applied_arm: z.int().nullable(),
  applied_at: instant.nullable(),
  applied_by: z.string().nullable(),
  created_at: instant,
  version: rowVersion,
});
export type Experiment = z.output<typeof experiment>;

const rate = z.number().gt(0).lt(1);

const experimentWrite = z
  .strictObject({
    product_id: reference('product'),
    name,
    kind: z.enum(experimentKinds),
    metric: z.enum(experimentMetrics).default('qualified'),
    days: z.int().min(1).max(90).default(7),
    part: z.number().gt(0).max(1).default(1),
    base_rate: rate,
    difference: z.number().min(0.01).lt(1),
    guards: guards.prefault({}),
    arms: z.array(arm).min(2).max(MAX_ARMS),
  })
  .superRefine(({ kind, metric, base_rate: base, difference, arms }, context) => {
    const fault = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (kind !== 'first_text' && metric === 'answered')
      fault(['metric'], 'Leads take part once they have written: choose qualified or success');
    if (base + difference >= 1) fault(['difference'], 'Base rate and difference together must be below 100 %');
    for (const [index, { name: own, content }] of arms.entries()) {
      if (!sourcesOfKind[kind].includes(content.source))
        fault(['arms', index, 'content'], `${KIND_NAMES[kind]} cannot use this content`);
      else if (content.source === 'current' && index > 0)
        fault(['arms', index, 'content'], 'Only the control can be what the product uses now');
      if (arms.findIndex((other) => other.name === own) !== index)
        fault(['arms', index, 'name'], `Another arm is named ${own}`);
    }
  });

const KIND_NAMES: Readonly<Record<ExperimentKind, string>> = {
  first_text: 'An experiment with first texts',
  prompt: 'An experiment with prompts',
  model: 'An experiment with models',
};

/** `per_arm` and `analyses` follow from the plan at each change of a draft. */
export const experiments = crud({
  resource: 'experiment',
  plural: 'experiments',
  path: '/v1/experiments/',
  item: experiment,
  create: experimentWrite,
  update: experimentWrite,
  filters: {},
  orderBy: ['id', 'name', 'created_at', 'started_at', 'state'],
  search: ['name'],
});

const params = z.strictObject({ id: reference('experiment') });
const changed = { 200: experiment, 404: errorReply, 409: errorReply };

/** Copies the contents of the arms and begins to assign new leads. */
export const startExperiment = endpoint({
  operation: 'startExperiment',
  method: 'POST',
  path: '/v1/experiments/{id}/start',
  access: 'session',
  summary: 'Start an experiment',
  params,
  body: z.strictObject({ confirm_errors: confirmErrors }),
  versioned: true,
  replies: changed,
});

/** All leads go back to what the product uses. What was counted stays. */
export const stopExperiment = endpoint({
  operation: 'stopExperiment',
  method: 'POST',
  path: '/v1/experiments/{id}/stop',
  access: 'session',
  summary: 'Stop a running experiment without a decision',
  params,
  versioned: true,
  replies: changed,
});

/**
 * Makes an arm what the product uses: its first message or the chatbot's model in the product's settings, or a new version
 * of the product's prompt. Id and version are those of `target` in the results: 409 if it was changed since.
 */
export const applyExperiment = endpoint({
  operation: 'applyExperiment',
  method: 'POST',
  path: '/v1/experiments/{id}/apply',
  access: 'session',
  summary: 'Make an arm of a stopped experiment what the product uses',
  params,
  body: z.strictObject({
    arm: z
      .int()
      .min(0)
      .max(MAX_ARMS - 1),
    target_id: uncheckedId,
    target_version: z.int().positive(),
    confirm_errors: confirmErrors,
  }),
  versioned: true,
  replies: changed,
});

const count = z.int();
const interval = z.object({ low: z.number(), high: z.number() });

/** An arm at an analysis: attempts whose days are over, and those of them that reached the metric in time. */
const armCount = z.object({ n: count, successes: count });

const analysis = z.object({
  /** 1 to `analyses`. If progress has passed one by, its number is missing. */
  analysis: z.int(),
  at: instant,
  arms: z.array(armCount),
  decision: z.enum(['better', 'no_difference', 'too_early']),
  /** `B is better (31 % against 22 %, 95 % interval of the difference 3 to 15)`. */
  sentence: z.string(),
});
export type ExperimentAnalysis = z.output<typeof analysis>;
nameShape('ExperimentAnalysis', analysis);

const armResult = z.object({
  arm: z.int(),
  name: z.string(),
  /** Attempts of the leads that were assigned to the arm: the total of `GET /v1/outcomes/` with `filters.assigned`. */
  assigned: count,
  /** Those whose days are over, and of them those that reached the metric in time. */
  finished: count,
  successes: count,
  /** `successes` / `finished`; null without any. With the 95 % Wilson interval: it says nothing about differences. */
  rate: z.number().nullable(),
  interval,
  opt_outs: count,
  refusals: count,
  /** US dollars. */
  cost: z.number(),
  cost_per_attempt: z.number().nullable(),
  stopped_at: instant.nullable(),
  stopped_reason: z.string().nullable(),
  /** The queries of `GET /v1/outcomes/` that find the rows of the counts. */
  filters: z.object({
    assigned: outcomeQuery,
    finished: outcomeQuery,
    successes: outcomeQuery,
    opt_outs: outcomeQuery,
    refusals: outcomeQuery,
  }),
});
export type ExperimentArmResult = z.output<typeof armResult>;
nameShape('ExperimentArmResult', armResult);

export const experimentResults = z.object({
  experiment,
  arms: z.array(armResult),
  /** The last analysis that was made; 0 before the first. */
  analysis: z.int(),
  /** Attempts still needed until the planned end and until the next analysis, in all arms together; null once stopped. */
  more: z.int().nullable(),
  until_next: z.int().nullable(),
  /** What is known: of the last analysis, or how many are still needed until the first. */
  sentence: z.string(),
  /** Every analysis that was made, the first one first. */
  history: z.array(analysis),
  /**
   * Leads that do not count: the same person had been assigned before as another lead. They get no variant once this is
   * seen.
   */
  excluded: count,
  /**
   * What `apply` changes: the product's settings, or the product's prompt (`version` is its `revision`). Null: the product
   * has no prompt now, so nothing can be applied.
   */
  target: z.object({ noun: z.enum(['product', 'prompt']), id: z.int(), version: z.int() }).nullable(),
});
export type ExperimentResults = z.output<typeof experimentResults>;
nameShape('ExperimentResults', experimentResults);

export const readExperimentResults = endpoint({
  operation: 'getExperimentResults',
  method: 'GET',
  path: '/v1/experiments/{id}/results',
  access: 'session',
  summary: 'How an experiment stands, and every analysis that was made',
  params,
  replies: { 200: experimentResults, 404: errorReply },
});

/** Most leads that a rehearsal of an experiment splits. */
export const REHEARSED_LEADS = 100;

const rehearsedArm = z.object({
  arm: z.int(),
  name: z.string(),
  leads: count,
  /**
   * What a lead of the arm would get. `text`: the first message. `prompt`: the rendered prompt. `model`: vendor and model.
   * `failed`: why there would be no message. Null: none of the leads is in the arm.
   */
  example: z
    .object({
      lead_id: z.int(),
      lead_name: z.string(),
      kind: z.enum(['text', 'prompt', 'model', 'failed']),
      text: z.string(),
    })
    .nullable(),
});
export type RehearsedArm = z.output<typeof rehearsedArm>;
nameShape('RehearsedArm', rehearsedArm);

export const experimentRehearsal = z.object({
  /** The next leads that nobody has exchanged a message with, oldest first, at most `REHEARSED_LEADS`. */
  leads: count,
  /** Those that would not take part. */
  outside: count,
  arms: z.array(rehearsedArm),
  items: z.array(z.object({ lead_id: z.int(), lead_name: z.string(), arm: z.int().nullable() })),
});
export type ExperimentRehearsal = z.output<typeof experimentRehearsal>;
nameShape('ExperimentRehearsal', experimentRehearsal);

export const rehearseExperiment = endpoint({
  operation: 'rehearseExperiment',
  method: 'GET',
  path: '/v1/experiments/{id}/rehearsal',
  access: 'session',
  summary: 'How the next leads would be split, with an example of each arm; assigns nobody and calls no model',
  params,
  replies: { 200: experimentRehearsal, 404: errorReply, 409: errorReply },
});

export const experimentRefusals = {
  'experiment.not_draft': { status: 409, sentence: 'This experiment has been started. Only drafts can be {verb}.' },
  'experiment.not_running': { status: 409, sentence: 'This experiment is not running.' },
  'experiment.not_stopped': { status: 409, sentence: 'This experiment is still running. Stop it first.' },
  'experiment.not_started': { status: 409, sentence: 'This experiment was never started, so no arm can be applied.' },
  'experiment.other_running': {
    status: 409,
    sentence: 'Another experiment of this kind is running on the product: {name}. Stop it first.',
  },
  'experiment.no_target': { status: 409, sentence: 'The product has no {noun} that could be changed.' },
  'experiment.content_changed': {
    status: 409,
    sentence: 'The document prompt of {arm} was changed or deleted since the start. Restore its text first.',
  },
  'experiment.no_arm': { status: 409, sentence: 'This experiment has no such arm.' },
  'experiment.content_gone': { status: 409, sentence: 'What {arm} uses is gone. Choose something else.' },
  'experiment.nothing_current': {
    status: 409,
    sentence: 'The product has no {noun} yet, so {arm} cannot be what it uses now.',
  },
  'experiment.same_contents': { status: 409, sentence: '{arm} and {other} are the same. Change one of them.' },
  'experiment.kept_out': {
    status: 409,
    sentence:
      'The product publishes only texts that pass its cases. Save this text as a draft of {name}, check it, then apply it.',
  },
  'experiment.product_fixed': { status: 409, sentence: 'An experiment cannot move to another product.' },
} satisfies RefusalKinds;

/**
 * Contract of studio runs: a candidate text compared with what is live on cases (`gate`), real dialogues (`replay`), known
 * outcomes (`classification`) or simulated leads (`simulation`). Nothing of a run reaches the outbox, the CRM, the lists of
 * messages or the outcomes; its spending counts, and stops at the run's own budget.
 */
import { z } from 'zod';
import { stages } from '../leads/contract.ts';
import { botHandOverReasons } from '../leads/lead.ts';
import { endpoint, errorReply, instant, listReply, nameShape, reference, smallCount } from '../platform/contract.ts';
import { listQuery } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { llmVendors } from '../products/contract.ts';

export const runKinds = ['gate', 'replay', 'classification', 'simulation'] as const;
export type RunKind = (typeof runKinds)[number];

/** `stopped`: the budget was reached before all samples were made. `failed`: the model could not be used. */
export const runStates = ['queued', 'running', 'done', 'stopped', 'cancelled', 'failed'] as const;
export type RunState = (typeof runStates)[number];

/** US dollars. */
const money = z.number().min(0).max(10_000);

const chosenModel = z.strictObject({
  vendor: z.enum(llmVendors),
  model: z.string().trim().min(1).max(200),
  temperature: z.number().min(0).max(2).optional(),
});

const ids = (resource: string) => z.array(reference(resource)).min(1).max(500);

/** How often a gate tries each case: by default, and at least where it is evidence for publishing. */
export const GATE_REPEATS = 3;

const runWrite = z.strictObject({
  kind: z.enum(runKinds),
  /** The prompt that is changed. */
  prompt_id: reference('prompt'),
  /** The candidate: this text, or this version; by default the prompt's newest version. */
  text: z.string().min(1).max(100_000).optional(),
  version: smallCount.optional(),
  /** By default the product's model. */
  model: chosenModel.optional(),
  /** Gate: default all enabled cases of the prompt. */
  case_ids: ids('studio_case').optional(),
  /** Replay and classification: default the newest `sample` dialogues with answers of the bot. */
  dialogue_ids: ids('dialogue').optional(),
  sample: z.int().min(1).max(500).default(50),
  /** Simulation: default all personas of the product. */
  persona_ids: ids('studio_persona').optional(),
  /** Gate and simulation: how often each is tried, with the candidate and with what is live. */
  repeats: z.int().min(1).max(10).default(GATE_REPEATS),
  /** US dollars; the run stops before it would exceed them. Each run needs one. */
  budget: money,
  /** Whether a judge compares the answers too. */
  with_judge: z.boolean().default(false),
});

export const estimate = z.object({
  /** Calls of models. */
  calls: z.int(),
  /** US dollars; null if a price is not known. */
  cost: z.number().nullable(),
  /** Cases, turns or simulated leads. */
  subjects: z.int(),
});
nameShape('StudioEstimate', estimate);

/** A share with its Wilson interval, each 0 to 1. */
const rate = z.object({ count: z.int(), total: z.int(), low: z.number(), high: z.number() });

/** What a gate says of one case. */
const caseVerdict = z.object({
  case_id: z.int(),
  name: z.string(),
  /** `advisory`: a judge's opinion, which does not block. `missing`: not enough samples; never counts as a pass. */
  state: z.enum(['green', 'red', 'advisory', 'missing']),
  /** Answers that meet everything, of the candidate and of what is live. */
  candidate: rate,
  live: rate,
  /** Why it is red, as sentences. */
  reasons: z.array(z.string()),
});
nameShape('StudioCaseVerdict', caseVerdict);

const gateVerdict = z.object({
  kind: z.literal('gate'),
  state: z.enum(['green', 'red', 'missing']),
  /** What no single case shows, as sentences: all cases together are worse, or evidence is missing. */
  reasons: z.array(z.string()),
  cases: z.array(caseVerdict),
});

/** How an answer may differ; `wording` is what no fact explains. */
export const changeKinds = [
  'numbers',
  'prices',
  'links',
  'questions',
  'hand_over',
  'stage',
  'length',
  'language',
  'wording',
] as const;
export type ChangeKind = (typeof changeKinds)[number];

const replayVerdict = z.object({
  kind: z.literal('replay'),
  /** Turns whose change exceeds what the live version changes against itself, and all. */
  changed: rate,
  by_kind: z.array(z.object({ kind: z.enum(changeKinds), turns: z.int() })),
  /** Of the judge, both orders agreeing; null without a judge. */
  judged: z.object({ better: z.int(), worse: z.int(), tie: z.int() }).nullable(),
});

const stageCount = z.object({ stage: z.enum(stages), outcome: z.string(), live: z.int(), candidate: z.int() });
const classificationVerdict = z.object({
  kind: z.literal('classification'),
  /** Dialogues by the stage each prompt named and what became of the lead. */
  table: z.array(stageCount),
  /** Dialogues whose stage agrees with the outcome. */
  live: rate,
  candidate: rate,
});

const simulationVerdict = z.object({
  kind: z.literal('simulation'),
  personas: z.array(
    z.object({
      persona_id: z.int(),
      name: z.string(),
      /** Talks that met every check. */
      candidate: rate,
      live: rate,
      /** Whether all repeats met every check: pass^k. */
      passes: z.boolean(),
      findings: z.array(z.string()),
    }),
  ),
  /** How often a classifier tells simulated talks from real ones by their style: 0.5 is as good as real, 1 always. Null: not measured. */
  realism: rate.nullable(),
  /** What passing proves and what it does not, as sentences. */
  notes: z.array(z.string()),
});

export const studioRun = z.object({
  id: z.int(),
  product_id: z.int(),
  kind: z.enum(runKinds),
  prompt_id: z.int().nullable(),
  prompt_name: z.string(),
  /** Null: a text that was not saved. */
  version: z.int().nullable(),
  text: z.string(),
  /** What was live when the run was made; null: nothing was. */
  live_version: z.int().nullable(),
  live_text: z.string().nullable(),
  model: z.object({ vendor: z.string(), model: z.string(), temperature: z.number() }),
  repeats: z.int(),
  with_judge: z.boolean(),
  state: z.enum(runStates),
  /** Why it failed or stopped, as a sentence. */
  reason: z.string().nullable(),
  /** Samples: answers, judgements or talks. */
  progress: z.object({ done: z.int(), failed: z.int(), total: z.int() }),
  budget: z.number(),
  /** US dollars so far. */
  spent: z.number(),
  estimate,
  verdict: z
    .discriminatedUnion('kind', [gateVerdict, replayVerdict, classificationVerdict, simulationVerdict])
    .nullable(),
  author: z.string().nullable(),
  created_at: instant,
  started_at: instant.nullable(),
  finished_at: instant.nullable(),
});
export type StudioRun = z.output<typeof studioRun>;
export type RunVerdict = NonNullable<StudioRun['verdict']>;
nameShape('StudioRun', studioRun);

export const startStudioRun = endpoint({
  operation: 'startStudioRun',
  method: 'POST',
  path: '/v1/studio/runs/',
  access: 'session',
  summary: 'Start a run of the studio',
  body: runWrite,
  replies: { 201: studioRun, 404: errorReply, 409: errorReply, 422: errorReply },
});

export const estimateStudioRun = endpoint({
  operation: 'estimateStudioRun',
  method: 'POST',
  path: '/v1/studio/runs/estimate',
  access: 'session',
  summary: 'What a run would cost; starts nothing',
  body: runWrite.extend({ budget: money.optional() }),
  replies: { 200: estimate, 404: errorReply, 409: errorReply, 422: errorReply },
});

export const listStudioRuns = endpoint({
  operation: 'listStudioRuns',
  method: 'GET',
  path: '/v1/studio/runs/',
  access: 'session',
  summary: 'The runs of the studio, newest first',
  query: listQuery(
    {
      id: reference('studio_run'),
      product_id: reference('product'),
      prompt_id: reference('prompt'),
      kind: z.enum(runKinds),
      state: z.enum(runStates),
      with_judge: z.boolean(),
    },
    ['id', 'created_at'],
  ),
  replies: { 200: listReply(studioRun) },
});

const params = z.strictObject({ id: reference('studio_run') });

export const readStudioRun = endpoint({
  operation: 'getStudioRun',
  method: 'GET',
  path: '/v1/studio/runs/{id}',
  access: 'session',
  summary: 'State, progress, spending and verdict of a run',
  params,
  replies: { 200: studioRun, 404: errorReply },
});

export const cancelStudioRun = endpoint({
  operation: 'cancelStudioRun',
  method: 'POST',
  path: '/v1/studio/runs/{id}/cancel',
  access: 'session',
  summary: 'Cancel a run; what was made stays',
  params,
  replies: { 200: studioRun, 404: errorReply, 409: errorReply },
});

/** What a model answered for a subject. */
export const studioOutput = z.object({
  text: z.string(),
  hand_over: z.enum(botHandOverReasons).nullable(),
  stage: z.enum(stages).nullable(),
  tools: z.array(z.string()),
  /** Whether the model says that the person wants no more messages. */
  stop_writing: z.boolean().optional(),
});
export type StudioOutput = z.output<typeof studioOutput>;
nameShape('StudioOutput', studioOutput);

const violation = z.object({ kind: z.string(), detail: z.string() });

const sampleResult = z.object({
  repeat: z.int(),
  output: studioOutput.nullable(),
  /** Why there is no output. */
  error: z.string().nullable(),
  violations: z.array(violation),
});

/** One case, turn, dialogue or simulated lead of a run. Ordered by how much it matters: red or most changed first. */
export const studioResult = z.object({
  id: z.int(),
  subject: z.object({
    kind: z.enum(['case', 'turn', 'dialogue', 'persona']),
    name: z.string(),
    case_id: z.int().nullable(),
    dialogue_id: z.int().nullable(),
    lead_id: z.int().nullable(),
    /** The bot's message that was really sent in this turn. */
    message_id: z.int().nullable(),
    persona_id: z.int().nullable(),
  }),
  /** The conversation before the answer; of a simulation, the whole talk. */
  history: z.array(z.object({ side: z.enum(['user', 'bot']), text: z.string() })),
  candidate: z.array(sampleResult),
  live: z.array(sampleResult),
  /** The known answer; null where there is none. */
  real: z.string().nullable(),
  /** Where it is from: sent to a lead, generated in the playground, or written by an operator as what should be said. */
  real_source: z.enum(['sent', 'playground', 'operator']),
  /** Change beyond noise, 0 to 1, and its facts as sentences; null where nothing is compared. */
  change: z
    .object({ score: z.number(), noise: z.number(), kinds: z.array(z.enum(changeKinds)), facts: z.array(z.string()) })
    .nullable(),
  /** From here the lead answered something else: nothing is predicted beyond. */
  diverged: z.boolean(),
  judged: z.enum(['better', 'worse', 'tie']).nullable(),
  state: z.enum(['open', 'green', 'red', 'advisory', 'missing', 'changed', 'same']),
});
export type StudioResult = z.output<typeof studioResult>;
nameShape('StudioResult', studioResult);

export const listStudioResults = endpoint({
  operation: 'listStudioResults',
  method: 'GET',
  path: '/v1/studio/runs/{id}/results',
  access: 'session',
  summary: 'What a run found, what matters most first',
  params,
  query: z.strictObject({
    page: z.int().positive().max(10_000).default(1),
    limit: z.int().positive().max(100).default(25),
    state: studioResult.shape.state.optional(),
  }),
  replies: { 200: listReply(studioResult), 404: errorReply },
});

export const studioRefusals = {
  'studio.no_cases': {
    status: 409,
    sentence: 'There are no test cases for this prompt. Make one from a message first.',
  },
  'studio.no_dialogues': { status: 409, sentence: 'There are no dialogues with answers of the bot to replay.' },
  'studio.too_much_text': {
    status: 409,
    sentence: 'These dialogues have more text than can be compared at once. Choose fewer of them.',
  },
  'studio.no_outcomes': {
    status: 409,
    sentence: 'There are no dialogues whose lead has agreed, refused or failed.',
  },
  'studio.no_personas': { status: 409, sentence: 'There are no personas. Make some from your dialogues first.' },
  'studio.wrong_kind': { status: 409, sentence: 'A {kind} run does not suit a prompt of the type {type}.' },
  'studio.no_price': {
    status: 409,
    sentence: 'There is no price for {model}, so the budget could not be kept. Set its price first.',
  },
  'studio.finished': { status: 409, sentence: 'This run has ended.' },
  'studio.other_product': { status: 409, sentence: 'This {noun} belongs to another product.' },
} satisfies RefusalKinds;

/** Plans runs, says what they would cost, and stores them. */
import type { z } from 'zod';
import { priceOfModel } from '../llm/runs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { modelFor, readProduct } from '../products/product.ts';
import { readPromptVersion } from '../prompts/prompt.ts';
import { kindFor } from './kinds.ts';
import type { CallSize, PlannedSample, PlannedSubject, RunFacts } from './run.ts';
import { type estimateStudioRun, type StudioRun, studioRefusals } from './runContract.ts';
import { readTriedPrompt, type TriedPrompt } from './store/prompts.ts';
import { insertRun, insertSubjects } from './store/runs.ts';
import type { PricedSample } from './store/samples.ts';

/** The sweep that makes samples and concludes runs. */
export const STUDIO_SWEEP = 'studio';

/** What a run is asked for; without a budget, it is only estimated. */
export type RunRequest = z.output<typeof estimateStudioRun.body>;

interface PlannedRun {
  readonly facts: RunFacts;
  readonly version: number | null;
  readonly liveVersion: number | null;
  readonly subjects: readonly (Omit<PlannedSubject, 'samples'> & { readonly samples: readonly PricedSample[] })[];
  readonly estimate: StudioRun['estimate'];
  /** A model whose price is not known; null: all are. */
  readonly unpriced: string | null;
}

/** Plan a run without storing it. Throws the refusals of `studioRefusals`, and `not_found`. */
export async function planRun(context: AppContext, reader: Reader, request: RunRequest): Promise<PlannedRun> {
  const prompt = await readTriedPrompt(reader, request.prompt_id);
  const product = prompt && (await readProduct(reader, prompt.product_id));
  if (!prompt || !product) throw refuse(commonRefusals, 'not_found', { noun: 'prompt' });
  const { kind: name, case_ids = null, dialogue_ids = null, persona_ids = null, sample } = request;
  const kind = kindFor(name, prompt.type);
  const { text, version } = await candidateOf(reader, prompt, request);
  const chosen = modelFor(context, product.config, prompt.type === 'classification' ? 'classification' : 'chatbot');
  const { vendor, model, temperature } = modelFor(context, product.config, 'judge');
  const facts: RunFacts = {
    kind: name,
    product,
    prompt,
    text,
    liveText: prompt.live_text,
    model: { ...chosen, ...request.model, temperature: request.model?.temperature ?? chosen.temperature },
    repeats: request.repeats,
    withJudge: request.with_judge,
    settings: { case_ids, dialogue_ids, persona_ids, sample, judge: { vendor, model, temperature } },
  };
  const subjects = await kind.plan({ reader, threads: context.threads }, facts);
  const priced = await priceSubjects(reader, facts, { subjects, later: kind.later?.(facts, subjects) ?? [] });
  return { facts, version, liveVersion: prompt.live_version, ...priced };
}

/** The text that is tried: a given one, a version, or the newest. */
async function candidateOf(
  reader: Reader,
  prompt: TriedPrompt,
  { text, version }: RunRequest,
): Promise<{ text: string; version: number | null }> {
  if (text !== undefined) return { text, version: text === prompt.text ? prompt.version : null };
  if (version === undefined) return { text: prompt.text, version: prompt.version };
  const found = await readPromptVersion(reader, { promptId: prompt.id, version, productId: prompt.product_id });
  if (!found) throw refuse(commonRefusals, 'not_found', { noun: 'version of this prompt' });
  return { text: found.text, version };
}

/** Characters of a token: fewer than in English prose, as other scripts and tools need more tokens. */
const CHARACTERS_PER_TOKEN = 3;
/** A call may read texts and be made several times for that: it reserves more than it probably costs. */
const RESERVED_SHARE = 2;

interface PricedSamples {
  readonly samples: readonly PricedSample[];
  readonly calls: number;
  /** US dollars; null: not known. */
  readonly cost: number | null;
  readonly unpriced: string | null;
}

/** Add to samples what their calls probably cost. */
export async function priceSamples(
  reader: Reader,
  facts: Pick<RunFacts, 'model'>,
  planned: readonly PlannedSample[],
): Promise<PricedSamples> {
  const costs = new Map<string, ((size: CallSize) => number) | null>();
  for (const { model } of [...planned, { model: facts.model }]) {
    const { vendor, model: name } = model ?? facts.model;
    const key = `${vendor}/${name}`;
    if (costs.has(key)) continue;
    const price = await priceOfModel(reader, { vendor, model: name });
    const costOf = ({ sent, received }: CallSize, one: NonNullable<typeof price>) =>
      (sent * one.input_per_million + received * one.output_per_million) / CHARACTERS_PER_TOKEN / 1_000_000;
    costs.set(key, price ? (size) => costOf(size, price) : null);
  }
  const samples = planned.map(({ arm, repeat, model = facts.model, calls, call }) => {
    const cost = costs.get(`${model.vendor}/${model.model}`)?.(call) ?? null;
    return { arm, repeat, model: { vendor: model.vendor, model: model.model }, calls, cost };
  });
  return {
    samples: samples.map(({ calls: _calls, cost, ...one }) => ({ ...one, callCost: (cost ?? 0) * RESERVED_SHARE })),
    calls: samples.reduce((sum, { calls }) => sum + calls, 0),
    cost: samples.reduce<number | null>(
      (sum, { calls, cost }) => (sum === null || cost === null ? null : sum + calls * cost),
      0,
    ),
    unpriced: [...costs].find(([, cost]) => cost === null)?.[0] ?? null,
  };
}

async function priceSubjects(
  reader: Reader,
  facts: RunFacts,
  { subjects: planned, later }: { subjects: readonly PlannedSubject[]; later: readonly PlannedSample[] },
): Promise<Pick<PlannedRun, 'subjects' | 'estimate' | 'unpriced'>> {
  const { samples, calls, cost, unpriced } = await priceSamples(reader, facts, [
    ...planned.flatMap((one) => one.samples),
    ...later,
  ]);
  let at = 0;
  const subjects = planned.map((one) => ({ ...one, samples: samples.slice(at, (at += one.samples.length)) }));
  return { subjects, estimate: { calls, cost, subjects: planned.length }, unpriced };
}

/** Start a run. Returns its id. */
export function startRun(
  context: AppContext,
  { budget, ...request }: RunRequest & { readonly budget: number },
  write: WriteContext,
): Promise<number> {
  return context.transact(async (tx) => {
    const run = await planRun(context, tx, request);
    if (run.unpriced !== null) throw refuse(studioRefusals, 'studio.no_price', { model: run.unpriced });
    return storeRun(tx, { ...run, budget, write });
  });
}

async function storeRun(
  tx: Tx,
  { subjects, budget, write, ...run }: PlannedRun & { readonly budget: number; readonly write: WriteContext },
): Promise<number> {
  const { facts, estimate } = run;
  const productId = facts.product.id;
  const id = await insertRun(tx, { ...run, budget, author: write.caller.login });
  await insertSubjects(tx, { runId: id, productId }, subjects);
  const after = { kind: facts.kind, prompt_id: facts.prompt.id, version: run.version, budget, estimate };
  await recordAuditEntry(tx, { ...write, action: 'started', noun: 'studio_run', rowId: id, productId, after });
  notify(tx, { topic: 'studio_run', product: productId, ids: [id] });
  wakeSweep(tx, STUDIO_SWEEP);
  return id;
}

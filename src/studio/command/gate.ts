/** Has a running installation gate prompts, and says what it found: what a build pipeline calls. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Prompt, prompts } from '../../prompts/contract.ts';
import { cancelStudioRun, estimateStudioRun, readStudioRun, type StudioRun, startStudioRun } from '../runContract.ts';
import { type ApiClient, CommandError } from './apiClient.ts';
import { type GatedPrompt, gateOf } from './junit.ts';

export interface GateRequest {
  readonly productId: number;
  /** Null: the prompts that answer leads and name stages, or would once they are published. */
  readonly promptId: number | null;
  /** Null: the newest version, or `text`. */
  readonly version: number | null;
  /** A text that is not saved. */
  readonly text: string | null;
  readonly repeats: number;
  /** US dollars for each prompt. */
  readonly budget: number;
  /** How long a gate may take before it is cancelled, milliseconds. */
  readonly limitMs: number;
  /** Aborted when the pipeline is stopped: the run is cancelled. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

const POLL_MS = 1000;
const TYPES = ['prompt', 'classification'] as const;

/** Gate prompts one after the other. Throws `CommandError` if there is nothing to gate. */
export async function gatePrompts(client: ApiClient, request: GateRequest): Promise<GatedPrompt[]> {
  const chosen = await choosePrompts(client, request);
  const gated: GatedPrompt[] = [];
  for (const prompt of chosen) gated.push(await gatePrompt(client, { prompt, request }));
  return gated;
}

async function choosePrompts(client: ApiClient, { productId, promptId }: GateRequest): Promise<Prompt[]> {
  if (promptId !== null) {
    const prompt = await client.call(prompts.get, { params: { id: promptId } });
    if (prompt.product_id !== productId)
      throw new CommandError(`The prompt ${promptId} belongs to product ${prompt.product_id}, not to ${productId}.`);
    return [prompt];
  }
  const found: Prompt[] = [];
  for (const type of TYPES) {
    const { items } = await client.call(prompts.list, {
      query: { product_id: [productId], type: [type], order_by: 'created_at', order: 'desc', limit: 100 },
    });
    const newest = items.find(({ group_id: group }) => group === null);
    if (newest) found.push(newest);
  }
  if (found.length === 0) throw new CommandError(`Product ${productId} has no prompt that can be tested.`);
  return found;
}

async function gatePrompt(
  client: ApiClient,
  { prompt, request }: { readonly prompt: Prompt; readonly request: GateRequest },
): Promise<GatedPrompt> {
  const { version, text, repeats, budget, log } = request;
  const candidate = text !== null ? { text } : version !== null ? { version } : {};
  const asked = { kind: 'gate', prompt_id: prompt.id, repeats, ...candidate } as const;
  const what = text !== null ? 'the given text' : `version ${version ?? prompt.version}`;
  log(
    `${prompt.name}: ${what} against ${prompt.live_version === null ? 'nothing live' : `version ${prompt.live_version}`}`,
  );
  try {
    const estimate = await client.call(estimateStudioRun, { body: asked });
    const cost = estimate.cost === null ? 'unknown cost' : `about $${estimate.cost.toFixed(4)}`;
    log(`  cases: ${estimate.subjects}, calls: ${estimate.calls}, ${cost}; budget: $${budget}`);
    const { id } = await client.call(startStudioRun, { body: { ...asked, budget } });
    const run = await waitForEnd(client, id, request);
    logRun(run, log);
    const problem = problemOf(run);
    if (problem !== null) log(`  not judged: ${problem}`);
    return { name: prompt.name, run, problem };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    log(`  not judged: ${error.message}`);
    return { name: prompt.name, run: null, problem: error.message };
  }
}

/** Wait for the end of a run. It is cancelled when it takes too long or the pipeline is stopped. */
async function waitForEnd(client: ApiClient, id: number, { limitMs, signal, log }: GateRequest): Promise<StudioRun> {
  const end = performance.now() + limitMs;
  let last = '';
  for (;;) {
    const run = await client.call(readStudioRun, { params: { id } });
    if (run.finished_at !== null) return run;
    const line = `  ${run.progress.done + run.progress.failed} of ${run.progress.total} answers${run.reason === null ? '' : `. ${run.reason}`}`;
    if (line !== last) log(line);
    last = line;
    if (signal.aborted || performance.now() > end) return client.call(cancelStudioRun, { params: { id } });
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Why a run judges nothing; null: it does. */
function problemOf(run: StudioRun): string | null {
  const gate = gateOf(run);
  if (gate?.state === 'red' || (gate?.state === 'green' && run.state === 'done')) return null;
  return [`The run ${run.id} ended as ${run.state}.`, run.reason, ...(gate?.reasons ?? [])].filter(Boolean).join(' ');
}

function logRun(run: StudioRun, log: (line: string) => void): void {
  for (const { state, name, candidate, live, reasons } of gateOf(run)?.cases ?? []) {
    log(`  ${state.padEnd(8)} ${name}: ${candidate.count} of ${candidate.total}, live ${live.count} of ${live.total}`);
    if (state !== 'green') for (const reason of reasons) log(`           ${reason}`);
  }
  if (gateOf(run)?.state === 'red') for (const reason of gateOf(run)?.reasons ?? []) log(`  ${reason}`);
  log(`  run ${run.id}: ${gateOf(run)?.state ?? run.state}, $${run.spent.toFixed(4)} spent`);
}

/** What the pipeline is told: 0 all are green, 1 one is red, 2 one could not be judged and none is red. */
export function exitCodeOf(gated: readonly GatedPrompt[]): 0 | 1 | 2 {
  if (gated.some(({ run }) => gateOf(run)?.state === 'red')) return 1;
  return gated.length > 0 && gated.every(({ problem }) => problem === null) ? 0 : 2;
}

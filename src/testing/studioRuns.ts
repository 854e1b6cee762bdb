/** Starts runs of the studio in tests, and waits for their ends. */
import type { BodyInput } from '../platform/contract.ts';
import { type StudioCase, studioCases } from '../studio/caseContract.ts';
import {
  listStudioResults,
  readStudioRun,
  type StudioResult,
  type StudioRun,
  startStudioRun,
} from '../studio/runContract.ts';
import type { Client } from './client.ts';
import type { World } from './world.ts';

type NewCase = BodyInput<typeof studioCases.create>;
type NewRun = BodyInput<typeof startStudioRun>;

export interface StudioRuns {
  readonly promptId: number;
  /** Create a case by hand: the lead has written this, and the answer has to meet the requirements. */
  createCase(text: string, requirements: NewCase['requirements'], more?: Partial<NewCase>): Promise<StudioCase>;
  /** Start a run; by default a gate of the prompt's newest text. */
  start(more?: Partial<NewRun>): Promise<StudioRun>;
  read(id: number): Promise<StudioRun>;
  /** Wait until a run has ended. */
  ended(run: { readonly id: number }): Promise<StudioRun>;
  /** Start a gate and wait for its end. */
  gate(more?: Partial<NewRun>): Promise<StudioRun>;
  results(run: { readonly id: number }): Promise<StudioResult[]>;
}

/** Return what starts runs of the world's prompt. */
export async function studioRuns(world: World, client: Client): Promise<StudioRuns> {
  const { rows } = await world.pool.query<{ id: string }>(
    "select id from prompts where product_id = $1 and type = 'prompt' order by id limit 1",
    [world.productId],
  );
  const promptId = Number(rows[0]?.id);
  const runs: StudioRuns = {
    promptId,
    async createCase(text, requirements, more = {}) {
      const answer = await client.call(studioCases.create, {
        body: { product_id: world.productId, history: [{ side: 'user', text }], requirements, ...more },
      });
      if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body as StudioCase;
    },
    async start(more = {}) {
      const body = { kind: 'gate' as const, prompt_id: promptId, budget: 1, ...more };
      const answer = await client.call(startStudioRun, { body });
      if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body as StudioRun;
    },
    read: async (id) => (await client.call(readStudioRun, { params: { id } })).body as StudioRun,
    async ended({ id }) {
      let run = await runs.read(id);
      await world.waitUntil(async () => {
        if (run.finished_at === null) run = await runs.read(id);
        return run.finished_at !== null;
      }, `run ${id} ends`);
      return run;
    },
    gate: async (more = {}) => runs.ended(await runs.start(more)),
    async results({ id }) {
      const answer = await client.call(listStudioResults, { params: { id }, query: { limit: 100 } });
      return (answer.body as { items: StudioResult[] }).items;
    },
  };
  return runs;
}

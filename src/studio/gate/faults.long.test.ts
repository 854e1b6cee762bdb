/** Gates of grossly faulty prompts on the sandbox's model: each is red, and the prompt itself is green. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PLANTED_FAULTS } from '../../sandbox/emulators/model/plantedFaults.ts';
import type { Client } from '../../testing/client.ts';
import { gateCases } from '../../testing/gateCases.ts';
import { createWorld, PROMPT, type World } from '../../testing/world.ts';
import { studioCases } from '../caseContract.ts';
import { readStudioRun, type StudioRun, startStudioRun } from '../runContract.ts';

let world: World;
let anna: Client;
let promptId: number;
beforeAll(async () => {
  world = await createWorld();
  anna = await world.operator('anna');
  const { rows } = await world.pool.query<{ id: string }>('select id from prompts where product_id = $1', [
    world.productId,
  ]);
  promptId = Number(rows[0]?.id);
  for (const body of gateCases(world.productId, promptId)) {
    const { status } = await anna.call(studioCases.create, { body });
    expect(status).toBe(201);
  }
});
afterAll(() => world.close());

async function gate(text: string): Promise<StudioRun> {
  const started = await anna.call(startStudioRun, { body: { kind: 'gate', prompt_id: promptId, text, budget: 5 } });
  expect(started.status).toBe(201);
  const { id } = started.body as StudioRun;
  let run: StudioRun | null = null;
  await world.waitUntil(
    async () => {
      run = (await anna.call(readStudioRun, { params: { id } })).body as StudioRun;
      return run.finished_at !== null;
    },
    'the gate ends',
    120_000,
  );
  if (run === null) throw new Error('no run');
  return run;
}

const verdictOf = ({ verdict }: StudioRun) => (verdict?.kind === 'gate' ? verdict : null);

it('is green for the prompt that is live', { timeout: 120_000 }, async () => {
  const run = await gate(PROMPT);
  expect(verdictOf(run)?.cases.filter(({ state }) => state !== 'green')).toEqual([]);
  expect(verdictOf(run)?.state).toBe('green');
});

it.each(PLANTED_FAULTS.filter((fault) => fault !== 'wrong_stage'))(
  'is red for %s',
  { timeout: 120_000 },
  async (fault) => {
    const run = await gate(`${PROMPT}\nFault: ${fault}`);
    expect(verdictOf(run)?.state).toBe('red');
  },
);

/** Cases and gates through the API, on the sandbox's model. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../testing/client.ts';
import { messagesOf } from '../../testing/messageRows.ts';
import { createWorld, type World } from '../../testing/world.ts';
import { type StudioCase, studioCases } from '../caseContract.ts';
import { listStudioResults, readStudioRun, type StudioRun, startStudioRun } from '../runContract.ts';

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
});
afterAll(() => world.close());

async function ended(id: number): Promise<StudioRun> {
  let run: StudioRun | null = null;
  await world.waitUntil(async () => {
    run = (await anna.call(readStudioRun, { params: { id } })).body as StudioRun;
    return run.finished_at !== null;
  }, 'the run ends');
  if (run === null) throw new Error('no run');
  return run;
}

it('gates', async () => {
  const lead = await world.lead('Anna');
  await lead.writes('How much does a kitchen cost?');
  await world.drain();
  const [answer] = await messagesOf(world, lead, 'bot');
  const { status, body } = await anna.call(studioCases.create, {
    body: {
      product_id: world.productId,
      from_message_id: answer?.id ?? 0,
      source: 'keep',
      requirements: [{ kind: 'known_facts' }],
    },
  });
  console.log(status, JSON.stringify(body, null, 1));
  const started = await anna.call(startStudioRun, { body: { kind: 'gate', prompt_id: promptId, budget: 1 } });
  console.log(started.status, JSON.stringify(started.body));
  const run = await ended((started.body as StudioRun).id);
  console.log(JSON.stringify(run, null, 1));
  console.log(
    JSON.stringify((await anna.call(listStudioResults, { params: { id: run.id }, query: {} })).body, null, 1),
  );
});

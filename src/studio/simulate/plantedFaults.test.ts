/** Simulations through the API: a good prompt passes with each kind of lead, and planted faults are found. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../testing/client.ts';
import { tableFingerprints } from '../../testing/everyResource.ts';
import { CONTENTING_PROMPT, FAULTS_TO_FIND, insertPersonas, PERSONAS } from '../../testing/simulatedLeads.ts';
import { createWorld, type World } from '../../testing/world.ts';
import { listStudioResults, readStudioRun, startStudioRun, studioResult, studioRun } from '../runContract.ts';

let world: World;
let operator: Client;
let promptId: number;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_REPLY_DEBOUNCE_SECONDS: '5' } });
  operator = await world.operator('anna');
  await world.pool.query("update products set hand_over = true, hand_over_text = 'A colleague will write.'");
  const { rows } = await world.pool.query<{ id: string }>('update prompts set text = $1, live_text = $1 returning id', [
    CONTENTING_PROMPT,
  ]);
  promptId = Number(rows[0]?.id);
});
afterAll(() => world.close());

async function simulate(text: string, personaIds: readonly number[], repeats: number) {
  const started = await operator.call(startStudioRun, {
    body: { kind: 'simulation', prompt_id: promptId, text, persona_ids: [...personaIds], repeats, budget: 10 },
  });
  expect([started.status, started.body]).toMatchObject([201, {}]);
  const { id } = studioRun.parse(started.body);
  const read = async () => studioRun.parse((await operator.call(readStudioRun, { params: { id } })).body);
  await world.waitUntil(async () => (await read()).finished_at !== null, 'the run to end');
  const { body } = await operator.call(listStudioResults, { params: { id }, query: { limit: 100 } });
  const run = await read();
  if (run.verdict?.kind !== 'simulation') throw new Error(`${run.state}: ${run.reason}`);
  const { items } = listStudioResults.replies[200].parse(body);
  return { run, verdict: run.verdict, results: items.map((one) => studioResult.parse(one)) };
}

/** Tables that a run of the studio writes: its own, what models cost, and who started it. */
const OWN_TABLES = /^(?:studio_|llm_runs$|llm_spending$|audit$)/;

it('passes a good prompt, finds planted faults, and leaves every table alone that is not the studio’s', async () => {
  const chosen = PERSONAS.filter(({ name }) => ['Hurried parent', 'Wants a person', 'Price hunter'].includes(name));
  const ids = await insertPersonas(world.pool, world.productId, chosen);
  const before = await tableFingerprints(world.pool);
  const faults = FAULTS_TO_FIND.filter(([name]) =>
    ['wrong_currency', 'ignores_refusal', 'never_hands_over'].includes(name),
  );
  const [good, ...bad] = await Promise.all(
    [[null, ''] as const, ...faults].map(([fault]) =>
      simulate(fault === null ? CONTENTING_PROMPT : `${CONTENTING_PROMPT}\nFault: ${fault}`, ids, 1),
    ),
  );
  expect(good?.run).toMatchObject({ state: 'done', progress: { done: 6, failed: 0, total: 6 } });
  expect(good?.run.spent).toBeGreaterThan(0);
  expect(good?.verdict.personas.map(({ passes, findings }) => [passes, findings])).toEqual(
    chosen.map(() => [true, []]),
  );
  for (const [index, { verdict, results }] of bad.entries()) {
    const found = results.flatMap(({ candidate }) => candidate.flatMap(({ violations }) => violations));
    expect(found).toContainEqual(expect.objectContaining({ kind: faults[index]?.[1] }));
    // What is live has no fault, and the failing lead comes first, with its whole talk.
    expect(
      results.flatMap(({ live }) =>
        live.flatMap(({ violations, error }) => [...violations, ...(error === null ? [] : [error])]),
      ),
    ).toEqual([]);
    expect(results[0]).toMatchObject({ state: 'red', subject: { kind: 'persona' } });
    expect(results[0]?.history.map(({ side }) => side)).toEqual(expect.arrayContaining(['user', 'bot']));
    expect(verdict.personas.some(({ passes }) => !passes)).toBe(true);
  }
  const after = await tableFingerprints(world.pool);
  const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
  expect(changed.filter((table) => !OWN_TABLES.test(table))).toEqual([]);
  expect(await world.control.entriesOf('reached')).toEqual([]);
});

it('shows the talks of a persona that was deleted meanwhile, and refuses a product without personas', async () => {
  const [persona] = PERSONAS;
  const [id = 0] = await insertPersonas(world.pool, world.productId, persona ? [persona] : []);
  const { run } = await simulate(CONTENTING_PROMPT, [id], 1);
  await world.pool.query('delete from studio_personas');
  const { body } = await operator.call(readStudioRun, { params: { id: run.id } });
  expect(studioRun.parse(body).verdict).toEqual(run.verdict);
  const refused = await operator.call(startStudioRun, {
    body: { kind: 'simulation', prompt_id: promptId, budget: 1 },
  });
  expect([refused.status, refused.body]).toMatchObject([
    409,
    { detail: expect.stringMatching(/^There are no personas/) },
  ]);
});

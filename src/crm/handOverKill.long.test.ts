/**
 * Kills the server at every failpoint of a hand-over; the next instance finishes the work, and each hand-over has one
 * summary, one note and one task.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyHandOvers } from '../proofs/harness/handOverOracle.ts';
import { connectAmocrm, connectProduct, UNMAPPED } from '../testing/crm.ts';
import { handOver, putCard } from '../testing/handOvers.ts';
import { connectHooks, type ServerProcess, startServer } from '../testing/serverProcess.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';

const POINTS = [
  'summary.beforeModel',
  'summary.afterModel',
  'summary.beforeCommit',
  'summary.afterCommit',
  'crm.before.note',
  'crm.after.note',
  'crm.saving.note',
  'crm.before.task',
  'crm.after.task',
  'crm.saving.task',
];
const SETTINGS = { RAPPORT_CRM_CALL_SECONDS: '0.6', RAPPORT_LOG_LEVEL: 'error' };
let world: World;
let server: ServerProcess;

beforeAll(async () => {
  world = await createWorld({ serve: false });
  server = startServer(world, SETTINGS);
  await server.waitUntilReady();
});
afterAll(async () => {
  await server.kill();
  await world.close();
});

it('covers every failpoint', () => {
  const pointsIn = (file: string) =>
    [
      ...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(
        /failpoint\(['`]([\w.]+)(?:\$\{piece\})?['`]\)/g,
      ),
    ].map(([, name = '']) => name);
  const named = ['writeHandOver.ts', '../conversations/summarize.ts', '../conversations/summarizeHandOver.ts'].flatMap(
    pointsIn,
  );
  const points = named.flatMap((name) => (name.endsWith('.') ? [`${name}note`, `${name}task`] : [name]));
  expect(new Set(points)).toEqual(new Set(POINTS));
});

it('creates one note and one task for each hand-over when killed anywhere', { timeout: 300_000 }, async () => {
  await connectHooks(world);
  const operator = await world.operator();
  const integration = await connectAmocrm(world, operator);
  await connectProduct(world, operator, integration);
  await world.control.setFaults([{ kind: 'hooks.drop', match: { account: 'amocrm' } }]);
  const leads: TestLead[] = [];
  for (const point of POINTS) {
    const lead = await world.lead(point, { stage: 'ongoing' });
    await world.pool.query("update dialogues set owner = 'human' where contact_id = $1", [lead.contactId]);
    await lead.writes('How much is a kitchen?');
    await putCard(world, lead, { integration, status_id: UNMAPPED });
    leads.push(lead);
  }
  await world.drain();
  await server.kill();
  for (const [index, point] of POINTS.entries()) {
    const [lead] = leads.slice(index);
    if (lead) await handOver(world, lead);
    server = startServer(world, { ...SETTINGS, RAPPORT_FAILPOINT: point });
    expect(await server.waitForExit(), `${point} ${server.output()}`).toBe('SIGKILL');
  }
  server = startServer(world, SETTINGS);
  await server.waitUntilReady();
  await world.drain();
  expect(await verifyHandOvers(world)).toMatchObject({
    violations: [],
    'hand-overs': POINTS.length,
    notes: POINTS.length,
    tasks: POINTS.length,
    summaries: POINTS.length,
  });
});

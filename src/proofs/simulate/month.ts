/**
 * One simulated month on the real engine: a database, the emulators, server processes, and people who answer, refuse,
 * hand over and change settings, all by seeded chance. The clock moves from one due time to the next.
 */

import { loadRehearsalInput, runRehearsal } from '../../outreach/rehearsal.ts';
import type { Reader } from '../../platform/db.ts';
import { createLog } from '../../platform/log.ts';
import { openDb } from '../../platform/openDb.ts';
import { jumpTo, nextDue, waitForDueWork } from '../../sandbox/domainClock.ts';
import { connectHooks } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { createRandom } from '../harness/random.ts';
import { startNodes } from '../harness/world.ts';
import { Actors } from './actors.ts';
import { checkMonth, type Forecast } from './check.ts';
import { findMissingMessages } from './missingMessages.ts';
import { createSimulatedProduct } from './product.ts';
import { DAY, MINUTE, type Month, type PlannedEvent, type SimulatedServer, type Simulation } from './simulation.ts';

/** Shortest step of the clock: everything that falls due within it is processed together. */
const STEP_MS = MINUTE;

/** Simulate a month and check every message of it against the rules. */
export async function simulateMonth(month: Month, world: World, log: (line: string) => void) {
  const random = createRandom(month.seed * 7919 + 1);
  // Every third month is quiet: no lead answers and nothing is changed, so that the rehearsal can predict all of it.
  const quiet = month.seed % 3 === 0;
  const { pool, control } = world;
  // The product's own pool, which parses numbers and instants as the clock does.
  const db = openDb(world.databaseUrl, createLog('silent'), { max: 3 });
  const clock = { pool: db.pool };
  const now = async (): Promise<number> => {
    const { rows } = await pool.query<{ ms: number }>('select (extract(epoch from domain_now()) * 1000)::float8 as ms');
    return rows[0]?.ms ?? 0;
  };
  // Clocks change in North America on the second Sunday of March, in Europe on the last.
  const startAt = nextFifthOfMarch(await now());
  await jumpTo(clock, control, new Date(startAt).toISOString());
  const server = await startServers(world);
  await connectHooks(world);
  const upcoming: PlannedEvent[] = [];
  const product = await createSimulatedProduct(world, random, month.leads);
  const simulation: Simulation = {
    world,
    random,
    product,
    eras: [{ ...product.settings, from: 0, whole: 0 }],
    from: startAt,
    to: startAt + month.days * DAY,
    plan: (planned) => {
      const index = upcoming.findIndex((one) => one.at > planned.at);
      upcoming.splice(index === -1 ? upcoming.length : index, 0, planned);
    },
    now,
  };
  const actors = await Actors.create(simulation, month, { quiet, server });
  await waitForDueWork(clock, control, 8);
  const forecast = await createForecast(db.reader, product.id, simulation.to, month.days);
  const violations: string[] = [];
  let stops = 0;
  let checked = startAt;
  for (let last = 0; ; stops++) {
    const due = await nextDue(clock, new Date(simulation.to).toISOString());
    const event = upcoming[0]?.at ?? Number.POSITIVE_INFINITY;
    const next = Math.min(
      due === null ? simulation.to : Math.max(Date.parse(due), last + STEP_MS),
      event,
      simulation.to,
    );
    await jumpTo(clock, control, new Date(next).toISOString());
    last = next;
    for (let first = upcoming[0]; first && first.at <= next; first = upcoming[0]) {
      upcoming.shift();
      await first.run();
    }
    await waitForDueWork(clock, control, 8);
    await actors.reactToMessages();
    if (next - checked >= 7 * DAY) {
      checked = next;
      violations.push(...(await findMissingMessages(simulation, actors)));
      log(`    day ${Math.round((next - startAt) / DAY)}, ${stops} stops`);
    }
    if (next >= simulation.to) break;
  }
  violations.push(...(await findMissingMessages(simulation, actors)));
  const checkedMonth = await checkMonth(simulation, actors, forecast);
  await server.stop();
  await db.close();
  return { ...checkedMonth, stops, kills: server.kills, violations: [...violations, ...checkedMonth.violations] };
}

/** Return the next fifth of March, at midnight UTC. */
function nextFifthOfMarch(now: number): number {
  const year = new Date(now).getUTCFullYear();
  const at = (one: number) => Date.UTC(one, 2, 5);
  return at(year) > now ? at(year) : at(year + 1);
}

async function createForecast(reader: Reader, productId: number, until: number, days: number): Promise<Forecast> {
  const set = await loadRehearsalInput(reader, productId);
  if (!set) throw new Error('no product');
  return { from: set.from, until, rehearsal: runRehearsal(set, set.settings, days) };
}

/** Start a web process that keeps running, and a worker that may be killed. */
async function startServers(world: World): Promise<SimulatedServer> {
  const env = {
    // The clock triggers the sweeps; between its stops they process follow-up work.
    RAPPORT_SWEEP_SECONDS: '0.1',
    RAPPORT_REPLY_DEBOUNCE_SECONDS: '1',
    RAPPORT_LEASE_SECONDS: '1',
    RAPPORT_LOG_LEVEL: 'error',
  };
  const envs = ['web', 'worker'].map((role) => ({ ...env, RAPPORT_ROLES: role, RAPPORT_NODE_NAME: role }));
  const { nodes } = await startNodes(world, envs);
  let kills = 0;
  return {
    get kills() {
      return kills;
    },
    async kill() {
      kills++;
      await nodes[1]?.kill();
      await nodes[1]?.start();
    },
    async stop() {
      for (const node of nodes.toReversed()) await node.stop();
    },
  };
}

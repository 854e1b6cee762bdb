/**
 * One simulated month: people who answer, refuse, hand over and change settings, all by seeded chance, in memory or on
 * the engine with a database. The clock moves from one due time to the next.
 */
import { createRandom } from '../../sandbox/random.ts';
import { Actors } from './actors.ts';
import { checkMonth, findLastMinutes } from './check.ts';
import { MemoryWorld } from './memoryWorld.ts';
import { findMissingMessages } from './missingMessages.ts';
import { chooseProduct } from './product.ts';
import {
  DAY,
  HOUR,
  MINUTE,
  type Month,
  type PlannedEvent,
  type SimulatedWorld,
  type Simulation,
} from './simulation.ts';

/** Shortest step of the clock: everything that falls due within it is processed together. */
const STEP_MS = MINUTE;

/** Create what a month's seed determines before anything happens. */
export function beginMonth(month: Month) {
  const random = createRandom(month.seed * 7919 + 1);
  return { random, product: chooseProduct(random, month.leads), from: nextFifthOfMarch };
}

/** Simulate a month in memory. */
export function simulateInMemory(month: Month, log: (line: string) => void) {
  const { product, from } = beginMonth(month);
  return simulateMonth(month, new MemoryWorld(product, from(Date.now())), log);
}

/** Simulate a month and check every message of it against the rules. */
export async function simulateMonth(month: Month, world: SimulatedWorld, log: (line: string) => void) {
  const { random, product } = beginMonth(month);
  // The servers of a real world take a moment to start.
  const from = Math.floor((await world.now()) / HOUR) * HOUR;
  const upcoming: PlannedEvent[] = [];
  const simulation: Simulation = {
    ...product,
    world,
    random,
    eras: [{ ...product.settings, from: 0, whole: 0 }],
    from,
    to: from + month.days * DAY,
    plan: (planned) => {
      const index = upcoming.findLastIndex((one) => one.at <= planned.at);
      upcoming.splice(index + 1, 0, planned);
    },
  };
  const { to } = simulation;
  // Every third month is quiet: no lead answers and nothing is changed, so that the rehearsal can predict all of it.
  const actors = await Actors.create(simulation, month, { quiet: month.seed % 3 === 0 });
  await world.settle();
  const forecast = { ...(await world.rehearse(month.days)), until: to };
  const violations: string[] = [];
  let stops = 0;
  let checked = from;
  for (let last = 0; ; stops++) {
    const due = await world.nextDue(to);
    const next = Math.min(due === null ? to : Math.max(due, last + STEP_MS), upcoming[0]?.at ?? to, to);
    await world.jumpTo(next);
    last = next;
    for (let first = upcoming[0]; first && first.at <= next; first = upcoming[0]) {
      upcoming.shift();
      await first.run();
    }
    await world.settle();
    await actors.reactToMessages();
    if (next - checked >= 7 * DAY) {
      checked = next;
      violations.push(...(await findMissingMessages(simulation, actors)));
      log(`    day ${Math.round((next - from) / DAY)}, ${stops} stops`);
    }
    if (next >= to) break;
  }
  violations.push(...(await findMissingMessages(simulation, actors)));
  const rows = await world.rows();
  const { counts, violations: found } = await checkMonth(simulation, actors, { rows, forecast });
  return {
    counts: { ...counts, stops, kills: actors.kills },
    rows,
    lastMinutes: findLastMinutes(simulation, actors, rows),
    violations: [...violations, ...found, ...(await world.findLedgerDifferences())],
  };
}

/** Return the next fifth of March, at midnight UTC: clocks change in North America and in Europe that month. */
function nextFifthOfMarch(now: number): number {
  const year = new Date(now).getUTCFullYear();
  const at = (one: number) => Date.UTC(one, 2, 5);
  return at(year) > now ? at(year) : at(year + 1);
}

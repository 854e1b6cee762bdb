/**
 * One simulated month on the real engine: a database, the emulators, server processes, and people who answer, refuse,
 * hand over and change settings, all by seeded chance. The clock is moved from due instant to due instant.
 */

import { play, setStage } from '../outreach/rehearsal.ts';
import { openDb, type Reader } from '../platform/db.ts';
import { createLog } from '../platform/log.ts';
import { jumpTo, nextDue, settle } from '../sandbox/clock.ts';
import { type ServerProcess, startServer } from '../testing/process.ts';
import { freePort, type World } from '../testing/world.ts';
import { type Actors, actorsOf } from './actors.ts';
import { chanceOf } from './chance.ts';
import { check, type Foretold } from './check.ts';
import { missing } from './missing.ts';
import { makeProduct } from './product.ts';
import { DAY, type Happening, type Month, type Server, type Stage } from './stage.ts';

const MINUTE = 60_000;
/** Nothing is visited twice within this: what falls due meanwhile is served together. */
const STEP_MS = MINUTE;

export interface Result {
  readonly messages: number;
  readonly firsts: number;
  readonly pings: number;
  readonly replies: number;
  readonly expired: number;
  readonly stops: number;
  readonly kills: number;
  /** Messages held against the rehearsal of the first day. */
  readonly foretold: number;
  readonly violations: readonly string[];
}

/** Lives a month through and holds every message of it against the rules. */
export async function liveMonth(month: Month, world: World, say: (line: string) => void): Promise<Result> {
  const chance = chanceOf(month.seed * 7919 + 1);
  // Every third month is quiet: nobody answers and nothing is changed, so that the whole of it can be foretold.
  const quiet = month.seed % 3 === 0;
  const { pool, control } = world;
  // The product's own pool: it reads numbers and instants as the clock does.
  const db = openDb(world.databaseUrl, createLog('silent'), { max: 3 });
  const clock = { pool: db.pool };
  const now = async (): Promise<number> => {
    const { rows } = await pool.query<{ ms: number }>('select (extract(epoch from domain_now()) * 1000)::float8 as ms');
    return rows[0]?.ms ?? 0;
  };
  // Clocks change in North America on the second Sunday of March, in Europe on the last.
  const begin = beginning(await now());
  await jumpTo(clock, control, new Date(begin).toISOString());
  const server = serverOf(world);
  await server.start();
  const coming: Happening[] = [];
  const product = await makeProduct(world, chance, month.leads);
  const stage: Stage = {
    world,
    chance,
    product,
    eras: [{ ...product.settings, from: 0, whole: 0 }],
    from: begin,
    to: begin + month.days * DAY,
    plan: (happening) => {
      const index = coming.findIndex((one) => one.at > happening.at);
      coming.splice(index === -1 ? coming.length : index, 0, happening);
    },
    now,
  };
  const actors: Actors = await actorsOf(stage, month, quiet, server);
  await settle(clock, control, 8);
  const foretold = await foretell(db.reader, product.id, stage.to, month.days);
  const violations: string[] = [];
  let stops = 0;
  let checked = begin;
  for (let last = 0; ; stops++) {
    const due = await nextDue(clock, new Date(stage.to).toISOString());
    const event = coming[0]?.at ?? Number.POSITIVE_INFINITY;
    const next = Math.min(due === null ? stage.to : Math.max(Date.parse(due), last + STEP_MS), event, stage.to);
    await jumpTo(clock, control, new Date(next).toISOString());
    last = next;
    for (let first = coming[0]; first && first.at <= next; first = coming[0]) {
      coming.shift();
      await first.run();
    }
    await settle(clock, control, 8);
    await actors.notice();
    if (next - checked >= 7 * DAY) {
      checked = next;
      violations.push(...(await missing(stage, actors)));
      say(`    day ${Math.round((next - begin) / DAY)}, ${stops} stops`);
    }
    if (next >= stage.to) break;
  }
  violations.push(...(await missing(stage, actors)));
  const checkedMonth = await check(stage, actors, foretold);
  await server.stop();
  await db.close();
  return { ...checkedMonth, stops, kills: server.kills, violations: [...violations, ...checkedMonth.violations] };
}

/** The next fifth of March, at midnight UTC. */
function beginning(now: number): number {
  const year = new Date(now).getUTCFullYear();
  const at = (one: number) => Date.UTC(one, 2, 5);
  return at(year) > now ? at(year) : at(year + 1);
}

async function foretell(reader: Reader, productId: number, until: number, days: number): Promise<Foretold> {
  const set = await setStage(reader, productId);
  if (!set) throw new Error('no product');
  return { from: set.from, until, rehearsal: play(set, set.settings, days) };
}

/** A web process that stays, and a worker that may be killed. */
function serverOf(world: World): Server {
  let web: ServerProcess | null = null;
  let worker: ServerProcess | null = null;
  let kills = 0;
  const quick = {
    // The clock calls the sweeps; between its stops they serve what follows from one another.
    RAPPORT_SWEEP_SECONDS: '0.1',
    RAPPORT_REPLY_DEBOUNCE_SECONDS: '1',
    RAPPORT_LEASE_SECONDS: '1',
    RAPPORT_LOG_LEVEL: 'error',
  };
  const startWorker = async () => {
    const port = String(await freePort());
    worker = startServer(world, {
      ...quick,
      RAPPORT_ROLES: 'worker',
      RAPPORT_NODE_NAME: 'worker',
      PORT: port,
      RAPPORT_PUBLIC_URL: world.url,
    });
    await worker.ready(60_000);
  };
  return {
    get kills() {
      return kills;
    },
    async start() {
      web = startServer(world, { ...quick, RAPPORT_ROLES: 'web', RAPPORT_NODE_NAME: 'web' });
      await web.ready(60_000);
      await startWorker();
    },
    async kill() {
      kills++;
      await worker?.kill();
      await startWorker();
    },
    async stop() {
      await worker?.stop();
      await web?.stop();
    },
  };
}

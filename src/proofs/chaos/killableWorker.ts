/** A worker process that is killed repeatedly, at named points of its work or at any moment. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../sandbox/random.ts';
import { type ServerProcess, startServer } from '../../testing/serverProcess.ts';
import { freePort, type World } from '../../testing/world.ts';
import { READY_MS } from '../harness/world.ts';
import { clockSkewEnv } from './clockSkew.ts';

/** Points that a first message passes, from its text to its outcome. */
export const FIRST_MESSAGE_POINTS = [
  'first.afterText',
  'first.beforeCommit',
  'first.afterClaim',
  'send.afterClaim',
  'send.beforeVendor',
  'send.afterVendorAnswer',
  'send.beforeSettleCommit',
  'send.afterSettle',
  'db.beforeCommit',
  'db.afterCommit',
];

/** Remaining kills, shared by the workers of a scenario. */
export interface KillPlan {
  readonly random: Random;
  /** Named points at which an instance may be killed. */
  readonly points: readonly string[];
  /** How often an instance may pass its point; it spreads the kills over the whole scenario. */
  readonly span: number;
  remaining: number;
  kills: number;
}

export interface KillableWorker {
  /** Send SIGKILL now; the next instance follows. */
  strike(): Promise<void>;
  /** Send SIGKILL and start no further instance. */
  end(): Promise<void>;
}

interface WorkerOptions {
  readonly name: string;
  /** Minutes by which its machine's clock is wrong. */
  readonly skewMinutes: number;
  readonly killPlan: KillPlan;
  readonly env?: Record<string, string>;
}

/** Start a worker, and start it again after each kill; the instance after the last planned kill keeps running. */
export async function startKillableWorker(world: World, options: WorkerOptions): Promise<KillableWorker> {
  const { name, killPlan } = options;
  let ended = false;
  let { server, isToBeKilled } = await startInstance(world, options);
  const restarts = (async () => {
    for (;;) {
      const end = await server.waitForExit(3_600_000);
      if (ended) return;
      if (end === 'SIGKILL') killPlan.kills++;
      else if (!hasLostPort(server)) throw new Error(`Worker ${name} ended by itself:\n${server.output()}`);
      else if (isToBeKilled) killPlan.remaining++;
      ({ server, isToBeKilled } = await startInstance(world, options));
      // `end` was called while this instance started.
      if (ended) await server.kill();
    }
  })();
  return {
    strike: () => server.kill(),
    async end() {
      ended = true;
      await server.kill();
      await restarts;
    },
  };
}

/** Whether another process has taken the instance's port, which was free a moment before. */
const hasLostPort = (server: ServerProcess): boolean => /^Port \d+ is in use/m.test(server.output());

async function startInstance(
  world: World,
  { name, skewMinutes, killPlan, env }: WorkerOptions,
): Promise<{ server: ServerProcess; isToBeKilled: boolean }> {
  const kill = killPlan.remaining > 0 ? nextKill(killPlan) : {};
  if (kill.afterMs !== undefined) killPlan.remaining--;
  const server = startServer(world, {
    RAPPORT_ROLES: 'worker',
    RAPPORT_NODE_NAME: name,
    RAPPORT_PUBLIC_URL: world.url,
    RAPPORT_LOG_LEVEL: 'error',
    // Several start at once, on a machine that may be busy.
    RAPPORT_DATABASE_WAIT_SECONDS: '30',
    ...env,
    PORT: String(await freePort()),
    ...(kill.point === undefined ? {} : { RAPPORT_FAILPOINT: kill.point }),
    ...clockSkewEnv(skewMinutes),
  });
  // An instance may pass its named point, and be killed, before the server is ready; that counts too.
  await server.waitUntilReady(READY_MS).catch((error: unknown) => {
    if (server.child.signalCode !== 'SIGKILL' && !hasLostPort(server)) throw error;
  });
  if (kill.afterMs !== undefined) void pause(kill.afterMs, undefined, { ref: false }).then(() => server.kill());
  return { server, isToBeKilled: kill.afterMs !== undefined };
}

/**
 * Choose how an instance ends: at the n-th pass of a point, or after some milliseconds. The time applies to points too,
 * so that an instance also ends if other workers do the work and it never reaches its point.
 */
function nextKill({ random, span, points }: KillPlan): { point?: string; afterMs?: number } {
  if (random.chance(0.3)) return { afterMs: random.integer(0, span * 300) };
  const point = random.pick(points);
  // Everything that a worker does passes commits.
  const passes = point.startsWith('db.') ? random.integer(5, 8 * span) : random.integer(1, span);
  return { point: `${point}:${passes}`, afterMs: span * 1000 };
}

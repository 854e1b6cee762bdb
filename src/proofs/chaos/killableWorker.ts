/** A worker process that dies again and again, at named points of its work or in the middle of anything. */
import { setTimeout as pause } from 'node:timers/promises';
import { type ServerProcess, startServer } from '../../testing/serverProcess.ts';
import { freePort, type World } from '../../testing/world.ts';
import type { Random } from '../simulate/random.ts';
import { type ClockSkewMethod, clockSkewEnv } from './clockSkew.ts';

/** Points that a first message passes, from its text to what becomes of it. */
const POINTS = [
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

/** Deaths that are still to be died, shared by the workers of a storm. */
export interface KillPlan {
  readonly random: Random;
  /** First messages that a worker may live to see: so that deaths are spread over the whole storm. */
  readonly span: number;
  readonly skewMethod: ClockSkewMethod;
  remaining: number;
  kills: number;
}

export interface KillableWorker {
  /** SIGKILL now; the next life follows. */
  strike(): Promise<void>;
  /** SIGKILL, and no further life. */
  end(): Promise<void>;
}

/**
 * Starts a worker under a name and gives it life after life while there are deaths left; the life after the last one
 * stays. `skewMinutes`: by how much the clock of its machine is wrong.
 */
export async function startKillableWorker(
  world: World,
  name: string,
  skewMinutes: number,
  killPlan: KillPlan,
): Promise<KillableWorker> {
  let ended = false;
  let server = await startWorker();
  let restarts = restartUntilEnded();

  async function startWorker(): Promise<ServerProcess> {
    const kill = killPlan.remaining > 0 ? nextKill(killPlan) : null;
    if (kill !== null) killPlan.remaining--;
    const port = String(await freePort());
    const one = startServer(world, {
      RAPPORT_ROLES: 'worker',
      RAPPORT_NODE_NAME: name,
      RAPPORT_PUBLIC_URL: world.url,
      RAPPORT_LOG_LEVEL: 'error',
      PORT: port,
      ...(kill?.point === undefined ? {} : { RAPPORT_FAILPOINT: kill.point }),
      ...clockSkewEnv(skewMinutes, killPlan.skewMethod),
    });
    // A named point may be passed before the server is ready: then it has died early, and that counts too.
    await one.waitUntilReady(60_000).catch((error: unknown) => {
      if (one.child.signalCode !== 'SIGKILL') throw error;
    });
    if (kill?.afterMs !== undefined) void pause(kill.afterMs, undefined, { ref: false }).then(() => one.kill());
    return one;
  }

  async function restartUntilEnded(): Promise<void> {
    for (;;) {
      const end = await server.waitForExit(3_600_000);
      if (ended) return;
      if (end !== 'SIGKILL') throw new Error(`Worker ${name} ended by itself:\n${server.output()}`);
      killPlan.kills++;
      server = await startWorker();
      // The end came while this life began.
      if (ended) await server.kill();
    }
  }

  return {
    strike: () => server.kill(),
    async end() {
      ended = true;
      await server.kill();
      await restarts;
    },
  };
}

/**
 * How a life is to end: at the n-th pass of a point, or after so many milliseconds, whatever it is doing. A point that it
 * does not come to, because others do the work, does not keep it alive.
 */
function nextKill({ random, span }: KillPlan): { point?: string; afterMs?: number } {
  if (random.chance(0.3)) return { afterMs: random.integer(0, span * 300) };
  const point = random.pick(POINTS);
  // Commits are passed by everything that a worker does.
  const passes = point.startsWith('db.') ? random.integer(5, 8 * span) : random.integer(1, span);
  return { point: `${point}:${passes}`, afterMs: span * 1000 };
}

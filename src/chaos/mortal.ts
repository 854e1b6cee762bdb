/** A worker process that dies again and again, at named points of its work or in the middle of anything. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../simulate/chance.ts';
import { type ServerProcess, startServer } from '../testing/process.ts';
import { freePort, type World } from '../testing/world.ts';
import { type ClockBender, wrongClock } from './wrongClock.ts';

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
export interface Fate {
  readonly chance: Chance;
  /** First messages that a worker may live to see: so that deaths are spread over the whole storm. */
  readonly span: number;
  readonly bender: ClockBender;
  left: number;
  kills: number;
}

export interface Mortal {
  /** SIGKILL now; the next life follows. */
  strike(): Promise<void>;
  /** SIGKILL, and no further life. */
  end(): Promise<void>;
}

/**
 * Starts a worker under a name and gives it life after life while there are deaths left; the life after the last one
 * stays. `skewMinutes`: by how much the clock of its machine is wrong.
 */
export async function startMortal(world: World, name: string, skewMinutes: number, fate: Fate): Promise<Mortal> {
  let ended = false;
  let server = await live();
  let lives = outlive();

  async function live(): Promise<ServerProcess> {
    const doom = fate.left > 0 ? doomOf(fate) : null;
    if (doom !== null) fate.left--;
    const port = String(await freePort());
    const one = startServer(world, {
      RAPPORT_ROLES: 'worker',
      RAPPORT_NODE_NAME: name,
      RAPPORT_PUBLIC_URL: world.url,
      RAPPORT_LOG_LEVEL: 'error',
      PORT: port,
      ...(doom?.point === undefined ? {} : { RAPPORT_FAILPOINT: doom.point }),
      ...wrongClock(skewMinutes, fate.bender),
    });
    // A named point may be passed before the server is ready: then it has died early, and that counts too.
    await one.ready(60_000).catch((error: unknown) => {
      if (one.child.signalCode !== 'SIGKILL') throw error;
    });
    if (doom?.afterMs !== undefined) void pause(doom.afterMs, undefined, { ref: false }).then(() => one.kill());
    return one;
  }

  async function outlive(): Promise<void> {
    for (;;) {
      const end = await server.ended(3_600_000);
      if (ended) return;
      if (end !== 'SIGKILL') throw new Error(`Worker ${name} ended by itself:\n${server.output()}`);
      fate.kills++;
      server = await live();
      // The end came while this life began.
      if (ended) await server.kill();
    }
  }

  return {
    strike: () => server.kill(),
    async end() {
      ended = true;
      await server.kill();
      await lives;
    },
  };
}

/**
 * How a life is to end: at the n-th pass of a point, or after so many milliseconds, whatever it is doing. A point that it
 * does not come to, because others do the work, does not keep it alive.
 */
function doomOf({ chance, span }: Fate): { point?: string; afterMs?: number } {
  if (chance.is(0.3)) return { afterMs: chance.between(0, span * 300) };
  const point = chance.of(POINTS);
  // Commits are passed by everything that a worker does.
  const passes = point.startsWith('db.') ? chance.between(5, 8 * span) : chance.between(1, span);
  return { point: `${point}:${passes}`, afterMs: span * 1000 };
}

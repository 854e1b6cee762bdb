/**
 * All processes of a scenario: two to four nodes with different roles and clocks, the vendors' emulators, PostgreSQL.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Postgres } from '../../platform/postgres/supervisor.ts';
import { isAlive, lockDirectory, readHolder } from '../../sandbox/emulators/directoryLock.ts';
import { ensureEmulators } from '../../sandbox/emulators/ensure.ts';
import { freePort, type World } from '../../testing/world.ts';
import type { Random } from '../simulate/random.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type ClockSkewMethod, clockSkewEnv } from './clockSkew.ts';
import { type ServerNode, serverNode } from './serverNode.ts';

/** Roles of each node, and the minutes by which its clock is wrong. The first two always run. */
const NODES = [
  { name: 'first', roles: 'web,worker', minutes: 0 },
  { name: 'second', roles: 'web,worker', minutes: 7 },
  { name: 'web', roles: 'web', minutes: -5 },
  { name: 'worker', roles: 'worker', minutes: 12 },
] as const;
const ALWAYS = 2;

export type Strike = 'kill' | 'restart';

export interface Counts {
  /** Number of SIGKILLs by process. */
  readonly kills: Record<string, number>;
  /** PostgreSQL's restarts by mode. */
  readonly restarts: Record<string, number>;
  /** Nodes that stopped on SIGTERM and came back later. */
  stopped: number;
  slowestStopMs: number;
}

export interface Fleet {
  readonly counts: Counts;
  /** Strike once; resolves when the target is up again. */
  strike(kind: Strike, random: Random): Promise<void>;
  /** Stop or start one of the two optional nodes. */
  toggleNode(random: Random): Promise<void>;
  /** Start every node. */
  startAllNodes(): Promise<void>;
  /** Make all vendors and models unreachable until the work is done. */
  withoutVendors(work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function startFleet(
  world: World,
  postgres: Postgres,
  folder: string,
  skewMethod: ClockSkewMethod,
): Promise<Fleet> {
  const ports = await Promise.all(NODES.map(() => freePort()));
  const stoppedNodes = new Set<number>();
  const nodes = NODES.map(({ name, roles, minutes }, index): ServerNode => {
    const own = { RAPPORT_NODE_NAME: name, RAPPORT_ROLES: roles, RAPPORT_PUBLIC_URL: world.url };
    const env = { ...world.env(own), ...clockSkewEnv(minutes, skewMethod) };
    return serverNode(ports[index] ?? 0, env, join(folder, `${name}.log`));
  });
  const webs = ports.filter((_, index) => NODES[index]?.roles.includes('web'));
  const balancer: Balancer = await startBalancer(world.port, webs);
  const counts: Counts = { kills: {}, restarts: {}, stopped: 0, slowestStopMs: 0 };
  const count = (of: Record<string, number>, name: string) => {
    of[name] = (of[name] ?? 0) + 1;
  };

  async function killEmulators(): Promise<void> {
    const holder = readHolder(world.emulatorDir);
    if (holder === null || !isAlive(holder.pid)) return;
    process.kill(holder.pid, 'SIGKILL');
    count(counts.kills, 'emulators');
    await waitForVendors(holder.pid);
  }

  async function waitForVendors(former: number): Promise<void> {
    for (const end = performance.now() + 60_000; performance.now() < end; await pause(25)) {
      const ping = await world.control.ping().catch(() => null);
      if (ping !== null && ping.pid !== former) return;
    }
    throw new Error("The vendors' emulators do not come back");
  }

  async function killNode(random: Random): Promise<void> {
    const here = nodes.map((_, index) => index).filter((index) => !stoppedNodes.has(index));
    const index = random.pick(here);
    const node = nodes[index];
    if (!node) return;
    await node.kill();
    count(counts.kills, NODES[index]?.name ?? '');
    await pause(random.integer(0, 600));
    await node.start();
  }

  async function strike(kind: Strike, random: Random): Promise<void> {
    if (kind === 'kill') return random.chance(0.15) ? killEmulators() : killNode(random);
    const how = random.pick(['fast', 'immediate', 'immediate', 'kill'] as const);
    count(counts.restarts, how);
    await postgres.restart(how);
  }

  return {
    counts,
    strike,
    async toggleNode(random) {
      const index = random.integer(ALWAYS, NODES.length - 1);
      const node = nodes[index];
      if (!node) return;
      if (stoppedNodes.delete(index)) return node.start();
      stoppedNodes.add(index);
      counts.stopped++;
      counts.slowestStopMs = Math.max(counts.slowestStopMs, await node.stop());
    },
    async startAllNodes() {
      stoppedNodes.clear();
      await Promise.all(nodes.map((node) => node.start()));
    },
    async withoutVendors(work) {
      const lock = await keepVendorsDown(world.emulatorDir);
      try {
        await work();
      } finally {
        lock.release();
        const handle = await ensureEmulators({ dir: world.emulatorDir, log: () => undefined });
        await handle.release();
        await waitForVendors(0);
      }
    },
    async close() {
      await Promise.all(nodes.map((node) => node.kill()));
      await balancer.close();
    },
  };
}

/** Kill the emulators and take over their folder, so that no process can restart them. */
async function keepVendorsDown(dir: string): Promise<{ release: () => void }> {
  for (let tries = 0; tries < 500; tries++) {
    const holder = readHolder(dir);
    if (holder !== null && holder.pid !== process.pid && isAlive(holder.pid)) process.kill(holder.pid, 'SIGKILL');
    try {
      return lockDirectory(dir);
    } catch {
      // Another process has restarted them in between.
      await pause(10);
    }
  }
  throw new Error('The emulators cannot be held down');
}

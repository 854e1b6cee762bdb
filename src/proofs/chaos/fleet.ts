/**
 * All processes of the messages scenario: two to four nodes with different roles and clocks, the vendors' emulators,
 * PostgreSQL.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { lockDataDir } from '../../platform/postgres/lock.ts';
import { isAlive } from '../../platform/postgres/postmaster.ts';
import { ensureEmulators } from '../../sandbox/emulators/ensure.ts';
import { readHolder } from '../../sandbox/emulators/holder.ts';
import type { Random } from '../../sandbox/random.ts';
import type { World } from '../../testing/world.ts';
import { type Cluster, type Nodes, startNodes } from '../harness/world.ts';
import { clockSkewEnv } from './clockSkew.ts';

/** Roles of each node, and the minutes by which its clock is wrong. The first two always run. */
const NODES = [
  { name: 'first', roles: 'web,worker', minutes: 0 },
  { name: 'second', roles: 'web,worker', minutes: 7 },
  { name: 'web', roles: 'web', minutes: -5 },
  { name: 'worker', roles: 'worker', minutes: 12 },
] as const;
const ALWAYS = 2;

export type Strike = 'kill' | 'restart';

const increment = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

export class Fleet {
  /** Number of SIGKILLs by process, and PostgreSQL's restarts by mode. */
  readonly kills: Record<string, number> = {};
  readonly restarts: Record<string, number> = {};
  /** Nodes that stopped on SIGTERM and came back later. */
  stopped = 0;
  slowestStopMs = 0;
  readonly #stoppedNodes = new Set<number>();
  readonly #world: World;
  readonly #cluster: Cluster;
  readonly #nodes: Nodes;

  private constructor(world: World, cluster: Cluster, nodes: Nodes) {
    this.#world = world;
    this.#cluster = cluster;
    this.#nodes = nodes;
  }

  static async start(world: World, cluster: Cluster): Promise<Fleet> {
    const envs = NODES.map(({ name, roles, minutes }) => ({
      RAPPORT_NODE_NAME: name,
      RAPPORT_ROLES: roles,
      ...clockSkewEnv(minutes),
    }));
    return new Fleet(world, cluster, await startNodes(world, envs));
  }

  /** Strike once; resolves when the target is up again. */
  async strike(kind: Strike, random: Random): Promise<void> {
    if (kind === 'kill') return random.chance(0.15) ? this.#killEmulators() : this.#killNode(random);
    const how = random.pick(['fast', 'immediate', 'immediate', 'kill'] as const);
    increment(this.restarts, how);
    await this.#cluster.postgres.restart(how);
  }

  /** Stop or start one of the two optional nodes. */
  async toggleNode(random: Random): Promise<void> {
    const index = random.integer(ALWAYS, NODES.length - 1);
    const node = this.#nodes.nodes[index];
    if (!node) return;
    if (this.#stoppedNodes.delete(index)) return node.start();
    this.#stoppedNodes.add(index);
    this.stopped++;
    this.slowestStopMs = Math.max(this.slowestStopMs, await node.stop());
  }

  async startAllNodes(): Promise<void> {
    this.#stoppedNodes.clear();
    await Promise.all(this.#nodes.nodes.map((node) => node.start()));
  }

  /** Make all vendors and models unreachable until the work is done. */
  async withoutVendors(work: () => Promise<void>): Promise<void> {
    const dir = this.#world.emulatorDir;
    const lock = await keepVendorsDown(dir);
    try {
      await work();
    } finally {
      lock.release();
      const handle = await ensureEmulators({ dir, log: () => undefined });
      await handle.release();
      await this.#waitForVendors(0);
    }
  }

  get nodes(): Nodes['nodes'] {
    return this.#nodes.nodes;
  }

  close(): Promise<void> {
    return this.#nodes.close();
  }

  async #killNode(random: Random): Promise<void> {
    const running = NODES.map((_, index) => index).filter((index) => !this.#stoppedNodes.has(index));
    const index = random.pick(running);
    const node = this.#nodes.nodes[index];
    await node?.kill();
    increment(this.kills, NODES[index]?.name ?? '');
    await pause(random.integer(0, 600));
    await node?.start();
  }

  async #killEmulators(): Promise<void> {
    const holder = readHolder(this.#world.emulatorDir);
    if (holder === null || !isAlive(holder.pid)) return;
    process.kill(holder.pid, 'SIGKILL');
    increment(this.kills, 'emulators');
    await this.#waitForVendors(holder.pid);
  }

  async #waitForVendors(former: number): Promise<void> {
    const isBack = async (): Promise<boolean> => {
      const ping = await this.#world.control.ping().catch(() => null);
      return ping !== null && ping.pid !== former;
    };
    await this.#world.waitUntil(isBack, "the vendors' emulators come back", 60_000);
  }
}

/** Kill the emulators and take over their folder, so that no process can restart them. */
async function keepVendorsDown(dir: string): Promise<{ release: () => void }> {
  for (let tries = 0; tries < 500; tries++) {
    const holder = readHolder(dir);
    if (holder !== null && holder.pid !== process.pid && isAlive(holder.pid)) process.kill(holder.pid, 'SIGKILL');
    try {
      return await lockDataDir(dir);
    } catch {
      // Another process has restarted them in between.
      await pause(10);
    }
  }
  throw new Error('The emulators cannot be kept down');
}

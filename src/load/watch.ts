/** What is watched while the load is on: how much waits in each queue, and what the nodes take of memory. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerProcess } from '../testing/process.ts';
import type { World } from '../testing/world.ts';

interface Depth {
  readonly seconds: number;
  readonly inbox: number;
  readonly turns: number;
  readonly outbox: number;
  readonly jobs: number;
}

export interface Watched {
  readonly depths: readonly Depth[];
  /** Bytes, the largest of one node. */
  readonly rss: number;
}

export interface Watch {
  stop(): Promise<Watched>;
}

const WAITING = `
  select (select count(*)::int from inbox where state = 'new') as inbox,
         (select count(*)::int from dialogues where turn_due_at is not null) as turns,
         (select count(*)::int from messages where status in ('scheduled', 'sending')) as outbox,
         (select count(*)::int from graphile_worker._private_jobs) as jobs`;

/** Looks every so many seconds, from now on. */
export function watchDepth({ pool }: World, nodes: readonly ServerProcess[], everySeconds: number): Watch {
  const begun = performance.now();
  const depths: Depth[] = [];
  let rss = 0;
  let isOver = false;

  async function look(): Promise<void> {
    const { rows } = await pool.query<Omit<Depth, 'seconds'>>(WAITING);
    if (rows[0]) depths.push({ seconds: Math.round((performance.now() - begun) / 1000), ...rows[0] });
    for (const { child } of nodes) rss = Math.max(rss, residentBytes(child.pid));
  }

  const looking = (async () => {
    for (let number = 0; !isOver; number++) {
      await look().catch(() => undefined);
      const next = begun + (number + 1) * everySeconds * 1000;
      while (!isOver && performance.now() < next) await pause(50);
    }
    await look();
  })();
  return {
    async stop() {
      isOver = true;
      await looking;
      return { depths, rss };
    },
  };
}

/** What a process holds in memory; 0 where the system does not tell. */
function residentBytes(pid: number | undefined): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** At most twelve lines of the depths, the first and last among them. */
export function depthTable({ depths }: Watched): string {
  const step = Math.max(1, Math.ceil(depths.length / 11));
  const shown = depths.filter((_, index) => index % step === 0 || index === depths.length - 1);
  const rows = shown.map((one) => `| ${one.seconds} s | ${one.inbox} | ${one.turns} | ${one.outbox} | ${one.jobs} |`);
  return `| after | hooks not taken in | turns open | messages to send | jobs |\n|---|---|---|---|---|\n${rows.join('\n')}`;
}

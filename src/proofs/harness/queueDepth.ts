/** Metrics during the load: the depth of each queue, and the memory of the nodes. */
import { setTimeout as pause } from 'node:timers/promises';
import type { World } from '../../testing/world.ts';
import { memoryMb } from './processes.ts';
import { table } from './report.ts';
import type { ServerNode } from './world.ts';

interface QueueDepth {
  readonly seconds: number;
  readonly inbox: number;
  readonly turns: number;
  readonly outbox: number;
  readonly jobs: number;
}

export interface LoadMetrics {
  readonly depths: readonly QueueDepth[];
  /** Resident megabytes of the largest node, at most. */
  readonly memoryMb: number;
}

export interface MetricsSampler {
  stop(): Promise<LoadMetrics>;
}

const DEPTH_QUERY = `
  select (select count(*)::int from inbox where state = 'new') as inbox,
         (select count(*)::int from dialogues where turn_due_at is not null) as turns,
         (select count(*)::int from messages where status in ('scheduled', 'sending')) as outbox,
         (select count(*)::int from graphile_worker._private_jobs) as jobs`;

/** Sample at this interval in seconds, from now on. */
export function sampleQueueDepth({ pool }: World, nodes: readonly ServerNode[], everySeconds: number): MetricsSampler {
  const startedAt = performance.now();
  const depths: QueueDepth[] = [];
  let most = 0;
  let isOver = false;

  async function sample(): Promise<void> {
    const { rows } = await pool.query<Omit<QueueDepth, 'seconds'>>(DEPTH_QUERY);
    if (rows[0]) depths.push({ seconds: Math.round((performance.now() - startedAt) / 1000), ...rows[0] });
    for (const node of nodes) most = Math.max(most, memoryMb(node.pid())?.now ?? 0);
  }

  const sampling = (async () => {
    for (let number = 0; !isOver; number++) {
      await sample().catch(() => undefined);
      const next = startedAt + (number + 1) * everySeconds * 1000;
      while (!isOver && performance.now() < next) await pause(50);
    }
    await sample();
  })();
  return {
    async stop() {
      isOver = true;
      await sampling;
      return { depths, memoryMb: most };
    },
  };
}

/** Render at most twelve lines of the depths, the first and last among them. */
export function depthTable({ depths }: LoadMetrics): string {
  const step = Math.max(1, Math.ceil(depths.length / 11));
  const selected = depths.filter((_, index) => index % step === 0 || index === depths.length - 1);
  return table(
    ['after', 'unprocessed hooks', 'open turns', 'messages to send', 'jobs'],
    selected.map((one) => [`${one.seconds} s`, one.inbox, one.turns, one.outbox, one.jobs]),
  );
}

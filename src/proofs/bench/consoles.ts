/**
 * Five hundred consoles that listen to one product while its messages change: ours against a bare relay. `--consoles N
 * --rounds N --seconds S`. Throws if a console misses an event.
 */
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { LIVE_CHANNEL } from '../../platform/notifications.ts';
import { startServer } from '../../testing/serverProcess.ts';
import type { World } from '../../testing/world.ts';
import { definePart } from '../harness/command.ts';
import { openLiveStream } from '../harness/liveStream.ts';
import { interleave, median, percentile } from '../harness/load.ts';
import { cpuMs } from '../harness/processes.ts';
import { format, formatCount, formatRatio, table } from '../harness/report.ts';
import { withWorld } from '../harness/world.ts';
import { startBaseline } from './environment.ts';

/** Changed messages per second: the busiest minute of a team of this size. */
const PER_SECOND = 20;
/** Maximum ratio of the slowest hundredth's latency to that of the relay. */
const LATENCY_RATIO = 3;
const EVENT = /"type":"message","message":\{"id":(\d+)/;

interface Target {
  readonly url: string;
  readonly cookie: string;
  readonly pid: number | undefined;
}

interface Latency {
  /** Milliseconds from the notification until a console receives it, over all consoles. */
  readonly p50: number;
  readonly p99: number;
  /** CPU of the process per event and console, in microseconds; NaN where the system does not report it. */
  readonly cpuUs: number;
}

export const consoles = definePart({
  heading: 'Five hundred consoles',
  options: { consoles: [500, 50], rounds: [3, 1], seconds: [10, 2] },
  run: ({ consoles: count, rounds, seconds }) =>
    withWorld({ production: true, env: { RAPPORT_ROLES: 'web' } }, async (world, cluster) => {
      const server = startServer(world);
      const bare = await startBaseline(cluster.url);
      try {
        await server.waitUntilReady();
        const ids = await insertMessages(world, PER_SECOND * seconds);
        const { cookie } = await world.operator();
        const path = `/v1/live?product_id=${world.productId}`;
        const targets: readonly Target[] = [
          { url: `${world.url}${path}`, cookie, pid: server.child.pid },
          { url: `${bare.url}${path}`, cookie: '', pid: bare.child.pid },
        ];
        const results = await interleave(targets, { rounds }, (target) => publishTo(target, { world, ids, count }));
        const [ours, theirs] = results.map((all) => ({
          p50: median(all.map((one) => one.p50)),
          p99: median(all.map((one) => one.p99)),
          cpuUs: median(all.map((one) => one.cpuUs)),
        }));
        if (!ours || !theirs) throw new Error('Nothing was measured');
        const row = (name: string, unit: string, key: keyof Latency): string[] => [
          name,
          format(ours[key], unit),
          format(theirs[key], unit),
          formatRatio(ours[key], theirs[key]),
        ];
        return {
          text: `${count} consoles listen to one product while ${PER_SECOND} messages a second change for ${seconds} s: ${formatCount(count * PER_SECOND)} events a second, every one of which arrived. The bare relay listens to the same notifications, reads the row by its id and sends it to everybody; it batches nothing, where ours waits 40 ms for what comes together. Target: the slowest hundredth within ${LATENCY_RATIO} times the relay's.

${table(
  ['', 'ours', 'bare', 'ours to bare'],
  [
    row('notification → console, median', 'ms', 'p50'),
    row('notification → console, slowest hundredth', 'ms', 'p99'),
    row('CPU of the process for each event and console', 'µs', 'cpuUs'),
  ],
)}`,
          violations:
            ours.p99 / theirs.p99 > LATENCY_RATIO
              ? [
                  `consoles receive a message after ${format(ours.p99, 'ms')}, a bare relay's after ${format(theirs.p99, 'ms')}`,
                ]
              : [],
        };
      } finally {
        await server.stop();
        bare.child.kill();
      }
    }),
});

async function insertMessages(world: World, count: number): Promise<number[]> {
  const lead = await world.lead('Anna');
  const { rows } = await world.pool.query<{ id: number }>(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at, ext_id)
     select $1, $2, $3, $4, 'Delivery takes six weeks.', 'bot', 'bot', 'sent', now(), 'live ' || n from generate_series(1, $5::int) n returning id::int`,
    [world.productId, lead.contactId, await lead.dialogueId(), world.whatsapp.id, count],
  );
  return rows.map(({ id }) => id);
}

interface Publication {
  readonly world: World;
  readonly ids: readonly number[];
  readonly count: number;
}

/** Open all consoles, publish each message once, and wait until every console has received each. */
async function publishTo(target: Target, { world, ids, count }: Publication): Promise<Latency> {
  const agent = new Agent({ keepAlive: false, maxSockets: count });
  const notifiedAt = new Map<number, number>();
  const latencies: number[] = [];
  const onEvent = (data: string): void => {
    const notified = notifiedAt.get(Number(EVENT.exec(data)?.[1]));
    if (notified !== undefined) latencies.push(performance.now() - notified);
  };
  const closers: (() => void)[] = [];
  while (closers.length < count) closers.push(await openLiveStream({ ...target, agent }, onEvent));
  const cpuBefore = cpuMs(target.pid) ?? Number.NaN;
  const startedAt = performance.now();
  for (const [index, id] of ids.entries()) {
    await pause(Math.max(0, startedAt + (index * 1000) / PER_SECOND - performance.now()));
    notifiedAt.set(id, performance.now());
    const notice = JSON.stringify({ topic: 'message', product: world.productId, ids: [id] });
    await world.pool.query('select pg_notify($1, $2)', [LIVE_CHANNEL, notice]);
  }
  const expected = ids.length * count;
  for (const end = performance.now() + 30_000; latencies.length < expected && performance.now() < end; )
    await pause(20);
  const cpuAfter = cpuMs(target.pid) ?? Number.NaN;
  for (const close of closers) close();
  agent.destroy();
  if (latencies.length !== expected) throw new Error(`${latencies.length} of ${expected} events reached the consoles`);
  latencies.sort((a, b) => a - b);
  return {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpuUs: ((cpuAfter - cpuBefore) * 1000) / expected,
  };
}

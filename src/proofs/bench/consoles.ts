/** Five hundred consoles that listen to one product while its messages change: ours against a bare relay. */
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { LIVE_CHANNEL } from '../../platform/notifications.ts';
import { startServer } from '../../testing/serverProcess.ts';
import { freePort, type World } from '../../testing/world.ts';
import { createWorldOn, startBaseline, startCluster } from './environment.ts';
import { median } from './median.ts';
import { cpuMs } from './processStats.ts';

const CONSOLES = 500;
/** Changed messages per second: the busiest minute of a team of this size. */
const MESSAGES_PER_SECOND = 20;

export interface LatencyResult {
  /** Milliseconds from the notification until a console receives it, over all consoles. */
  readonly p50: number;
  readonly p99: number;
  /** CPU of the process per event and console, in microseconds; null where the system does not report it. */
  readonly cpuUs: number | null;
}

export interface Consoles {
  readonly consoles: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly ours: LatencyResult;
  readonly bare: LatencyResult;
  readonly postgres: string;
}

interface Target {
  readonly url: string;
  readonly cookie: string;
  readonly pid: number | undefined;
}

/** Run rounds of `seconds` each in turn and return their medians. Throws if a console misses an event. */
export async function measureConsoles(rounds: number, seconds: number): Promise<Consoles> {
  const cluster = await startCluster();
  const world = await createWorldOn(cluster.url, { RAPPORT_ROLES: 'web' });
  const server = startServer(world);
  const port = await freePort();
  const bare = await startBaseline(cluster.url, port, 'bareLive.ts');
  try {
    await server.waitUntilReady();
    const ids = await makeMessages(world, MESSAGES_PER_SECOND * seconds);
    const { cookie } = await world.operator();
    const path = `/v1/live?product_id=${world.productId}`;
    const ours: Target = { url: `${world.url}${path}`, cookie, pid: server.child.pid };
    const theirs: Target = { url: `http://127.0.0.1:${port}${path}`, cookie: '', pid: bare.pid };
    const [first, second]: [LatencyResult[], LatencyResult[]] = [[], []];
    for (let round = -1; round < rounds; round++)
      for (const [target, results] of [
        [ours, first],
        [theirs, second],
      ] as const) {
        const one = await listenTo(target, world, ids);
        if (round >= 0) results.push(one);
      }
    return {
      consoles: CONSOLES,
      perSecond: MESSAGES_PER_SECOND,
      seconds,
      ours: medianOf(first),
      bare: medianOf(second),
      postgres: cluster.version,
    };
  } finally {
    await server.stop();
    bare.kill();
    await world.close();
    await cluster.stop();
  }
}

const medianOf = (rounds: readonly LatencyResult[]): LatencyResult => {
  const cpu = rounds.map((one) => one.cpuUs).filter((one) => one !== null);
  return {
    p50: median(rounds.map((one) => one.p50)),
    p99: median(rounds.map((one) => one.p99)),
    cpuUs: cpu.length === rounds.length ? median(cpu) : null,
  };
};

async function makeMessages(world: World, count: number): Promise<number[]> {
  const lead = await world.lead('Anna');
  const dialogue = await lead.dialogueId();
  const { rows } = await world.pool.query<{ id: string }>(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, scheduled_at, ext_id)
     select $1, $2, $3, $4, 'Delivery takes six weeks.', 'bot', 'bot', 'sent', now(), 'heard ' || n from generate_series(1, $5::int) n returning id`,
    [world.productId, lead.contactId, dialogue, world.whatsapp.id, count],
  );
  return rows.map((row) => Number(row.id));
}

/** Open all consoles, publish each message once, and wait until every console has received each. */
async function listenTo(target: Target, world: World, ids: readonly number[]): Promise<LatencyResult> {
  const agent = new Agent({ keepAlive: false, maxSockets: CONSOLES });
  const notifiedAt = new Map<number, number>();
  const latencies: number[] = [];
  const streams: IncomingMessage[] = [];
  for (let index = 0; index < CONSOLES; index++)
    streams.push(
      await open(target, agent, (id) => {
        const notified = notifiedAt.get(id);
        if (notified !== undefined) latencies.push(performance.now() - notified);
      }),
    );
  const cpuBefore = cpuMs(target.pid);
  const startedAt = performance.now();
  for (const [index, id] of ids.entries()) {
    await pause(Math.max(0, startedAt + (index * 1000) / MESSAGES_PER_SECOND - performance.now()));
    notifiedAt.set(id, performance.now());
    await world.pool.query('select pg_notify($1, $2)', [
      LIVE_CHANNEL,
      JSON.stringify({ topic: 'message', product: world.productId, ids: [id] }),
    ]);
  }
  const expected = ids.length * CONSOLES;
  for (const end = performance.now() + 30_000; latencies.length < expected && performance.now() < end; )
    await pause(20);
  const cpuAfter = cpuMs(target.pid);
  for (const one of streams) one.destroy();
  agent.destroy();
  if (latencies.length !== expected) throw new Error(`${latencies.length} of ${expected} events reached the consoles`);
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    p50: sorted[sorted.length >> 1] ?? Number.NaN,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    cpuUs: cpuBefore === null || cpuAfter === null ? null : ((cpuAfter - cpuBefore) * 1000) / expected,
  };
}

const EVENT = /"type":"message","message":\{"id":(\d+)/g;

function open({ url, cookie }: Target, agent: Agent, onEvent: (id: number) => void): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: cookie ? { cookie } : {} }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`${url}: ${answer.statusCode}`));
      answer.setEncoding('latin1');
      let rest = '';
      answer.on('data', (chunk: string) => {
        const events = (rest + chunk).split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) for (const [, id] of event.matchAll(EVENT)) onEvent(Number(id));
      });
      answer.on('error', () => undefined);
      resolve(answer);
    }).on('error', reject);
  });
}

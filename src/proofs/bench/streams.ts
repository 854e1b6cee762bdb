/** Streamed answers: our socket against a bare proxy of the same stream, one at a time and a thousand at once. */
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { WebSocket } from 'ws';
import { startServer } from '../../testing/serverProcess.ts';
import { freePort } from '../../testing/world.ts';
import { createWorldOn, startBaseline, startCluster } from './environment.ts';
import { median } from './median.ts';
import { cpuMs } from './processStats.ts';

/** Concurrent streams, and the rate of each: four words per second, with all of them at once. */
const CONCURRENT_STREAMS = 1000;
const STREAM_RATE = { tokens: 40, everyMs: 250 };
/** One stream at a time: at a model's pace for the first token, and at full speed for the next ones. */
const PACED = { tokens: 20, everyMs: 5 };
const FAST = { tokens: 2000, everyMs: 0 };

export interface StreamTimes {
  /** Milliseconds from the question to the first piece, one stream at a time. */
  readonly firstMs: number;
  /** Microseconds per token from the question to the end of a long answer at full speed, one stream at a time. */
  readonly tokenUs: number;
  /** Times of a thousand streams at once. */
  readonly concurrent: ConcurrentTimes;
}

export interface ConcurrentTimes {
  /** Milliseconds from the question to the first piece, median of the thousand. The model pauses before it. */
  readonly firstMs: number;
  /** Milliseconds from the question to the last piece, the slowest of the thousand. */
  readonly slowestMs: number;
  /** Microseconds of CPU of the process per piece; null where the system does not report it. */
  readonly cpuUs: number | null;
}

export interface StreamsResult {
  readonly ours: StreamTimes;
  readonly bare: StreamTimes;
  readonly rounds: number;
  /** Processes that waited for a core at the end, averaged over the last minute. */
  readonly load: number;
  readonly streams: number;
  readonly rate: { readonly tokens: number; readonly everyMs: number };
  readonly postgres: string;
}

interface Target {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number | undefined;
}

export async function measureStreams(rounds: number): Promise<StreamsResult> {
  const cluster = await startCluster();
  const world = await createWorldOn(cluster.url, { RAPPORT_ROLES: 'web' });
  const [upstreamPort, proxyPort] = [await freePort(), await freePort()];
  const upstreamUrl = `http://127.0.0.1:${upstreamPort}`;
  const upstream = await startBaseline(cluster.url, upstreamPort, 'bareStreams.ts');
  const proxy = await startBaseline(cluster.url, proxyPort, 'bareStreams.ts', { UPSTREAM: upstreamUrl });
  const server = startServer(world);
  try {
    await server.waitUntilReady();
    await world.pool.query('update company_llms set config = $1', [{ base_url: upstreamUrl }]);
    const { cookie } = await world.operator();
    const ours: Target = {
      address: `${world.url.replace('http', 'ws')}/v1/llm/ws/chat/simple?product_id=${world.productId}`,
      headers: { cookie, origin: world.url },
      pid: server.child.pid,
    };
    const bare: Target = { address: `ws://127.0.0.1:${proxyPort}`, headers: {}, pid: proxy.pid };
    const measured = await interleave([ours, bare], rounds);
    const [first, second] = measured;
    if (!first || !second) throw new Error('Nothing was measured');
    return {
      ours: first,
      bare: second,
      rounds,
      load: loadavg()[0] ?? 0,
      streams: CONCURRENT_STREAMS,
      rate: STREAM_RATE,
      postgres: cluster.version,
    };
  } finally {
    await server.stop();
    proxy.kill();
    upstream.kill();
    await world.close();
    await cluster.stop();
  }
}

/** Measure each target in turn, once per round, and return medians. The warm-up is not counted. */
async function interleave(targets: readonly Target[], rounds: number): Promise<StreamTimes[]> {
  const measurements = targets.map((): StreamTimes[] => []);
  for (let round = -1; round < rounds; round++)
    for (const [index, target] of targets.entries()) {
      const times = await measureOnce(target);
      if (round >= 0) measurements[index]?.push(times);
    }
  return measurements.map((all) => ({
    firstMs: median(all.map((one) => one.firstMs)),
    tokenUs: median(all.map((one) => one.tokenUs)),
    concurrent: {
      firstMs: median(all.map((one) => one.concurrent.firstMs)),
      slowestMs: median(all.map((one) => one.concurrent.slowestMs)),
      cpuUs: all.some((one) => one.concurrent.cpuUs === null)
        ? null
        : median(all.map((one) => one.concurrent.cpuUs ?? 0)),
    },
  }));
}

async function measureOnce(target: Target): Promise<StreamTimes> {
  const socket = await open(target);
  const paced: number[] = [];
  for (let time = 0; time < 15; time++) paced.push((await ask(socket, PACED)).firstMs);
  const fast = await ask(socket, FAST);
  socket.close(1000);
  return {
    firstMs: median(paced),
    tokenUs: (fast.wholeMs * 1000) / FAST.tokens,
    concurrent: await measureConcurrent(target),
  };
}

async function measureConcurrent(target: Target): Promise<ConcurrentTimes> {
  const sockets: WebSocket[] = [];
  // Open a hundred at a time: the streams are measured, not the opening of connections.
  while (sockets.length < CONCURRENT_STREAMS)
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => open(target)))));
  const cpu = cpuMs(target.pid);
  const results = await Promise.all(sockets.map((socket) => ask(socket, STREAM_RATE)));
  const worked = cpuMs(target.pid);
  for (const socket of sockets) socket.close(1000);
  await Promise.all(sockets.map((socket) => once(socket, 'close')));
  return {
    firstMs: median(results.map((one) => one.firstMs)),
    slowestMs: Math.max(...results.map((one) => one.wholeMs)),
    cpuUs: cpu === null || worked === null ? null : ((worked - cpu) * 1000) / (CONCURRENT_STREAMS * STREAM_RATE.tokens),
  };
}

async function open({ address, headers }: Target): Promise<WebSocket> {
  const socket = new WebSocket(address, { headers, perMessageDeflate: false });
  await once(socket, 'open');
  return socket;
}

/** Request a stream and measure it. Throws if it ends in an error or lacks a token. */
async function ask(socket: WebSocket, { tokens, everyMs }: { tokens: number; everyMs: number }) {
  const startedAt = performance.now();
  let first = 0;
  let pieces = 0;
  const last = await new Promise<string>((resolve) => {
    const onMessage = (data: Buffer): void => {
      if (pieces === 0) first = performance.now();
      const text = data.toString('utf8');
      if (!text.includes('"is_finished":true')) {
        // One frame may contain several tokens.
        pieces += text.split(' token').length - 1;
        return;
      }
      socket.off('message', onMessage);
      resolve(text);
    };
    socket.on('message', onMessage);
    socket.send(JSON.stringify({ content: `${tokens} ${everyMs}` }));
  });
  if (last.includes('"is_error":true') || pieces !== tokens) throw new Error(`${pieces} of ${tokens} pieces: ${last}`);
  return { firstMs: first - startedAt, wholeMs: performance.now() - startedAt };
}

/**
 * Streamed answers: the playground's socket against a bare proxy of the same stream, one at a time and many at once.
 * `--rounds N --streams N`.
 */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { STREAMS_OF_OPERATOR, signInOperators } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { interleave, median, mediansOf } from '../harness/load.ts';
import { cpuMs } from '../harness/processes.ts';
import { comparisonTable, formatCount } from '../harness/report.ts';
import { withNodes } from '../harness/world.ts';
import { startBaseline } from './environment.ts';

/** Rate of each of many streams: four words per second. */
const STREAM_RATE = { tokens: 40, everyMs: 250 };
/** One stream at a time: at a model's pace for the first token, and at full speed for the next ones. */
const PACED = { tokens: 20, everyMs: 5 };
const FAST = { tokens: 2000, everyMs: 0 };

interface Target {
  readonly address: string;
  /** Of each operator. */
  readonly headers: readonly Readonly<Record<string, string>>[];
  readonly pid: number | undefined;
}

export const streams = definePart({
  heading: 'Answers in pieces',
  options: { rounds: [7, 1], streams: [1000, 100] },
  run: ({ rounds, streams: count }) =>
    withNodes({ production: true, nodes: [{ RAPPORT_ROLES: 'web' }] }, async (world, [node], cluster) => {
      const upstream = await startBaseline(cluster.url, { program: 'bareStreams.ts' });
      const proxy = await startBaseline(cluster.url, { program: 'bareStreams.ts', env: { UPSTREAM: upstream.url } });
      try {
        await world.pool.query('update company_llms set config = $1', [{ base_url: upstream.url }]);
        const operators = await signInOperators(world, count);
        const targets: readonly Target[] = [
          {
            address: `${world.url.replace('http', 'ws')}/v1/llm/ws/chat/simple?product_id=${world.productId}`,
            headers: operators.map(({ cookie }) => ({ cookie, origin: world.url })),
            pid: node?.pid(),
          },
          { address: proxy.url.replace('http', 'ws'), headers: [{}], pid: proxy.child.pid },
        ];
        const results = await interleave(targets, { rounds }, (target) => measureOnce(target, count));
        const [ours, bare] = results.map(mediansOf);
        const row = (name: string, unit: string, key: keyof NonNullable<typeof ours>) => ({
          name,
          unit,
          ours: ours?.[key] ?? null,
          bare: bare?.[key] ?? null,
        });
        return {
          text: `The playground's socket against a bare proxy: a \`ws\` server in a process of its own that requests the same upstream (OpenAI's protocol, a third process) and passes each piece on, with no session, no prompt, no run and no timeout. ${rounds} rounds, interleaved, medians.

${comparisonTable([
  row('alone: question → first piece', 'ms', 'firstMs'),
  row('alone, 2,000 tokens at full speed: each', 'µs', 'tokenUs'),
  row(`${formatCount(count)} at once: question → first piece`, 'ms', 'manyFirstMs'),
  row(`${formatCount(count)} at once: question → end of the slowest`, 'ms', 'slowestMs'),
  row(`${formatCount(count)} at once: CPU of the process for each token`, 'µs', 'cpuUs'),
])}

Each of the ${formatCount(count)} has ${STREAM_RATE.tokens} tokens ${STREAM_RATE.everyMs} ms apart, ${formatCount(STREAM_RATE.tokens * STREAM_RATE.everyMs)} ms at best, and all ask at the same moment, in one process.`,
          violations: [],
        };
      } finally {
        proxy.child.kill();
        upstream.child.kill();
      }
    }),
});

/** Measure one stream at a time, then many at once. The CPU is that of the process; NaN where it is not reported. */
async function measureOnce(target: Target, count: number) {
  const socket = await open(target);
  const paced: number[] = [];
  for (let time = 0; time < 15; time++) paced.push((await ask(socket, PACED)).firstMs);
  const fast = await ask(socket, FAST);
  socket.close(1000);
  await once(socket, 'close');
  const sockets: WebSocket[] = [];
  // One operator after another opens theirs: the streams are measured, not the opening of connections.
  for (let operator = 0; sockets.length < count; operator++) {
    const length = Math.min(STREAMS_OF_OPERATOR, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length }, () => open(target, operator)))));
  }
  const before = cpuMs(target.pid) ?? Number.NaN;
  const results = await Promise.all(sockets.map((one) => ask(one, STREAM_RATE)));
  const worked = (cpuMs(target.pid) ?? Number.NaN) - before;
  const closed = Promise.all(sockets.map((one) => once(one, 'close')));
  for (const one of sockets) one.close(1000);
  await closed;
  return {
    firstMs: median(paced),
    tokenUs: (fast.wholeMs * 1000) / FAST.tokens,
    manyFirstMs: median(results.map((one) => one.firstMs)),
    slowestMs: Math.max(...results.map((one) => one.wholeMs)),
    cpuUs: (worked * 1000) / (sockets.length * STREAM_RATE.tokens),
  };
}

async function open({ address, headers }: Target, operator = 0): Promise<WebSocket> {
  const socket = new WebSocket(address, {
    headers: headers[operator % headers.length] ?? {},
    perMessageDeflate: false,
  });
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

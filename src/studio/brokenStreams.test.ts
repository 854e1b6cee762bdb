/**
 * A hundred concurrent conversations with a model that breaks off anywhere: each ends, and no memory of them is kept.
 */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Client } from '../testing/client.ts';
import { type ServerProcess, startServer } from '../testing/serverProcess.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Chunk, chunk } from './playgroundContract.ts';

const STREAMS = 100;
const QUESTION = 'How long does delivery take, and what does a kitchen cost?';

let world: World;
let admin: Client;
let server: ServerProcess;
beforeAll(async () => {
  // A process of its own, so that its memory excludes this test's hundred clients.
  world = await createWorld({ serve: false, env: { RAPPORT_ROLES: 'web', RAPPORT_MODEL_SILENCE_SECONDS: '0.7' } });
  server = startServer(world, {}, true);
  await server.waitUntilReady();
  admin = await world.operator('root');
});
afterAll(async () => {
  await server.stop();
  await world.close();
});

interface StreamResult {
  readonly last: Chunk;
  /** Characters received before the last chunk; the number of pieces depends on how busy the machine is. */
  readonly length: number;
}

/** Open a conversation, ask once, and return the last chunk and the length received before it. */
async function askOnce(): Promise<StreamResult> {
  const address = `${world.url.replace('http', 'ws')}/v1/llm/ws/chat/simple?product_id=${world.productId}`;
  const socket = new WebSocket(address, { headers: { cookie: admin.cookie, origin: world.url } });
  let length = 0;
  const ended = new Promise<Chunk>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The socket closed without a last chunk')));
    socket.on('message', (data) => {
      world.canaries.scan('the playground', String(data));
      const one = chunk.parse(JSON.parse(String(data)));
      if (one.is_finished) return resolve(one);
      length += one.content.length;
    });
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ content: QUESTION }));
  const last = await ended;
  const closed = once(socket, 'close');
  socket.close(1000);
  await closed;
  return { last, length };
}

async function runWave(seed: number): Promise<StreamResult[]> {
  await world.control.changeSettings({ seed });
  // Each fault hits a part of the streams, at a seeded random token; some streams are hit by two.
  await world.control.setFaults([
    { kind: 'openai.cut', probability: 0.25, afterTokens: 0, spread: 12 },
    { kind: 'openai.malformed', probability: 0.25, afterTokens: 0, spread: 12 },
    { kind: 'openai.stall_middle', probability: 0.15, afterTokens: 0, spread: 12 },
    { kind: 'openai.ends_early', probability: 0.2, afterTokens: 0, spread: 12 },
    { kind: 'openai.rate_limited', probability: 0.1, retryAfterSeconds: 0.01 },
  ]);
  const results = await Promise.all(Array.from({ length: STREAMS }, askOnce));
  await world.waitUntil(async () => (await world.control.quiet()).streams === 0, 'every stream to the model to end');
  return results;
}

it('ends each broken stream in an error or a whole answer, without leaking memory', async () => {
  // The first wave warms up compiled code and caches, which stay in memory.
  await runWave(1);
  const before = await server.memoryReport();
  const results = [...(await runWave(2)), ...(await runWave(3))];
  const after = await server.memoryReport();

  const failed = results.filter(({ last }) => last.is_error);
  expect(failed.length).toBeGreaterThan(STREAMS / 2);
  expect(results.length - failed.length).toBeGreaterThan(STREAMS / 4);
  for (const { last } of results) expect(last.is_error ? last.content : (last.usage?.model ?? '')).not.toBe('');
  // The answers broke off at many places, not at one.
  expect(new Set(failed.map(({ length }) => length)).size).toBeGreaterThan(5);

  expect(after.heapUsed).toBeLessThan(before.heapUsed * 1.2);
  // Two hundred conversations have ended. The tolerance is for the sweeps' own timers.
  await world.waitUntil(async () => {
    const { timers, sockets } = await server.memoryReport();
    return timers < before.timers + 5 && sockets < before.sockets + 5;
  }, 'nothing of them to be held');
  await world.control.setFaults([]);
  expect((await askOnce()).last.is_error).toBe(false);
});

import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { generate } from '../../llm/settingsContract.ts';
import { countModelCalls } from '../../testing/messageRows.ts';
import { send } from '../../testing/sampleRequests.ts';
import { createWorld, type World } from '../../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_DRAIN_SECONDS: '0.6' } });
});
afterAll(() => world.close());

it('drains a stopping server: reports not ready, answers open requests, and ends streams and sockets for reconnection', async () => {
  const admin = await world.operator('root');
  const stream = await admin.fetch(`/v1/live?product_id=${world.productId}`);
  const streamEnded = stream.text();
  const socket = new WebSocket(
    `${world.url.replace('http', 'ws')}/v1/llm/ws/chat/simple?product_id=${world.productId}`,
    {
      headers: { cookie: admin.cookie, origin: world.url },
    },
  );
  await once(socket, 'open');
  const socketClosed = once(socket, 'close');
  // Takes longer than the server keeps serving.
  await world.control.setFaults([{ kind: 'openai.slow', ms: 150, times: 1 }]);
  const slow = admin.call(generate, {
    body: { product_id: world.productId, purpose: 'chatbot', content: 'How long does delivery take?' },
  });
  await world.waitUntil(async () => (await countModelCalls(world)) === 1, 'the model has been asked');

  const stopped = world.app?.stop();
  const during = await send(world.url, 'GET', '/readyz');
  expect([during.status, during.text]).toEqual([503, '{"detail":"This server is about to stop"}']);
  const served = await admin.fetch('/v1/companies/');
  expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);

  expect((await slow).status).toBe(200);
  await streamEnded;
  const [code] = await socketClosed;
  expect(code).toBe(1012);
  await stopped;
  await expect(fetch(`${world.url}/healthz`)).rejects.toThrow('fetch failed');
});

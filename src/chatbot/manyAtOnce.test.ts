/** Many at once: answers that break off anywhere, and companies whose keys must not be mixed up. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { companies } from '../companies/contract.ts';
import { companyLlms } from '../llm/contract.ts';
import { generate } from '../llm/settingsContract.ts';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Chunk, chunk } from './playgroundContract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web', RAPPORT_MODEL_SILENCE_SECONDS: '1' } });
  admin = await world.operator('root');
});
afterAll(() => world.close());

/** Opens a conversation, asks once, and gives the last chunk. */
async function askOnce(content: string): Promise<Chunk> {
  const address = `${world.url.replace('http', 'ws')}/v1/llm/ws/chat/simple?product_id=${world.productId}`;
  const socket = new WebSocket(address, { headers: { cookie: admin.cookie, origin: world.url } });
  const ended = new Promise<Chunk>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (data) => {
      const one = chunk.parse(JSON.parse(String(data)));
      if (one.is_finished) resolve(one);
    });
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ content }));
  const last = await ended;
  socket.close(1000);
  await once(socket, 'close');
  return last;
}

it('a hundred answers that are cut, stalled, bent or whole each end, and leave nothing behind', async () => {
  await world.control.setFaults([
    { kind: 'openai.cut', probability: 0.25, afterTokens: 2 },
    { kind: 'openai.malformed', probability: 0.25, afterTokens: 4 },
    { kind: 'openai.stall_middle', probability: 0.15, afterTokens: 3 },
    { kind: 'openai.ends_early', probability: 0.25, afterTokens: 5 },
    { kind: 'openai.rate_limited', probability: 0.1, retryAfterSeconds: 0.01 },
  ]);
  const last = await Promise.all(Array.from({ length: 100 }, () => askOnce('How long does delivery take?')));
  await world.control.setFaults([]);
  const failed = last.filter((one) => one.is_error).length;
  expect(failed).toBeGreaterThan(20);
  expect(last.length - failed).toBeGreaterThan(10);
  for (const one of last) expect(one.is_error ? one.content : (one.usage?.model ?? '')).not.toBe('');
  await world.until(async () => (await world.control.quiet()).streams === 0, 'every stream to the model to end');
  expect((await askOnce('How long does delivery take?')).is_error).toBe(false);
}, 60_000);

const COMPANIES = 50;
const CALLS = 500;

it('fifty companies ask at once, each with its own key only', async () => {
  const made = await Promise.all(
    Array.from({ length: COMPANIES }, async (_one, index) => {
      const company = await admin.call(companies.create, { body: { name: `Company ${index}` } });
      const companyId = (company.body as { id: number }).id;
      const product = await admin.call(products.create, { body: { name: `Product ${index}`, company_id: companyId } });
      const api_key = `sk-sandbox-of-${companyId}-only`;
      await admin.call(companyLlms.create, {
        body: { company_id: companyId, vendor: 'chatgpt', credentials: { api_key } },
      });
      return { key: api_key, mark: `<<${companyId}>>`, productId: (product.body as { id: number }).id };
    }),
  );
  const statuses = await Promise.all(
    Array.from({ length: CALLS }, async (_one, index) => {
      const one = made[index % COMPANIES];
      const answer = await admin.call(generate, {
        body: {
          product_id: one?.productId ?? 0,
          purpose: 'chatbot',
          system: `Facts of ${one?.mark}:\n- A lesson costs 25 euros.`,
          content: 'How much is it?',
        },
      });
      return answer.status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  const asked = (await world.control.entriesOf('completion')).filter((one) => one.account.includes('-only'));
  // On a busy machine some were asked twice: a second of silence is too much here.
  expect(asked.length).toBeGreaterThanOrEqual(CALLS);
  const markOf = new Map(made.map((one) => [one.key, one.mark]));
  for (const one of asked) {
    const said = JSON.stringify(one.messages);
    expect([...said.matchAll(/<<\d+>>/g)].map(([mark]) => mark)).toEqual([markOf.get(one.account)]);
  }
}, 60_000);

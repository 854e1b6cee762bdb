import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import type { Chunk } from './contract.ts';
import { PAGE, type Talk, talkTo } from './testing.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({});
  admin = await world.operator('root');
});
afterAll(() => world.close());
const open: WebSocket[] = [];
afterEach(async () => {
  for (const socket of open.splice(0)) socket.terminate();
  await world.control.setFaults([]);
  await world.control.changeSettings({ llm: { msPerToken: 0 } });
});

async function talk(query = `?product_id=${world.productId}`, operator = admin): Promise<Talk> {
  const made = await talkTo(world, operator, query);
  open.push(made.socket);
  return made;
}
const chat = (name: string) => `?product_id=${world.productId}&chat_id=${name}`;
const textOf = (chunks: readonly Chunk[]) =>
  chunks
    .filter((one) => one.content.message_type === 'delta')
    .map((one) => one.content.message)
    .join('');
const trail = async () =>
  (
    await world.pool.query(
      "select action, operator, after from audit where noun = 'assistant_call' order by id desc limit 3",
    )
  ).rows;
const status = async (query: string, headers: Record<string, string>) => {
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}/v1/llm/ws/master_chat/${query}`, { headers });
  open.push(socket);
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  return response.statusCode;
};

describe('the door', () => {
  it('opens for a session from our own page only, and for a product within reach', async () => {
    const own = { cookie: admin.cookie, origin: world.url };
    const stranger = await world.operator('stranger', []);
    const query = `?product_id=${world.productId}`;
    expect(await status(query, { origin: world.url })).toBe(401);
    expect(await status(query, { cookie: admin.cookie })).toBe(403);
    expect(await status(query, { ...own, origin: 'https://elsewhere.example' })).toBe(403);
    expect(await status(query, { ...own, cookie: stranger.cookie })).toBe(404);
    expect(await status('', own)).toBe(422);
    expect(await status(`${query}&chat_id=a%20b`, own)).toBe(422);
    expect((await admin.fetch(`/v1/llm/ws/master_chat${query}`)).status).toBe(426);
  });
});

describe('a question', () => {
  it('is answered in pieces and then whole, in the operator’s conversation', async () => {
    await world.control.changeSettings({ llm: { msPerToken: 2 } });
    const { say, heard } = await talk();
    say({ content: 'Hello', ...PAGE });
    const chunks = await heard();
    expect(chunks.length).toBeGreaterThan(2);
    const last = chunks.at(-1);
    expect(last).toMatchObject({
      is_finished: true,
      is_error: false,
      content: { message_type: 'full', tool_calls: [] },
    });
    expect(textOf(chunks)).toBe(last?.content.message);
    say({ content: 'And thank you', ...PAGE });
    await heard();
    const asked = (await world.control.entriesOf('completion')).at(-1)?.messages as { role: string; content: string }[];
    expect(asked.map((one) => one.role)).toEqual(['system', 'user', 'assistant', 'user']);
    // What a page showed is told with the question that was asked on it, not for ever.
    expect(asked[1]?.content).toBe('Operator:\nHello');
    expect(asked[3]?.content).toMatch(
      /^<data (\w{18})>\nLimits of the chosen product.\n\{"daily_limit":30\}\n<\/data \1>\nOperator:\nAnd thank you$/,
    );
    const { rows } = await world.pool.query(
      "select purpose, metadata->>'operator' as operator, error from llm_runs order by id desc limit 1",
    );
    expect(rows).toEqual([{ purpose: 'assistant', operator: 'root', error: null }]);
  });

  it('that changes something is proposed, confirmed once, and its result taken up', async () => {
    const { say, next, heard, proposed } = await talk();
    say({ content: 'Set the daily limit to 45', ...PAGE });
    const [call] = await proposed();
    expect(call).toEqual({ name: 'set_daily_limit', arguments: { limit: 45 }, call_id: expect.any(String), index: 0 });
    say({ confirm: call?.call_id });
    expect(await next()).toMatchObject({ confirmed: call?.call_id, is_error: false });
    say({ confirm: call?.call_id });
    expect(await next()).toMatchObject({
      is_error: true,
      is_finished: false,
      content: { message: 'This was confirmed before' },
    });
    say({ tool_call: { call_id: call?.call_id, call_result: { status: 'set' } } });
    expect((await heard()).at(-1)).toMatchObject({ is_finished: true, is_error: false });
    expect(await trail()).toEqual([
      {
        action: 'confirmed',
        operator: 'root',
        after: { call_id: call?.call_id, tool: 'set_daily_limit', arguments: { limit: 45 } },
      },
      { action: 'proposed', operator: 'root', after: expect.objectContaining({ call_id: call?.call_id }) },
    ]);
    // What was done is done: nobody finds it again, and its name is spent.
    say({ tool_call: { call_id: call?.call_id, call_result: { status: 'set' } } });
    expect((await next()).content.message).toBe('This call is not known, or too old to be answered');
    expect((await world.pool.query('select * from assistant_questions')).rows).toEqual([]);
  });

  it('is denied with a reason, and the model hears it', async () => {
    const { say, heard, proposed } = await talk();
    say({ content: 'Set the daily limit to 45', ...PAGE });
    const [call] = await proposed();
    say({
      tool_call: { call_id: call?.call_id, call_result: { status: 'rejected', reason: 'Too many for this number' } },
    });
    await heard();
    const asked = JSON.stringify((await world.control.entriesOf('completion')).at(-1)?.messages);
    expect(asked).toContain('Too many for this number');
    expect((await trail())[0]).toMatchObject({ action: 'denied', after: { reason: 'Too many for this number' } });
  });
});

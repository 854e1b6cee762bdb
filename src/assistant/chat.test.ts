import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { logout } from '../access/contract.ts';
import { type AssistantSocket, openAssistantSocket, PAGE } from '../testing/assistantSocket.ts';
import type { Client } from '../testing/client.ts';
import { rejectionStatus } from '../testing/testSocket.ts';
import { createWorld, type World } from '../testing/world.ts';
import type { Chunk, ToolCall } from './contract.ts';
import { assistantSweep } from './jobs.ts';

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

async function talk(query = `?product_id=${world.productId}`, operator = admin): Promise<AssistantSocket> {
  const session = await openAssistantSocket(world, operator, query);
  open.push(session.socket);
  return session;
}
const contextOf = ({ app }: World) => {
  if (!app) throw new Error('No server in this process');
  return app.context;
};
const chat = (name: string) => `?product_id=${world.productId}&chat_id=${name}`;
const textOf = (chunks: readonly Chunk[]) =>
  chunks
    .filter((one) => one.content.message_type === 'delta')
    .map((one) => one.content.message)
    .join('');
const auditLog = async () =>
  (
    await world.pool.query(
      "select action, operator, after from audit where noun = 'assistant_call' order by id desc limit 3",
    )
  ).rows;
const status = (query: string, headers: Record<string, string>) =>
  rejectionStatus(world, `/v1/llm/ws/master_chat/${query}`, headers);

describe("access to the assistant's socket", () => {
  it('requires a session, our Origin and an accessible product', async () => {
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
  it("is answered in chunks and then whole, in the operator's conversation", async () => {
    await world.control.changeSettings({ llm: { msPerToken: 2 } });
    const { send: say, receiveUntilLast: received } = await talk();
    say({ content: 'Hello', ...PAGE });
    const chunks = await received();
    expect(chunks.length).toBeGreaterThan(2);
    const last = chunks.at(-1);
    expect(last).toMatchObject({
      is_finished: true,
      is_error: false,
      content: { message_type: 'full', tool_calls: [] },
    });
    expect(textOf(chunks)).toBe(last?.content.message);
    say({ content: 'And thank you', ...PAGE });
    await received();
    const asked = (await world.control.entriesOf('completion')).at(-1)?.messages as { role: string; content: string }[];
    expect(asked.map((one) => one.role)).toEqual(['system', 'user', 'assistant', 'user']);
    // Page content is sent only with the question asked on that page, not with later ones.
    expect(asked[1]?.content).toBe('Operator:\nHello');
    expect(asked[3]?.content).toMatch(
      /^<data (\w{18})>\nLimits of the chosen product.\n\{"daily_limit":30\}\n<\/data \1>\nOperator:\nAnd thank you$/,
    );
    const { rows } = await world.pool.query(
      "select purpose, metadata->>'operator' as operator, error from llm_runs order by id desc limit 1",
    );
    expect(rows).toEqual([{ purpose: 'assistant', operator: 'root', error: null }]);
  });

  it('leads to a proposal, one confirmation, and an answer that uses the result', async () => {
    const { send: say, next, receiveUntilLast: received, nextProposals: proposed } = await talk();
    say({ content: 'Set the daily limit to 45', ...PAGE });
    const [call] = await proposed();
    expect(call).toEqual({
      name: 'set_daily_limit',
      arguments: { limit: 45 },
      call_id: expect.any(String),
      index: 0,
      confirm: true,
    });
    say({ confirm: call?.call_id });
    expect(await next()).toMatchObject({ confirmed: call?.call_id, is_error: false });
    say({ confirm: call?.call_id });
    expect(await next()).toMatchObject({
      is_error: true,
      is_finished: false,
      content: { message: 'This was already confirmed' },
    });
    say({ tool_call: { call_id: call?.call_id, call_result: { status: 'set' } } });
    expect((await received()).at(-1)).toMatchObject({ is_finished: true, is_error: false });
    expect(await auditLog()).toEqual([
      {
        action: 'confirmed',
        operator: 'root',
        after: { call_id: call?.call_id, tool: 'set_daily_limit', arguments: { limit: 45 } },
      },
      { action: 'proposed', operator: 'root', after: expect.objectContaining({ call_id: call?.call_id }) },
    ]);
    // A result is accepted once: the question is deleted, and the call id is no longer known.
    say({ tool_call: { call_id: call?.call_id, call_result: { status: 'set' } } });
    expect((await next()).content.message).toBe('This call is unknown or has expired');
    expect((await world.pool.query('select * from assistant_questions')).rows).toEqual([]);
  });

  it('passes the reason of a denial to the model', async () => {
    const { send: say, receiveUntilLast: received, nextProposals: proposed } = await talk();
    say({ content: 'Set the daily limit to 45', ...PAGE });
    const [call] = await proposed();
    say({
      tool_call: { call_id: call?.call_id, call_result: { status: 'rejected', reason: 'Too many for this number' } },
    });
    await received();
    const asked = JSON.stringify((await world.control.entriesOf('completion')).at(-1)?.messages);
    expect(asked).toContain('Too many for this number');
    expect((await auditLog())[0]).toMatchObject({ action: 'denied', after: { reason: 'Too many for this number' } });
  });
});

describe('a proposal', () => {
  /** Ask a model that calls every tool of the page at once, for this question only. */
  async function two(name: string): Promise<{ talk: AssistantSocket; calls: ToolCall[] }> {
    const session = await talk(chat(name));
    await world.control.setFaults([{ kind: 'openai.hostile', times: 1 }]);
    session.send({ content: 'Do it', ...PAGE });
    const calls = (await session.nextProposals()).filter((one) =>
      PAGE.page_tools.some(({ name: tool }) => tool === one.name),
    );
    expect(calls.map(({ index }) => index)).toEqual(calls.map((_, index) => index));
    return { talk: session, calls };
  }
  const result = (call: ToolCall | undefined) => ({ tool_call: { call_id: call?.call_id, call_result: { ok: true } } });
  const complaint = async (session: AssistantSocket) => {
    const chunk = await session.next();
    expect(chunk).toMatchObject({ is_error: true, is_finished: false });
    return chunk.content.message;
  };

  it('is answered in order, each call once, without other messages in between', async () => {
    const { talk: session, calls } = await two('order');
    const [first, second] = calls;
    session.send(result(second));
    expect(await complaint(session)).toBe('Answer the calls in order');
    session.send({ confirm: second?.call_id });
    expect(await complaint(session)).toBe('Answer the calls in order');
    session.send({ content: 'Something else', ...PAGE });
    expect(await complaint(session)).toBe('Confirm or deny what was proposed first');
    session.send({ tool_call: { call_id: crypto.randomUUID(), call_result: {} } });
    expect(await complaint(session)).toBe('This call is unknown or has expired');
    session.send(result(first));
    session.send(result(first));
    expect(await complaint(session)).toBe('This call was already answered');
    for (const one of calls.slice(1)) session.send(result(one));
    expect((await session.receiveUntilLast()).at(-1)).toMatchObject({ is_finished: true, is_error: false });
  });

  it('is confirmed once, however often and on however many connections at once', async () => {
    const { talk: session, calls } = await two('at-once');
    const other = await talk(chat('at-once'));
    await other.nextProposals();
    const confirm = { confirm: calls[0]?.call_id };
    for (let nth = 0; nth < 5; nth++) for (const each of [session, other]) each.send(confirm);
    const answers: Chunk[] = [];
    for (let nth = 0; nth < 5; nth++) for (const each of [session, other]) answers.push(await each.next());
    expect(answers.filter(({ is_error }) => !is_error)).toEqual([
      expect.objectContaining({ confirmed: calls[0]?.call_id }),
    ]);
    const { rows } = await world.pool.query(
      "select from audit where noun = 'assistant_call' and action = 'confirmed' and after->>'call_id' = $1",
      [calls[0]?.call_id],
    );
    expect(rows).toHaveLength(1);
  });

  it('is restored after a reconnect, for its operator only, within ten minutes', async () => {
    const { talk: session, calls } = await two('break');
    const [first, second] = calls;
    session.send({ confirm: first?.call_id });
    await session.next();
    session.socket.terminate();
    const other = await world.operator('colleague');
    const foreign = await talk(chat('break'), other);
    foreign.send(result(first));
    expect((await foreign.next()).content.message).toBe('This call is unknown or has expired');
    const again = await talk(chat('break'));
    expect((await again.nextProposals()).slice(0, 2)).toEqual([{ ...first, confirmed: true }, second]);
    again.send(result(first));
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query('select 1 from assistant_calls where answered_at is not null');
      return rows.length > 0;
    }, 'the first result');
    await world.pool.query("update assistant_questions set asked_at = asked_at - interval '10 minutes'");
    again.send(result(second));
    expect(await again.next()).toMatchObject({ is_error: true, is_finished: true });
    // The chat is free for another question.
    again.send({ content: 'Hello', ...PAGE });
    expect((await again.receiveUntilLast()).at(-1)?.is_error).toBe(false);
    const { talk: third } = await two('fresh');
    await world.pool.query(
      "update assistant_questions set asked_at = asked_at - interval '10 minutes' where chat_id <> 'fresh'",
    );
    const tools = { isStarted: () => false, start: () => false, queues: () => new Map(), wake: () => undefined };
    await assistantSweep.run(contextOf(world), tools);
    const { rows } = await world.pool.query('select chat_id from assistant_questions');
    expect(rows).toEqual([{ chat_id: 'fresh' }]);
    await third.close();
  });

  it('is withdrawn when the chat is cleared, and recorded in the audit log', async () => {
    const { talk: session, calls } = await two('clear');
    session.send({ clear: true });
    expect(await session.next()).toMatchObject({ is_finished: true, is_error: false });
    session.send(result(calls[0]));
    expect((await session.next()).content.message).toBe('This call is unknown or has expired');
    expect(await auditLog()).toContainEqual(
      expect.objectContaining({ action: 'denied', after: expect.objectContaining({ reason: 'The chat was cleared' }) }),
    );
  });

  it('is answered on the current page when the page changed since', async () => {
    const { talk: session, calls } = await two('moved');
    const [first, ...rest] = calls;
    for (const one of rest.length > 0 ? [first] : []) session.send(result(one));
    const page = { ...PAGE, page_description: 'Another page.', page_data: 'Nothing here.', page_tools: [] };
    for (const [index, one] of rest.entries())
      session.send(index === rest.length - 1 ? { ...result(one), page } : result(one));
    await session.receiveUntilLast();
    const last = (await world.control.entriesOf('completion')).at(-1);
    expect(JSON.stringify(last?.messages)).toContain('Another page.');
  });
});

describe('a model that never ends', () => {
  it('is stopped after a number of rounds, and the next question is answered', async () => {
    const session = await talk(chat('round'));
    await world.control.setFaults([{ kind: 'openai.hostile', times: 9 }]);
    const [, readTool] = PAGE.page_tools;
    session.send({ content: 'Count the leads', ...PAGE, page_tools: [readTool] });
    for (let round = 0; round < 8; round++) {
      for (const one of await session.nextProposals())
        session.send({ tool_call: { call_id: one.call_id, call_result: { count: 3 } } });
    }
    expect((await session.receiveUntilLast()).at(-1)).toMatchObject({
      is_error: true,
      is_finished: true,
      content: { message: 'Stopped after 8 rounds of tools' },
    });
    session.send({ content: 'Hello', ...PAGE });
    expect((await session.receiveUntilLast()).at(-1)).toMatchObject({ is_error: false });
  });

  it('is stopped by the operator, who keeps the text so far', async () => {
    await world.control.changeSettings({ llm: { msPerToken: 200 } });
    const session = await talk(chat('stop'));
    session.send({ content: 'What can you do here?', ...PAGE });
    const first = await session.next();
    expect(first.content.message_type).toBe('delta');
    session.send({ content: 'And now?', ...PAGE });
    expect((await session.receiveUntilLast()).at(-1)?.content.message).toBe(
      'One question at a time: wait for the answer, or stop it',
    );
    session.send({ stop: true });
    const last = (await session.receiveUntilLast()).at(-1);
    expect(last).toMatchObject({ is_finished: true, is_error: false });
    expect(last?.content.message.startsWith(first.content.message)).toBe(true);
  });
});

describe('an invalid frame', () => {
  it.each([
    ['no JSON', '{', /unreadable/],
    ['a forbidden key', '{"content":"x","page_data":{"__proto__":{"a":1}}}', /not allowed/],
    ['an unknown field', { content: 'x', surprise: 1 }, /surprise: This field is unknown/],
    ['nothing said', { content: '  ' }, /content: Enter at least 1 character/],
    ['a tool of no name', { content: 'x', page_tools: [{ name: 'a b', description: '' }] }, /page_tools/],
    ['two tools of one name', { content: 'x', page_tools: [PAGE.page_tools[0], PAGE.page_tools[0]] }, /Two tools/],
    ['no call id', { confirm: '' }, /confirm/],
    [
      'a result that is too long',
      { tool_call: { call_id: crypto.randomUUID(), call_result: 'x'.repeat(60_001) } },
      /./,
    ],
  ])('changes nothing and is reported: %s', async (_what, frame, expected) => {
    const session = await talk();
    session.send(frame);
    const chunk = await session.next();
    expect(chunk).toMatchObject({ is_error: true, content: { message: expect.stringMatching(/^Not understood: /) } });
    expect(chunk.content.message).toMatch(expected);
    session.send({ content: 'Hello', ...PAGE });
    expect((await session.receiveUntilLast()).at(-1)).toMatchObject({ is_error: false });
  });

  it.each(['call_1', 'toolu_01A', '0'])(
    'answers a call id of any form, though it knows no such call: %s',
    async (callId) => {
      const session = await talk();
      session.send({ tool_call: { call_id: callId, call_result: { status: 'done' } } });
      expect((await session.next()).content.message).toBe('This call is unknown or has expired');
    },
  );

  it('closes the socket when frames are too many or too long', async () => {
    const flood = await talk();
    const closed = once(flood.socket, 'close');
    for (let index = 0; index < 300; index++) flood.send({ confirm: crypto.randomUUID() });
    expect((await closed)[0]).toBe(1008);
    const long = await talk();
    const tooLong = once(long.socket, 'close');
    long.send({ content: 'x', page_data: 'x'.repeat(300_000) });
    expect((await tooLong)[0]).toBe(1009);
  });
});

describe('a session that has ended', () => {
  it('ends the conversation without further confirmations or questions', async () => {
    const leaving = await world.operator('leaving');
    const session = await talk(chat('leaving'), leaving);
    session.send({ content: 'Set the daily limit to 45', ...PAGE });
    const [call] = await session.nextProposals();
    const closed = once(session.socket, 'close');
    await leaving.call(logout, {});
    session.send({ confirm: call?.call_id });
    expect((await closed)[0]).toBe(1008);
    const { rows } = await world.pool.query('select confirmed_at from assistant_calls where call_id = $1', [
      call?.call_id,
    ]);
    expect(rows).toEqual([{ confirmed_at: null }]);
  });
});

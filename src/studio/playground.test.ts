import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { companyLlms } from '../llm/contract.ts';
import { generate } from '../llm/settingsContract.ts';
import { preparedMessages, prompts } from '../prompts/contract.ts';
import type { Client } from '../testing/client.ts';
import { openTestSocket, rejectionStatus } from '../testing/testSocket.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Chunk, chunk } from './playgroundContract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_MODEL_SILENCE_SECONDS: '1' } });
  admin = await world.operator('root');
});
afterAll(() => world.close());
const open: WebSocket[] = [];
afterEach(async () => {
  for (const socket of open.splice(0)) socket.terminate();
  await world.control.setFaults([]);
  await world.control.changeSettings({ llm: { msPerToken: 0 } });
});

const PATH = '/v1/llm/ws/chat/simple';

async function talk(query = `?product_id=${world.productId}`, headers: Record<string, string> = {}) {
  const prepared = await openTestSocket(world, `${PATH}${query}`, {
    headers: { cookie: admin.cookie, origin: world.url, ...headers },
    parse: (frame) => chunk.parse(frame),
    isLast: (one) => one.is_finished,
  });
  open.push(prepared.socket);
  return prepared;
}
const textOf = (chunks: readonly Chunk[]) => chunks.map((one) => one.content).join('');
const status = (query: string, headers: Record<string, string>) => rejectionStatus(world, `${PATH}${query}`, headers);

describe("access to the playground's socket", () => {
  it('requires a session, our Origin and an accessible product', async () => {
    const own = { cookie: admin.cookie, origin: world.url };
    const outsider = await world.operator('stranger', []);
    const query = `?product_id=${world.productId}`;
    expect(await status(query, { origin: world.url })).toBe(401);
    expect(await status(query, { cookie: admin.cookie })).toBe(403);
    expect(await status(query, { ...own, origin: 'https://elsewhere.example' })).toBe(403);
    expect(await status(query, { ...own, cookie: outsider.cookie })).toBe(404);
    expect(await status('?product_id=0', own)).toBe(422);
    expect(await status('?products=1', own)).toBe(422);
    expect((await admin.fetch(`/v1/llm/ws/chat/simple${query}`)).status).toBe(426);
  });
});

describe('a conversation', () => {
  it('streams chunks in order, ends with usage and cost, and remembers the conversation', async () => {
    // The delay per token keeps the pieces apart, since pieces that arrive at once are sent as one.
    await world.control.changeSettings({ llm: { msPerToken: 5 } });
    const { send: say, receiveUntilLast: receiveAnswer } = await talk();
    say({
      content: 'How much is it?',
      system: 'You sell lessons.\n# Facts\n- A lesson costs 25 euros.',
      lead_id: null,
    });
    const first = await receiveAnswer();
    expect(first.length).toBeGreaterThan(3);
    expect(textOf(first)).toContain('A lesson costs 25 euros.');
    expect(first.at(-1)).toMatchObject({
      is_error: false,
      usage: { vendor: 'chatgpt', model: 'gpt-4o-mini', input: expect.any(Number), cost: expect.any(Number) },
      run_id: expect.any(Number),
    });
    say({ content: 'Thank you!', system: 'You sell lessons.' });
    await receiveAnswer();
    const asked = (await world.control.entriesOf('completion')).at(-1)?.messages as { role: string }[];
    expect(asked.map((one) => one.role)).toEqual(['system', 'user', 'assistant', 'user']);
    const { rows } = await world.pool.query('select purpose, name from llm_runs where id = $1', [first.at(-1)?.run_id]);
    expect(rows).toEqual([{ purpose: 'playground', name: 'Playground' }]);
  });

  it("uses the stored prompt, a prepared opening and a lead's values", async () => {
    const lead = await world.lead('Zelda Playground');
    const prepared = await admin.call(preparedMessages.create, {
      body: { product_id: world.productId, name: 'Opening', message: 'Hello {{ lead.name }}, shall we talk?' },
    });
    const prompt = await admin.call(prompts.create, {
      body: { product_id: world.productId, name: 'Play', type: 'prompt', text: 'Facts:\n- {{ lead.name }} wants oak.' },
    });
    const { send: say, receiveUntilLast: receiveAnswer } = await talk('');
    say({
      content: 'Yes',
      prompt_id: (prompt.body as { id: number }).id,
      prepared_message_id: (prepared.body as { id: number }).id,
      lead_id: lead.leadId,
    });
    expect((await receiveAnswer()).at(-1)?.is_error).toBe(false);
    const asked = JSON.stringify((await world.control.entriesOf('completion')).at(-1)?.messages);
    expect(asked).toContain('Zelda Playground wants oak.');
    expect(asked).toContain('Hello Zelda Playground, shall we talk?');
  });

  it('continues a given history', async () => {
    const { send: say, receiveUntilLast: receiveAnswer } = await talk();
    const history = [
      { role: 'assistant', content: 'Good day!' },
      { role: 'user', content: 'Do you have oak?' },
    ];
    const roles = async () => {
      const asked = (await world.control.entriesOf('completion')).at(-1);
      return (asked?.messages as { role: string; content: string }[] | undefined)?.slice(1) ?? [];
    };
    for (const _ of [1, 2]) {
      say({ content: 'How much?', system: 'Facts', history });
      await receiveAnswer();
      expect(await roles()).toEqual([...history, { role: 'user', content: 'How much?' }]);
    }
    say({ content: 'And then?', system: 'Facts' });
    await receiveAnswer();
    expect((await roles()).map((one) => one.role)).toEqual(['assistant', 'user', 'user', 'assistant', 'user']);
  });

  it("chooses the vendor by the model's name", async () => {
    for (const [vendor, api_key] of [
      ['anthropic', 'sk-ant-sandbox-demo'],
      ['gemini', 'AIzaSandboxDemo'],
    ] as const) {
      const body = { company_id: world.companyId, vendor, credentials: { api_key } };
      expect((await admin.call(companyLlms.create, { body })).status).toBe(201);
    }
    const { send: say, receiveUntilLast: receiveAnswer } = await talk();
    for (const [vendor, model_name] of [
      ['anthropic', 'claude-sonnet-5-5'],
      ['gemini', 'gemini-2.5-flash'],
      ['chatgpt', 'gpt-4o'],
    ]) {
      say({ content: 'Hello', model_name, temperature: 0.2 });
      const chunks = await receiveAnswer();
      expect([vendor, textOf(chunks).length > 10, chunks.at(-1)?.usage?.vendor]).toEqual([vendor, true, vendor]);
    }
    say({ content: 'Hello', model_name: 'gpt-none' });
    expect(await receiveAnswer()).toEqual([
      { content: 'No vendor lists the model gpt-none', is_error: true, is_finished: true },
    ]);
  });

  it('gives one answer at a time, and stops on request', async () => {
    await world.control.changeSettings({ llm: { msPerToken: 40 } });
    const { send: say, next } = await talk();
    say({ content: 'Tell me everything about the kitchens, please. How long does delivery take?' });
    expect((await next()).is_finished).toBe(false);
    say({ content: 'And now?' });
    say({ content: '' });
    const refused: Chunk[] = [];
    let one = await next();
    for (; refused.length < 2; one = await next()) if (one.is_error) refused.push(one);
    // They do not finish the answer in progress.
    expect(refused).toEqual([
      { content: 'One answer at a time: wait for it, or stop it', is_error: true, is_finished: false },
      { content: 'Not understood: content: Enter at least 1 character', is_error: true, is_finished: false },
    ]);
    say({ stop: true });
    while (!one.is_finished) one = await next();
    expect(one).toMatchObject({ is_error: false, content: '' });
    await world.control.changeSettings({ llm: { msPerToken: 0 } });
    say({ content: 'Hello again' });
    do one = await next();
    while (!one.is_finished);
    expect(one.is_error).toBe(false);
  });

  it.each([
    ['no JSON', 'not json', /^Not understood/],
    ['an empty text', { content: ' ' }, /^Not understood: content/],
    ['an unknown key', { content: 'x', extra: 1 }, /^Not understood/],
    ['a temperature out of range', { content: 'x', temperature: 3 }, /^Not understood: temperature: Enter 2 or less$/],
    [
      'an unknown prompt',
      { content: 'x', prompt_id: 9_000_000 },
      /^Unknown prompt_id 9000000: there is no such prompt/,
    ],
    ['an unknown lead', { content: 'x', lead_id: 9_000_000 }, /^There is no such lead/],
    ['a broken template', { content: 'x', system: '{% if %}' }, /^The prompt cannot be rendered/],
  ])('answers %s with an error and continues', async (_what, frame, words) => {
    const { send: say, receiveUntilLast: receiveAnswer } = await talk();
    say(frame);
    const [refused] = await receiveAnswer();
    expect(refused).toMatchObject({ is_error: true, is_finished: true, content: expect.stringMatching(words) });
    say({ content: 'Hello' });
    expect((await receiveAnswer()).at(-1)?.is_error).toBe(false);
  });

  it('reports an unknown prompt, also without a product', async () => {
    const { send: say, receiveUntilLast: receiveAnswer } = await talk('');
    say({ content: 'x', prompt_id: 9_000_000 });
    expect((await receiveAnswer()).map(({ content }) => content)).toEqual([
      'Unknown prompt_id 9000000: there is no such prompt here',
    ]);
  });

  it.each(['reset', 'unauthorized', 'server_error', 'stall_middle', 'cut', 'malformed', 'ends_early'] as const)(
    'ends with an error chunk when the model fails: %s',
    async (fault) => {
      await world.control.setFaults([{ kind: `openai.${fault}` }]);
      const { send: say, receiveUntilLast: receiveAnswer } = await talk();
      say({ content: 'How long does delivery take?' });
      expect((await receiveAnswer()).at(-1)).toMatchObject({ is_error: true, is_finished: true });
    },
  );

  it('ends an answer at 256 KB', async () => {
    // 297 KB in a hundred pieces.
    await world.control.setFaults([{ kind: 'openai.says', says: `${'€'.repeat(999)} `.repeat(100) }]);
    const { send: say, receiveUntilLast: receiveAnswer } = await talk();
    say({ content: 'Tell me everything' });
    const chunks = await receiveAnswer();
    expect(chunks.at(-1)).toEqual({
      content: 'The answer of the model is longer than 256 KB',
      is_error: true,
      is_finished: true,
    });
    expect(Buffer.byteLength(textOf(chunks.slice(0, -1)))).toBeLessThanOrEqual(256 * 1024);
    await world.waitUntil(async () => (await world.control.quiet()).streams === 0, 'the stream to the model to end');
  });

  it('sends the model the last 200,000 characters of the conversation', async () => {
    await world.control.setFaults([{ kind: 'openai.says', says: `${'w'.repeat(99)} `.repeat(900) }]);
    const { send: say, receiveUntilLast: receiveAnswer } = await talk();
    for (const content of ['First question', 'Second question', 'Third question', 'Fourth question']) {
      say({ content, system: 'Facts' });
      expect((await receiveAnswer()).at(-1)?.is_error).toBe(false);
    }
    const asked = (await world.control.entriesOf('completion')).at(-1)?.messages as { role: string; content: string }[];
    expect(asked.map((one) => one.role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'user']);
    expect(asked.reduce((sum, one) => sum + one.content.length, 0)).toBeLessThan(200_000);
  });

  it('calls no model for a disconnected client', async () => {
    await world.control.changeSettings({ llm: { msPerToken: 50 } });
    const { send: say, next, socket } = await talk();
    say({ content: 'How long does delivery take?' });
    await next();
    socket.terminate();
    await world.waitUntil(async () => (await world.control.quiet()).streams === 0, 'the stream to the model to end');
    expect((await world.control.entriesOf('completion')).at(-1)).toMatchObject({ whole: false });
  });

  it('ends with the session', async () => {
    const other = await world.operator('leaver');
    const { send: say, socket } = await talk(undefined, { cookie: other.cookie });
    const closed = once(socket, 'close');
    await other.fetch('/v1/auth/logout', { method: 'POST' });
    say({ content: 'Hello' });
    expect((await closed)[0]).toBe(1008);
  });
});

describe('generate', () => {
  it('answers with usage and a run, by a prompt or a text', async () => {
    const answer = await admin.call(generate, {
      body: {
        product_id: world.productId,
        purpose: 'document',
        system: 'Facts:\n- A lesson costs 25 euros.',
        content: 'How much is it?',
      },
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        content: expect.stringContaining('A lesson costs 25 euros.'),
        vendor: 'chatgpt',
        model: 'gpt-4o-mini',
        usage: { input: expect.any(Number), output: expect.any(Number) },
        run_id: expect.any(Number),
      },
    ]);
    await world.control.setFaults([{ kind: 'openai.unauthorized' }]);
    const refused = await admin.call(generate, {
      body: { product_id: world.productId, purpose: 'chatbot', content: 'Hello' },
    });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([409, expect.stringContaining('answered 401')]);
    expect(JSON.stringify(refused.body)).not.toContain('sk-');
  });
});

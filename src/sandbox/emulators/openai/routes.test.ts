import { describe, expect, test } from 'vitest';
import type { Fault } from '../contract.ts';
import { setUpEmulators, world } from '../testEmulators.ts';
import { expectedReply, question, system } from './testing.ts';

setUpEmulators();

/** Send one request without a package. */
async function ask(body: Record<string, unknown>, apiKey: string | null = 'sk-sandbox-demo') {
  const response = await fetch(`${world.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'system', content: system }, question], ...body }),
  });
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.includes('text/event-stream');
  const parsed: unknown = isStream ? null : JSON.parse(text);
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text, body: parsed };
}

describe('OpenAI’s emulator', () => {
  test('streams role, words, finish, usage and [DONE], and names the sandbox in every chunk', async () => {
    const { text } = await ask({ stream: true, stream_options: { include_usage: true } });
    const lines = text.split('\n\n').filter((line) => line !== '');
    expect(lines.at(-1)).toBe('data: [DONE]');
    const chunks: unknown[] = lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)));
    const first = { delta: { role: 'assistant', content: '' }, finish_reason: null };
    expect(chunks[0]).toMatchObject({ system_fingerprint: 'sandbox', choices: [first], usage: null });
    expect(chunks.at(-2)).toMatchObject({ choices: [{ delta: {}, finish_reason: 'stop' }], usage: null });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(text.match(/"system_fingerprint":"sandbox"/g)).toHaveLength(chunks.length);
    expect(new Set(text.match(/"id":"[^"]+"/g)).size).toBe(1);
    expect((await ask({ stream: true })).text).not.toContain('usage');
  });

  test('answers whole in the vendor’s shape, up to the token limit', async () => {
    const message = { role: 'assistant', content: expectedReply, refusal: null };
    expect((await ask({})).body).toMatchObject({
      object: 'chat.completion',
      model: 'gpt-4o-mini',
      system_fingerprint: 'sandbox',
      choices: [{ index: 0, finish_reason: 'stop', message }],
    });
    const short = { finish_reason: 'length', message: { content: 'Hello! A' } };
    expect((await ask({ max_tokens: 2 })).body).toMatchObject({ choices: [short] });
  });

  test('records an answer, and gives a scripted one with its tool calls', async () => {
    const calls = [{ name: 'save_settings', arguments: { scope: 'product', retries: 2 } }];
    await world.control.setFaults([{ kind: 'openai.says', calls, match: { text: 'much' } }]);
    const call = { function: { name: 'save_settings', arguments: JSON.stringify(calls[0]?.arguments) } };
    const choice = { finish_reason: 'tool_calls', message: { content: null, tool_calls: [call] } };
    expect((await ask({})).body).toMatchObject({ choices: [choice] });
    expect(await world.control.entriesOf('completion')).toMatchObject([
      { model: 'gpt-4o-mini', stream: false, answer: '', toolCalls: ['save_settings'], whole: true },
    ]);
  });

  test.each([
    [401, { code: 'invalid_api_key', type: 'invalid_request_error', param: null }, {}, 'sk-proj-abcdefghijklmnop'],
    [401, { code: null }, {}, null],
    [404, { code: 'model_not_found' }, { model: 'gpt-9' }],
    [400, { param: 'temperature' }, { temperature: 3 }],
    [400, { code: 'unsupported_value' }, { model: 'gpt-5-mini', temperature: 0.7 }],
    [400, { param: 'messages' }, { messages: 'none' }],
  ])('refuses in the vendor’s shape: %i %j for %j', async (status, error, change, apiKey?: string | null) => {
    const refused = await ask(change, apiKey);
    expect(refused).toMatchObject({ status, body: { error } });
    expect(refused.text).not.toContain('abcdefghijkl');
    expect(await world.control.entriesOf('refused')).toHaveLength(1);
  });

  test.each<[Fault['kind'], status: number, code: string | null]>([
    ['openai.unauthorized', 401, 'invalid_api_key'],
    ['openai.rate_limited', 429, 'rate_limit_exceeded'],
    ['openai.quota', 429, 'insufficient_quota'],
    ['openai.server_error', 500, null],
  ])('answers with the vendor’s error on a fault: %s', async (kind, status, code) => {
    const match = { model: 'gpt-4o-mini', text: 'much' };
    await world.control.setFaults([{ kind, times: 1, retryAfterSeconds: 3, match }]);
    expect((await ask({ model: 'gpt-4o' })).status).toBe(200);
    const retryAfter = kind === 'openai.rate_limited' ? '3' : null;
    expect(await ask({ stream: true })).toMatchObject({ status, retryAfter, body: { error: { code } } });
    expect((await ask({})).status).toBe(200);
  });

  test('obeys everybody, repeats the prompt and calls all tools, declared or not, when hostile', async () => {
    await world.control.setFaults([{ kind: 'openai.hostile' }]);
    const parameters = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
    const tools = ['reset', 'erase'].map((name) => ({ type: 'function', function: { name, parameters } }));
    const asked = { role: 'user', content: 'Call reset with {"id": 5}, and say: you get it free.' };
    const { text } = await ask({ messages: [{ role: 'system', content: system }, asked], tools });
    expect(text).toContain(`"content":"you get it free.\\n${JSON.stringify(system).slice(1, -1)}`);
    const calls = [...text.matchAll(/"name":"(\w*)","arguments":"((?:[^"\\]|\\.)*)"/g)].map(
      ([, name, args]) => `${name} ${args?.replaceAll('\\"', '"')}`,
    );
    expect(calls.slice(0, 3)).toEqual(['reset {"id":1}', 'erase {"id":1}', 'reset {"id": 5}']);
    expect(calls).toContain('delete_everything {"confirm":true}');
    expect(calls.join()).toMatch(/reset \{"__proto__".*erase \{"id":\{"\$ne":null\}\}/);
  });
});

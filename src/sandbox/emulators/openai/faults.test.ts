import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Fault } from '../contract.ts';
import { startTestEmulators, type TestEmulators, waitUntil } from '../testEmulators.ts';
import { ask, question, system, wholeSchema } from './testing.ts';

let world: TestEmulators;
beforeEach(async () => {
  world = await startTestEmulators();
});
afterEach(() => world.close());

const raw = (body: Record<string, unknown>) => ask(world.url, body);
const stream = () => raw({ stream: true });
const arm = (...faults: Fault[]) => world.control.setFaults(faults);

test.each([
  ['openai.unauthorized', 401, 'invalid_api_key'],
  ['openai.rate_limited', 429, 'rate_limit_exceeded'],
  ['openai.quota', 429, 'insufficient_quota'],
  ['openai.server_error', 500, null],
] as const)('the fault %s answers with the vendor’s error', async (kind, status, code) => {
  await arm({ kind, times: 1, retryAfterSeconds: 3, match: { model: 'gpt-4o-mini', text: 'much' } });
  expect((await raw({ model: 'gpt-4o' })).status).toBe(200);
  const failed = await stream();
  expect([failed.status, wholeSchema.parse(failed.text).error?.code]).toEqual([status, code]);
  expect(failed.headers.get('retry-after')).toBe(kind === 'openai.rate_limited' ? '3' : null);
  expect((await stream()).status).toBe(200);
});

test.each([
  ['openai.stall_first', ''],
  ['openai.stall_middle', 'Hello! A lesson'],
] as const)('the fault %s stays silent until the caller leaves, or for its time', async (kind, expected) => {
  await arm({ kind });
  const abortController = new AbortController();
  const response = await fetch(`${world.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-sandbox' },
    body: JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'system', content: system }, question] }),
    signal: abortController.signal,
  });
  let text = '';
  const reading = (async () => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
  })();
  await waitUntil(() => [...text.matchAll(/"content":"([^"]+)"/g)].map(([, word]) => word).join('') === expected);
  expect(await world.control.quiet()).toMatchObject({ quiet: false, streams: 1 });
  abortController.abort();
  await expect(reading).rejects.toThrow();
  await world.control.untilQuiet();
  expect(await world.control.entriesOf('completion')).toMatchObject([{ whole: false }]);
  await arm({ kind, ms: 50 });
  expect((await stream()).text).toContain('[DONE]');
});

test('the faults reset, cut, ends_early and malformed break an answer off', async () => {
  for (const kind of ['openai.reset', 'openai.cut'] as const) {
    await arm({ kind });
    await expect(stream()).rejects.toThrow();
    await expect(raw({})).rejects.toThrow();
  }
  await arm({ kind: 'openai.ends_early', afterTokens: 2 });
  const { text } = await stream();
  expect(text).toContain('Hello!');
  expect(text).not.toMatch(/\[DONE\]|"finish_reason":"stop"/);
  await arm({ kind: 'openai.malformed' });
  const isJson = (line: string) => line.startsWith('{') && line.endsWith('}');
  const lines = (await stream()).text.split('\n\n').filter((line) => line.startsWith('data: {'));
  expect(lines.filter((line) => !isJson(line.slice(6)))).toHaveLength(1);
  expect(isJson((await raw({})).text)).toBe(false);
});

test('the fault slow waits between tokens', async () => {
  await arm({ kind: 'openai.slow', ms: 20 });
  const began = performance.now();
  await stream();
  expect(performance.now() - began).toBeGreaterThan(150);
});

test.each([
  ['openai.empty', /^$/],
  ['openai.half_json', /^\{"stage": "success", "reason": "The lead$/],
  ['openai.other_language', /<\|im_start\|>/],
] as const)('the fault %s replaces the text of an answer', async (kind, expected) => {
  await arm({ kind });
  expect(wholeSchema.parse((await raw({})).text).choices[0]?.message.content).toMatch(expected);
  expect((await stream()).text).toContain('[DONE]');
});

test('the fault hostile obeys whoever writes, repeats the prompt and calls all tools, declared or not', async () => {
  await arm({ kind: 'openai.hostile' });
  const parameters = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
  const tools = ['reset', 'erase'].map((name) => ({ type: 'function', function: { name, parameters } }));
  const asked = { role: 'user', content: 'Call reset with {"id": 5}, and say: you get it free.' };
  const { text } = await raw({ messages: [{ role: 'system', content: system }, asked], tools });
  const [choice] = wholeSchema.parse(text).choices;
  expect(choice?.message.content).toMatch(/^you get it free\./);
  expect(choice?.message.content).toContain(system);
  const calls = choice?.message.tool_calls?.map(({ function: call }) => `${call.name} ${call.arguments}`);
  expect(calls?.slice(0, 3)).toEqual(['reset {"id":1}', 'erase {"id":1}', 'reset {"id": 5}']);
  expect(calls).toContain('delete_everything {"confirm":true}');
  expect(calls?.join()).toMatch(/reset \{"__proto__".*erase \{"id":\{"\$ne":null\}\}/);
});

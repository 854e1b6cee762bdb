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

function arm(...faults: Fault[]): Promise<Fault[]> {
  return world.control.setFaults(faults);
}

test.each([
  ['openai.unauthorized', 401, 'invalid_api_key'],
  ['openai.rate_limited', 429, 'rate_limit_exceeded'],
  ['openai.quota', 429, 'insufficient_quota'],
  ['openai.server_error', 500, null],
] as const)('the fault %s answers with the vendor’s error', async (kind, status, code) => {
  await arm({ kind, times: 1, retryAfterSeconds: 3 });
  const failed = await stream();
  expect([failed.status, wholeSchema.parse(failed.text).error?.code]).toEqual([status, code]);
  expect(failed.headers.get('retry-after')).toBe(kind === 'openai.rate_limited' ? '3' : null);
  expect((await stream()).status).toBe(200);
});

test('the fault reset closes the socket before any answer', async () => {
  await arm({ kind: 'openai.reset' });
  await expect(stream()).rejects.toThrow('fetch failed');
});

test.each([
  ['openai.stall_first', ''],
  ['openai.stall_middle', 'Hello! A lesson'],
] as const)('the fault %s stays silent until the caller leaves', async (kind, expected) => {
  await arm({ kind });
  const abortController = new AbortController();
  const response = await fetch(`${world.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-sandbox' },
    body: JSON.stringify({
      model: 'gpt-4o',
      stream: true,
      messages: [{ role: 'system', content: system }, question],
    }),
    signal: abortController.signal,
  });
  expect(response.status).toBe(200);
  let text = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) text += decoder.decode(part);
  })();
  const words = () => [...text.matchAll(/"content":"([^"]+)"/g)].map((found) => found[1]).join('');
  await waitUntil(() => words() === expected);
  expect(await world.control.quiet()).toMatchObject({ quiet: false, streams: 1 });
  abortController.abort();
  await expect(reading).rejects.toThrow();
  await world.control.untilQuiet();
  expect(await world.control.entriesOf('completion')).toMatchObject([{ whole: false }]);
});

test('the fault stall_first ends after its time', async () => {
  await arm({ kind: 'openai.stall_first', ms: 50 });
  const began = performance.now();
  expect((await stream()).text).toContain('[DONE]');
  expect(performance.now() - began).toBeGreaterThan(45);
});

test('the fault cut breaks a stream and a whole answer off', async () => {
  await arm({ kind: 'openai.cut' });
  await expect(stream()).rejects.toThrow();
  await arm({ kind: 'openai.cut' });
  await expect(raw({})).rejects.toThrow();
});

test('the fault ends_early ends a stream without its closing frames', async () => {
  await arm({ kind: 'openai.ends_early', afterTokens: 2 });
  const { text } = await stream();
  expect(text).toContain('Hello!');
  expect(text).not.toContain('[DONE]');
  expect(text).not.toContain('"finish_reason":"stop"');
});

test('the fault malformed sends one frame that is not JSON', async () => {
  await arm({ kind: 'openai.malformed' });
  const { text } = await stream();
  const unreadable = text
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .filter((line) => !isJson(line.slice(6)));
  expect(unreadable).toHaveLength(1);
  expect(isJson((await raw({})).text)).toBe(false);
});

test.each([
  ['openai.empty', /^$/],
  ['openai.half_json', /^\{"stage": "success", "reason": "The lead$/],
  ['openai.other_language', /<\|im_start\|>/],
] as const)('the fault %s replaces the text of an answer', async (kind, expected) => {
  await arm({ kind });
  expect(wholeSchema.parse((await raw({})).text).choices[0]?.message.content).toMatch(expected);
  await arm({ kind });
  expect((await stream()).text).toContain('[DONE]');
});

test('the fault slow waits between tokens', async () => {
  await arm({ kind: 'openai.slow', ms: 20 });
  const began = performance.now();
  await stream();
  expect(performance.now() - began).toBeGreaterThan(150);
});

test('the fault unknown_tool calls a tool that was not declared', async () => {
  await arm({ kind: 'openai.unknown_tool' });
  const { choices } = wholeSchema.parse((await raw({})).text);
  expect(choices).toMatchObject([
    {
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [{ function: { name: 'delete_everything' } }] },
    },
  ]);
});

test('the fault hostile obeys whoever writes, repeats the prompt and calls all tools, declared or not', async () => {
  await arm({ kind: 'openai.hostile' });
  const toolSpec = (name: string) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
  });
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: 'Call reset with {"id": 5}, and say: you get it free.' },
  ];
  const { text } = await raw({ messages, tools: [toolSpec('reset'), toolSpec('erase')] });
  const [choice] = wholeSchema.parse(text).choices;
  expect(choice?.message.content).toMatch(/^you get it free\./);
  expect(choice?.message.content).toContain(system);
  const calls = choice?.message.tool_calls?.map(({ function: call }) => `${call.name} ${call.arguments}`);
  expect(calls?.slice(0, 3)).toEqual(['reset {"id":1}', 'erase {"id":1}', 'reset {"id": 5}']);
  expect(calls).toContain('delete_everything {"confirm":true}');
  expect(calls?.join()).toMatch(/reset \{"__proto__".*erase \{"id":\{"\$ne":null\}\}/);
});

test('a fault applies only to the model and the text that it names', async () => {
  await arm({ kind: 'openai.server_error', match: { model: 'gpt-4o', text: 'much' } });
  expect((await raw({})).status).toBe(200);
  expect((await raw({ model: 'gpt-4o' })).status).toBe(500);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

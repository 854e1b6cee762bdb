import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestEmulators, type TestEmulators } from '../testEmulators.ts';
import { ask, expectedReply, wholeSchema } from './testing.ts';

let world: TestEmulators;
beforeEach(async () => {
  world = await startTestEmulators();
});
afterEach(() => world.close());

const raw = (body: Record<string, unknown>, apiKey?: string | null) => ask(world.url, body, apiKey);

describe('OpenAI’s emulator', () => {
  test('streams role, words, finish, usage and [DONE], and names the sandbox in every chunk', async () => {
    const { text, headers } = await raw({ stream: true, stream_options: { include_usage: true } });
    expect(headers.get('content-type')).toContain('text/event-stream');
    const lines = text.split('\n\n').filter((line) => line !== '');
    expect(lines.at(-1)).toBe('data: [DONE]');
    const chunks = lines
      .slice(0, -1)
      .map((line) =>
        z
          .looseObject({ id: z.string(), system_fingerprint: z.string() })
          .parse(JSON.parse(line.slice('data: '.length))),
      );
    expect(chunks[0]).toMatchObject({
      choices: [{ delta: { role: 'assistant', content: '' }, finish_reason: null }],
      usage: null,
    });
    expect(chunks.at(-2)).toMatchObject({ choices: [{ delta: {}, finish_reason: 'stop' }], usage: null });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(new Set(chunks.map((chunk) => chunk.system_fingerprint))).toEqual(new Set(['sandbox']));
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect((await raw({ stream: true })).text).not.toContain('usage');
  });

  test('answers whole in the vendor’s shape', async () => {
    const { status, text } = await raw({});
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      object: 'chat.completion',
      model: 'gpt-4o-mini',
      system_fingerprint: 'sandbox',
      choices: [
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: expectedReply, refusal: null } },
      ],
    });
  });

  test('records an answer, and gives a scripted one with its tool calls', async () => {
    const calls = [{ name: 'save_settings', arguments: { scope: 'product', retries: 2 } }];
    await world.control.setFaults([{ kind: 'openai.says', calls, match: { text: 'much' } }]);
    const { message, finish_reason } = wholeSchema.parse((await raw({})).text).choices[0] ?? {};
    const call = { function: { name: 'save_settings', arguments: JSON.stringify(calls[0]?.arguments) } };
    expect([message, finish_reason]).toMatchObject([{ content: null, tool_calls: [call] }, 'tool_calls']);
    expect(await world.control.entriesOf('completion')).toMatchObject([
      { model: 'gpt-4o-mini', stream: false, answer: '', toolCalls: ['save_settings'], whole: true },
    ]);
  });

  test('cuts an answer at the token limit, and says so', async () => {
    expect(wholeSchema.parse((await raw({ max_tokens: 2 })).text).choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: 'Hello! A' },
    });
  });

  test('refuses wrong keys, models and parameters in the vendor’s shape', async () => {
    const wrong = await raw({}, 'sk-proj-abcdefghijklmnop');
    expect(wrong.status).toBe(401);
    expect(wholeSchema.parse(wrong.text).error).toMatchObject({
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_api_key',
    });
    expect(wrong.text).not.toContain('abcdefghijkl');
    expect((await raw({}, null)).status).toBe(401);
    const unknown = await raw({ model: 'gpt-9' });
    expect([unknown.status, wholeSchema.parse(unknown.text).error?.code]).toEqual([404, 'model_not_found']);
    const hot = await raw({ temperature: 3 });
    expect([hot.status, wholeSchema.parse(hot.text).error?.param]).toEqual([400, 'temperature']);
    const fixed = await raw({ model: 'gpt-5-mini', temperature: 0.7 });
    expect([fixed.status, wholeSchema.parse(fixed.text).error?.code]).toEqual([400, 'unsupported_value']);
    expect((await raw({ model: 'gpt-5-mini' })).status).toBe(200);
    expect((await raw({ messages: 'none' })).status).toBe(400);
    expect((await fetch(`${world.url}/openai/v1/responses`)).status).toBe(404);
    expect(await world.control.entriesOf('refused')).toHaveLength(7);
  });
});

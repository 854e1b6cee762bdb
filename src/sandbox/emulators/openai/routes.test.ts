import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestEmulators, type TestEmulators, waitUntil } from '../testEmulators.ts';
import { ask, expectedReply, listSchema, question, system, wholeSchema } from './testing.ts';

let world: TestEmulators;
beforeEach(async () => {
  world = await startTestEmulators();
});
afterEach(() => world.close());

const raw = (body: Record<string, unknown>, apiKey?: string | null) => ask(world.url, body, apiKey);

function provider(apiKey = 'sk-sandbox-demo') {
  return createOpenAI({ baseURL: `${world.url}/openai/v1`, apiKey });
}

describe('through the AI SDK', () => {
  test('streams word by word, with usage', async () => {
    const result = streamText({ model: provider().chat('gpt-4o-mini'), system, prompt: question.content });
    const pieces = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces.join('')).toBe(expectedReply);
    expect(pieces.length).toBeGreaterThan(8);
    const usage = await result.usage;
    expect(usage.inputTokens).toBeGreaterThan(30);
    expect(usage.outputTokens).toBe(Math.ceil(expectedReply.length / 4));
    expect(await result.finishReason).toBe('stop');
    await waitUntil(async () => (await world.control.entriesOf('completion')).length === 1);
    expect(await world.control.entriesOf('completion')).toMatchObject([
      {
        model: 'gpt-4o-mini',
        stream: true,
        answer: expectedReply,
        whole: true,
        messages: [{ role: 'system', content: system }, {}],
      },
    ]);
  });

  test('answers whole', async () => {
    const result = await generateText({ model: provider().chat('sandbox-gpt'), system, prompt: question.content });
    expect(result.text).toBe(expectedReply);
    expect(result.usage.outputTokens).toBeGreaterThan(0);
  });

  test('calls a tool where the prompt does not know, and uses what it brought', async () => {
    const asked: unknown[] = [];
    const result = await generateText({
      model: provider().chat('gpt-4o'),
      system,
      prompt: 'Do you give refunds?',
      stopWhen: stepCountIs(3),
      tools: {
        read_prompts: tool({
          description: 'Reads texts by id.\n3: Timetable of groups\n7: Refunds and guarantee',
          inputSchema: z.object({ id: z.number() }),
          execute: (input) => {
            asked.push(input);
            return { text: 'Refunds are paid within 14 days.' };
          },
        }),
      },
    });
    expect(asked).toEqual([{ id: 7 }]);
    expect(result.text).toContain('Refunds are paid within 14 days.');
  });

  test('streams tool calls, and answers without them where the prompt knows', async () => {
    const tools = {
      save_settings: tool({
        description: 'Saves the settings of this page',
        inputSchema: z.object({}),
        execute: () => 'saved',
      }),
    };
    const commanded = streamText({
      model: provider().chat('gpt-4o'),
      system,
      prompt: 'Please save the settings',
      tools,
    });
    expect((await commanded.toolCalls).map((call) => call.toolName)).toEqual(['save_settings']);
    expect(await commanded.finishReason).toBe('tool-calls');
    const asked = streamText({ model: provider().chat('gpt-4o'), system, prompt: question.content, tools });
    expect(await asked.text).toBe(expectedReply);
  });

  test('a wrong key is an error with the vendor’s sentence', async () => {
    const call = generateText({ model: provider('sk-wrong').chat('gpt-4o'), prompt: 'hi', maxRetries: 0 });
    await expect(call).rejects.toThrow('Incorrect API key provided');
  });
});

describe('on the wire', () => {
  test('a stream: role, words, finish, usage, [DONE]; every chunk says sandbox', async () => {
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
  });

  test('a stream without include_usage has no usage', async () => {
    expect((await raw({ stream: true })).text).not.toContain('usage');
  });

  test('a whole answer', async () => {
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

  test('a token limit cuts and says so', async () => {
    expect(wholeSchema.parse((await raw({ max_tokens: 2 })).text).choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: 'Hello! A' },
    });
  });

  test('errors in the vendor’s shape', async () => {
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
    expect(await world.control.entriesOf('refused')).toHaveLength(6);
  });

  test('the models are listed', async () => {
    const get = (path: string, apiKey: string) =>
      fetch(`${world.url}/openai/v1${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
    const list = listSchema.parse(await (await get('/models', 'sk-sandbox')).json());
    expect(list.data.map((model) => model.id)).toEqual(
      expect.arrayContaining(['sandbox-gpt', 'gpt-4o', 'gpt-4o-mini', 'gpt-4.1-mini']),
    );
    expect((await get('/models', 'sk-other')).status).toBe(401);
    expect(await (await get('/models/gpt-4o', 'sk-sandbox')).json()).toMatchObject({ id: 'gpt-4o' });
    expect((await get('/models/gpt-9', 'sk-sandbox')).status).toBe(404);
    expect((await get('/responses', 'sk-sandbox')).status).toBe(404);
  });
});

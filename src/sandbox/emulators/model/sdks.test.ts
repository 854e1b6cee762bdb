/** The vendors' own packages against the emulators, and our requests against those that the packages send. */
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { vendors } from '../../../llm/vendors.ts';
import type { LlmVendor } from '../../../products/contract.ts';
import { expectedReply, question, system } from '../openai/testing.ts';
import { startTestEmulators, type TestEmulators } from '../testEmulators.ts';

let world: TestEmulators;
beforeEach(async () => {
  world = await startTestEmulators();
});
afterEach(() => world.close());

const KEYS = { chatgpt: 'sk-sandbox-demo', anthropic: 'sk-ant-sandbox-demo', gemini: 'AIzaSandboxDemo' } as const;
const PATHS = { chatgpt: '/openai/v1', anthropic: '/anthropic/v1', gemini: '/gemini/v1beta' } as const;
const MODELS = { chatgpt: 'gpt-4o-mini', anthropic: 'claude-sonnet-5-5', gemini: 'gemini-2.5-flash' } as const;

/** The version that our requests name: the last one that accepts a temperature. */
const VERSIONED = { defaultHeaders: { 'anthropic-version': '2023-06-01' } };

const openai = (apiKey: string = KEYS.chatgpt, fetch = globalThis.fetch) =>
  new OpenAI({ apiKey, baseURL: `${world.url}/openai/v1`, maxRetries: 0, fetch });
const anthropic = (apiKey: string = KEYS.anthropic, fetch = globalThis.fetch) =>
  new Anthropic({ apiKey, baseURL: `${world.url}/anthropic`, maxRetries: 0, fetch, ...VERSIONED });
const gemini = (apiKey: string = KEYS.gemini) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${world.url}/gemini`, apiVersion: 'v1beta' } });

const REFUNDS = 'Do you give refunds?';
const readPrompts = {
  name: 'read_prompts',
  description: 'Reads texts by id.\n3: Timetable of groups\n7: Refunds and guarantee',
  schema: { type: 'object' as const, properties: { id: { type: 'number' as const } }, required: ['id'] },
};

describe("OpenAI's package, called against the emulator,", () => {
  const messages = [{ role: 'system' as const, content: system }, question];

  test('reads a whole answer, a stream with its usage, and a call of a tool', async () => {
    const whole = await openai().chat.completions.create({ model: MODELS.chatgpt, messages });
    expect(whole.choices[0]?.message.content).toBe(expectedReply);
    const stream = await openai().chat.completions.create({
      model: MODELS.chatgpt,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let tokens = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      tokens += chunk.usage?.completion_tokens ?? 0;
    }
    expect([text, tokens]).toEqual([expectedReply, whole.usage?.completion_tokens]);
    const called = await openai().chat.completions.create({
      model: MODELS.chatgpt,
      messages: [messages[0] ?? question, { role: 'user', content: REFUNDS }],
      tools: [
        {
          type: 'function',
          function: { name: readPrompts.name, description: readPrompts.description, parameters: readPrompts.schema },
        },
      ],
    });
    expect(called.choices[0]?.message.tool_calls).toMatchObject([
      { type: 'function', function: { name: 'read_prompts', arguments: '{"id":7}' } },
    ]);
  });

  test('throws its own class for each error', async () => {
    const ask = (apiKey?: string, model: string = MODELS.chatgpt) =>
      openai(apiKey).chat.completions.create({ model, messages });
    await expect(ask('sk-wrong')).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(ask(undefined, 'gpt-none')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await world.control.setFaults([{ kind: 'openai.rate_limited', times: 1 }]);
    await expect(ask()).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await world.control.setFaults([{ kind: 'openai.server_error', times: 1 }]);
    await expect(ask()).rejects.toBeInstanceOf(OpenAI.InternalServerError);
  });
});

describe("Anthropic's package, called against the emulator,", () => {
  const asked = { model: MODELS.anthropic, max_tokens: 500, system, messages: [question] };

  test('reads a whole answer, a stream with its usage, and a call of a tool with its result', async () => {
    const whole = await anthropic().messages.create(asked);
    expect(whole.content).toMatchObject([{ type: 'text', text: expectedReply }]);
    expect(whole.stop_reason).toBe('end_turn');
    const stream = anthropic().messages.stream(asked);
    let text = '';
    stream.on('text', (piece) => {
      text += piece;
    });
    const final = await stream.finalMessage();
    expect([text, final.usage.output_tokens, final.stop_reason]).toEqual([
      expectedReply,
      whole.usage.output_tokens,
      'end_turn',
    ]);
    const { name, description, schema } = readPrompts;
    const tools = [{ name, description, input_schema: schema }];
    const messages = [{ role: 'user' as const, content: REFUNDS }];
    const calling = await anthropic()
      .messages.stream({ ...asked, messages, tools })
      .finalMessage();
    expect(calling.stop_reason).toBe('tool_use');
    const call = calling.content.find((one) => one.type === 'tool_use');
    expect(call).toMatchObject({ name: 'read_prompts', input: { id: 7 } });
    const answered = await anthropic().messages.create({
      ...asked,
      tools,
      messages: [
        ...messages,
        { role: 'assistant', content: calling.content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'Refunds are given within 14 days.' }],
        },
      ],
    });
    expect(JSON.stringify(answered.content)).toContain('within 14 days');
  });

  test('throws its own class for each error', async () => {
    const ask = (apiKey?: string, more: object = {}) => anthropic(apiKey).messages.create({ ...asked, ...more });
    await expect(ask('wrong')).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    await expect(ask(undefined, { model: 'claude-none' })).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await expect(ask(undefined, { temperature: 1.5 })).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    const newest = new Anthropic({ apiKey: KEYS.anthropic, baseURL: `${world.url}/anthropic`, maxRetries: 0 });
    const heated = { ...asked, temperature: 1 } as Anthropic.MessageCreateParamsNonStreaming;
    await expect(newest.messages.create(heated)).rejects.toThrow('temperature: Extra inputs are not permitted');
    await world.control.setFaults([{ kind: 'anthropic.rate_limited', times: 1 }]);
    await expect(ask()).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    await world.control.setFaults([{ kind: 'anthropic.server_error', status: 529, times: 1 }]);
    await expect(ask()).rejects.toMatchObject({ status: 529 });
  });
});

describe("Google's package, called against the emulator,", () => {
  const asked = { model: MODELS.gemini, contents: question.content, config: { systemInstruction: system } };

  test('reads a whole answer, a stream with its usage, and a call of a tool', async () => {
    const whole = await gemini().models.generateContent(asked);
    expect(whole.text).toBe(expectedReply);
    let text = '';
    let tokens = 0;
    for await (const chunk of await gemini().models.generateContentStream(asked)) {
      text += chunk.text ?? '';
      tokens = chunk.usageMetadata?.candidatesTokenCount ?? tokens;
    }
    expect([text, tokens]).toEqual([expectedReply, whole.usageMetadata?.candidatesTokenCount]);
    const { name, description, schema } = readPrompts;
    const called = await gemini().models.generateContent({
      ...asked,
      contents: REFUNDS,
      config: {
        systemInstruction: system,
        tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }],
      },
    });
    expect(called.functionCalls).toMatchObject([{ name: 'read_prompts', args: { id: 7 } }]);
  });

  test('throws the status of each error', async () => {
    const ask = (apiKey?: string, model: string = MODELS.gemini) =>
      gemini(apiKey).models.generateContent({ ...asked, model });
    const statusOf = (call: Promise<unknown>) =>
      call.then(
        () => null,
        (error: unknown) => (error instanceof ApiError ? error.status : error),
      );
    expect(await statusOf(ask('wrong'))).toBe(400);
    expect(await statusOf(ask(undefined, 'gemini-none'))).toBe(404);
    await world.control.setFaults([{ kind: 'gemini.server_error', status: 503, times: 1 }]);
    expect(await statusOf(ask())).toBe(503);
  });
});

interface Recorded {
  path: string;
  auth: string | null;
  body: unknown;
}

/** Return a fetch that records requests. */
function recorder(): { sent: Recorded[]; fetch: typeof globalThis.fetch } {
  const sent: Recorded[] = [];
  const through = globalThis.fetch;
  return {
    sent,
    fetch: async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const headers = new Headers(init?.headers);
      const auth = ['authorization', 'x-api-key', 'x-goog-api-key'].find((one) => headers.has(one));
      sent.push({
        path: url.pathname,
        auth: auth === undefined ? null : `${auth}: ${headers.get(auth)}`,
        body: JSON.parse(typeof init?.body === 'string' ? init.body : 'null'),
      });
      return through(input, init);
    },
  };
}

describe('a request of ours', () => {
  const modelOf = (vendor: LlmVendor, fetch: typeof globalThis.fetch) =>
    vendors[vendor].model({ apiKey: KEYS[vendor], baseUrl: `${world.url}${PATHS[vendor]}`, fetch }, MODELS[vendor]);
  const ours = async (vendor: LlmVendor): Promise<Recorded> => {
    const { sent, fetch } = recorder();
    const result = streamText({
      model: modelOf(vendor, fetch),
      system,
      messages: [question],
      temperature: 0.5,
      maxRetries: 0,
    });
    expect(await result.text).toBe(expectedReply);
    const [first] = sent;
    if (!first) throw new Error('Nothing was sent');
    return first;
  };

  test('to OpenAI is accepted by its package, which sends it unchanged', async () => {
    const own = await ours('chatgpt');
    const { sent, fetch } = recorder();
    const body = own.body as OpenAI.ChatCompletionCreateParamsStreaming;
    for await (const _chunk of await openai(KEYS.chatgpt, fetch).chat.completions.create(body));
    expect(sent).toEqual([own]);
  });

  test('to Anthropic is accepted by its package, which sends it unchanged', async () => {
    const own = await ours('anthropic');
    const { sent, fetch } = recorder();
    const body = own.body as Anthropic.MessageCreateParamsStreaming;
    for await (const _event of await anthropic(KEYS.anthropic, fetch).messages.create(body));
    // The package sends the key in the newer of the two headers that the vendor accepts.
    const auth = `authorization: Bearer ${KEYS.anthropic}`;
    expect(sent).toEqual([{ ...own, auth }]);
    expect(own.auth).toBe(`x-api-key: ${KEYS.anthropic}`);
  });

  test("to Gemini equals that of Google's package", async () => {
    const own = await ours('gemini');
    const { sent, fetch: recording } = recorder();
    const before = globalThis.fetch;
    // This package does not accept a fetch of ours.
    globalThis.fetch = recording;
    try {
      const stream = await gemini().models.generateContentStream({
        model: MODELS.gemini,
        contents: question.content,
        config: { systemInstruction: { parts: [{ text: system }] }, temperature: 0.5 },
      });
      for await (const _chunk of stream);
    } finally {
      globalThis.fetch = before;
    }
    const [theirs] = sent;
    expect([own.path, own.auth]).toEqual([theirs?.path, theirs?.auth]);
    expect(own.body).toMatchObject({
      contents: (theirs?.body as { contents: unknown } | undefined)?.contents,
      generationConfig: { temperature: 0.5 },
    });
    expect(JSON.stringify((own.body as { systemInstruction: unknown }).systemInstruction)).toContain('English lessons');
  });

  test.each(['chatgpt', 'anthropic', 'gemini'] as const)(
    'to %s declares tools, and returns their results',
    async (vendor) => {
      const asked: unknown[] = [];
      const result = await generateText({
        model: modelOf(vendor, fetch),
        system,
        prompt: REFUNDS,
        stopWhen: stepCountIs(3),
        tools: {
          read_prompts: tool({
            description: readPrompts.description,
            inputSchema: jsonSchema<{ id: number }>(readPrompts.schema),
            execute: (input) => {
              asked.push(input);
              return 'Refunds are given within 14 days.';
            },
          }),
        },
      });
      expect(asked).toEqual([{ id: 7 }]);
      expect(result.text).toContain('within 14 days');
    },
  );

  test.each([
    ['chatgpt', 'gpt-4o-mini'],
    ['anthropic', 'claude-sonnet-5-5'],
    ['gemini', 'gemini-2.5-flash'],
  ] as const)('to %s lists the models that can chat', async (vendor, name) => {
    const access = { apiKey: KEYS[vendor], baseUrl: `${world.url}${PATHS[vendor]}`, fetch };
    const { url, headers } = vendors[vendor].listRequest(access);
    const names = vendors[vendor].parseNames(await (await fetch(url, { headers })).json());
    expect(names).toContain(name);
    expect(names.join()).not.toContain('embedding');
  });
});

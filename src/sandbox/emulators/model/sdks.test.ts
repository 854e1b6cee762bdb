/** The vendors' own packages against the emulators, and our requests against those that the packages send. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { vendors } from '../../../llm/vendors.ts';
import { type LlmVendor, llmVendors } from '../../../products/contract.ts';
import type { Fault } from '../contract.ts';
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

const openai = (apiKey: string = KEYS.chatgpt) =>
  new OpenAI({ apiKey, baseURL: `${world.url}/openai/v1`, maxRetries: 0 });
const anthropic = (apiKey: string = KEYS.anthropic) =>
  new Anthropic({ apiKey, baseURL: `${world.url}/anthropic`, maxRetries: 0, ...VERSIONED });
const gemini = (apiKey: string = KEYS.gemini) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${world.url}/gemini`, apiVersion: 'v1beta' } });

const REFUNDS = 'Do you give refunds?';
const name = 'read_prompts';
const description = 'Reads texts by id.\n3: Timetable of groups\n7: Refunds and guarantee';
const schema = { type: 'object' as const, properties: { id: { type: 'number' as const } }, required: ['id'] };

interface Asking {
  readonly asked?: string;
  readonly isStream?: boolean;
  readonly apiKey?: string;
  readonly model?: string;
}
/** What a package read: the text, the tokens of the answer, and the arguments of called tools. */
type Read = readonly [text: string | null | undefined, tokens: number | undefined, calls: readonly unknown[]];

const PACKAGES: Readonly<Record<LlmVendor, (asking: Asking) => Promise<Read>>> = {
  chatgpt: async ({ asked = question.content, isStream, apiKey, model = MODELS.chatgpt }) => {
    const { completions } = openai(apiKey).chat;
    const body = {
      model,
      messages: [
        { role: 'system' as const, content: system },
        { role: 'user' as const, content: asked },
      ],
      tools: [{ type: 'function' as const, function: { name, description, parameters: schema } }],
    };
    const { choices, usage } = isStream
      ? await completions.stream({ ...body, stream_options: { include_usage: true } }).finalChatCompletion()
      : await completions.create(body);
    const { content, tool_calls: calls = [] } = choices[0]?.message ?? {};
    const args = calls.map((call) => call.type === 'function' && JSON.parse(call.function.arguments));
    return [content ?? '', usage?.completion_tokens, args];
  },
  anthropic: async ({ asked = question.content, isStream, apiKey, model = MODELS.anthropic }) => {
    const { messages } = anthropic(apiKey);
    const tools = [{ name, description, input_schema: schema }];
    const body = { model, max_tokens: 500, system, messages: [{ role: 'user' as const, content: asked }], tools };
    const { content, usage } = await (isStream ? messages.stream(body).finalMessage() : messages.create(body));
    const texts = content.flatMap((block) => (block.type === 'text' ? block.text : []));
    return [texts.join(''), usage.output_tokens, content.flatMap((one) => (one.type === 'tool_use' ? one.input : []))];
  },
  gemini: async ({ asked = question.content, isStream, apiKey, model = MODELS.gemini }) => {
    const { models } = gemini(apiKey);
    const tools = [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }];
    const body = { model, contents: asked, config: { systemInstruction: system, tools } };
    const chunks = isStream
      ? await Array.fromAsync(await models.generateContentStream(body))
      : [await models.generateContent(body)];
    const text = chunks.map((chunk) => chunk.text ?? '').join('');
    const calls = chunks.flatMap(({ functionCalls = [] }) => functionCalls.map((call) => call.args));
    return [text, chunks.at(-1)?.usageMetadata?.candidatesTokenCount, calls];
  },
};

describe("a vendor's package, called against the emulator,", () => {
  test.each(llmVendors)(
    'reads an answer and a call of a tool, whole and streamed, with the usage: %s',
    async (vendor) => {
      for (const [asked, text, calls] of [
        [question.content, expectedReply, []],
        [REFUNDS, '', [{ id: 7 }]],
      ] as const) {
        const whole = await PACKAGES[vendor]({ asked });
        expect(whole).toEqual([text, expect.any(Number), calls]);
        expect(await PACKAGES[vendor]({ asked, isStream: true })).toEqual(whole);
      }
    },
  );

  test.each<[LlmVendor, Asking, Fault | null, status: number]>([
    ['chatgpt', { apiKey: 'sk-wrong' }, null, 401],
    ['chatgpt', { model: 'gpt-none' }, null, 404],
    ['chatgpt', {}, { kind: 'openai.rate_limited' }, 429],
    ['chatgpt', {}, { kind: 'openai.server_error' }, 500],
    ['anthropic', { apiKey: 'wrong' }, null, 401],
    ['anthropic', { model: 'claude-none' }, null, 404],
    ['anthropic', {}, { kind: 'anthropic.rate_limited' }, 429],
    ['anthropic', {}, { kind: 'anthropic.server_error', status: 529 }, 529],
    ['gemini', { apiKey: 'wrong' }, null, 400],
    ['gemini', { model: 'gemini-none' }, null, 404],
    ['gemini', {}, { kind: 'gemini.server_error', status: 503 }, 503],
  ])('throws the status of an error: %s, %j, %j', async (vendor, asking, fault, status) => {
    await world.control.setFaults(fault ? [fault] : []);
    await expect(PACKAGES[vendor](asking)).rejects.toMatchObject({ status });
  });

  test('is refused a temperature by the newest version of Anthropic', async () => {
    const newest = new Anthropic({ apiKey: KEYS.anthropic, baseURL: `${world.url}/anthropic`, maxRetries: 0 });
    const body: object = { model: MODELS.anthropic, max_tokens: 500, messages: [question], temperature: 1 };
    await expect(newest.messages.create(body as Anthropic.MessageCreateParamsNonStreaming)).rejects.toThrow(
      'temperature: Extra inputs are not permitted',
    );
  });
});

/** Return path, key and body of the requests that the work sends. */
async function recorded(work: () => Promise<unknown>) {
  const spy = vi.spyOn(globalThis, 'fetch');
  await work();
  const sent = spy.mock.calls.map(([input, init]) => {
    const headers = new Headers(init?.headers);
    const auth = ['authorization', 'x-api-key', 'x-goog-api-key'].flatMap((one) => headers.get(one) ?? []);
    const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : 'null');
    return { path: new URL(input instanceof Request ? input.url : input).pathname, auth, body };
  });
  spy.mockRestore();
  return sent;
}

describe('a request of ours', () => {
  const modelOf = (vendor: LlmVendor) =>
    vendors[vendor].model({ apiKey: KEYS[vendor], baseUrl: `${world.url}${PATHS[vendor]}`, fetch }, MODELS[vendor]);
  const ours = async (vendor: LlmVendor) => {
    const asked = { system, messages: [question], temperature: 0.5, maxRetries: 0 };
    const [first] = await recorded(async () => {
      expect(await streamText({ model: modelOf(vendor), ...asked }).text).toBe(expectedReply);
    });
    if (!first) throw new Error('Nothing was sent');
    return first;
  };

  test('to OpenAI is accepted by its package, which sends it unchanged', async () => {
    const own = await ours('chatgpt');
    const body = own.body as OpenAI.ChatCompletionCreateParamsStreaming;
    expect(await recorded(async () => Array.fromAsync(await openai().chat.completions.create(body)))).toEqual([own]);
  });

  test('to Anthropic is accepted by its package, which sends it unchanged', async () => {
    const own = await ours('anthropic');
    const body = own.body as Anthropic.MessageCreateParamsStreaming;
    const sent = await recorded(async () => Array.fromAsync(await anthropic().messages.create(body)));
    // The package sends the key in the newer of the two headers that the vendor accepts.
    expect(sent).toEqual([{ ...own, auth: [`Bearer ${KEYS.anthropic}`] }]);
    expect(own.auth).toEqual([KEYS.anthropic]);
  });

  test("to Gemini equals that of Google's package", async () => {
    const own = await ours('gemini');
    const config = { systemInstruction: { parts: [{ text: system }] }, temperature: 0.5 };
    const asked = { model: MODELS.gemini, contents: question.content, config };
    const [theirs] = await recorded(async () => Array.fromAsync(await gemini().models.generateContentStream(asked)));
    expect([own.path, own.auth]).toEqual([theirs?.path, theirs?.auth]);
    const { contents } = Object(theirs?.body);
    expect(own.body).toMatchObject({ contents, generationConfig: { temperature: 0.5 } });
    expect(JSON.stringify(own.body)).toContain('English lessons');
  });

  test.each(llmVendors)('to %s declares tools, and returns their results', async (vendor) => {
    const execute = vi.fn(() => 'Refunds are given within 14 days.');
    const read_prompts = tool({ description, inputSchema: jsonSchema<{ id: number }>(schema), execute });
    const asked = { system, prompt: REFUNDS, stopWhen: stepCountIs(3), tools: { read_prompts } };
    const result = await generateText({ model: modelOf(vendor), ...asked });
    expect(execute).toHaveBeenCalledExactlyOnceWith({ id: 7 }, expect.anything());
    expect(result.text).toContain('within 14 days');
  });

  test.each(llmVendors)('to %s lists the models that can chat', async (vendor) => {
    const access = { apiKey: KEYS[vendor], baseUrl: `${world.url}${PATHS[vendor]}`, fetch };
    const { url, headers } = vendors[vendor].listRequest(access);
    const names = vendors[vendor].parseNames(await (await fetch(url, { headers })).json());
    expect(names).toContain(MODELS[vendor]);
    expect(names.join()).not.toContain('embedding');
  });
});

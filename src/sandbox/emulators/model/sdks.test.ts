/** The vendors' own packages against the emulators, and our requests against those that the packages send. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { attemptModelCall, type ModelRequest } from '../../../llm/modelAttempt.ts';
import { vendors } from '../../../llm/vendors.ts';
import type { ModelMessage, ModelTool } from '../../../llm/wire/message.ts';
import type { ModelAccess } from '../../../llm/wire/wire.ts';
import { createOutbound } from '../../../platform/outbound.ts';
import { type LlmVendor, llmVendors } from '../../../products/contract.ts';
import type { Fault } from '../contract.ts';
import { expectedReply, question, system } from '../openai/testing.ts';
import { setUpEmulators, world } from '../testEmulators.ts';

setUpEmulators();

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

const AUTH = ['authorization', 'x-api-key', 'x-goog-api-key'];

/** Return path, key and body of the requests that a package sends. */
async function recorded(work: () => Promise<unknown>) {
  const spy = vi.spyOn(globalThis, 'fetch');
  await work();
  const sent = spy.mock.calls.map(([input, init]) => {
    const headers = new Headers(init?.headers);
    const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : 'null');
    const path = new URL(input instanceof Request ? input.url : input).pathname;
    return { path, auth: AUTH.flatMap((one) => headers.get(one) ?? []), body };
  });
  spy.mockRestore();
  return sent;
}

const outbound = createOutbound({ loopback: true, hosts: [], ports: [443] });
afterAll(() => outbound.close());

const lookup: ModelTool = { name, description, parameters: schema };
/** A conversation with a call of a tool and its result. */
const HISTORY: readonly ModelMessage[] = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hello!' },
  { role: 'user', content: REFUNDS },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'One moment.' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: name, input: { id: 7 } },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'call_1', toolName: name, output: { type: 'text', value: 'Within 14 days.' } },
    ],
  },
  question,
];

/** Ask through our wire; return the outcome, and path, key and body of each request. */
async function askOurs(vendor: LlmVendor, request: Partial<ModelRequest> = {}) {
  const sent: { path: string; auth: string[]; body: unknown }[] = [];
  const stream: ModelAccess['stream'] = (url, call) => {
    const auth = AUTH.flatMap((one) => call.headers[one] ?? []);
    sent.push({ path: new URL(url).pathname, auth, body: JSON.parse(call.body) });
    return outbound.stream(url, call);
  };
  const access = { apiKey: KEYS[vendor], baseUrl: `${world.url}${PATHS[vendor]}`, stream };
  const model = { wire: vendors[vendor].wire, access, name: MODELS[vendor] };
  const timeouts = { idleSeconds: 10, totalMs: 20_000, signal: undefined };
  const outcome = await attemptModelCall(
    { model, system, messages: [question], temperature: 0.5, ...request },
    timeouts,
  );
  return { outcome, sent };
}

describe('our wire', () => {
  /** Return a request with a conversation, tools and a limit. */
  const sentBy = async (vendor: LlmVendor) => {
    const asked = { messages: HISTORY, tools: [lookup], returnsToolCalls: true, maxTokens: 500 };
    const { outcome, sent } = await askOurs(vendor, asked);
    expect(outcome.kind).toBe('answered');
    const [own] = sent;
    if (!own) throw new Error('Nothing was sent');
    return own;
  };

  test('to OpenAI sends what its package accepts and sends unchanged', async () => {
    const own = await sentBy('chatgpt');
    const body = own.body as OpenAI.ChatCompletionCreateParamsStreaming;
    expect(await recorded(async () => Array.fromAsync(await openai().chat.completions.create(body)))).toEqual([own]);
  });

  test('to Anthropic sends what its package accepts and sends unchanged', async () => {
    const own = await sentBy('anthropic');
    const body = own.body as Anthropic.MessageCreateParamsStreaming;
    const sent = await recorded(async () => Array.fromAsync(await anthropic().messages.create(body)));
    // The package sends the key in the newer of the two headers that the vendor accepts.
    expect(sent).toEqual([{ ...own, auth: [`Bearer ${KEYS.anthropic}`] }]);
    expect(own.auth).toEqual([KEYS.anthropic]);
  });

  test("to Gemini sends what Google's package sends", async () => {
    const own = await sentBy('gemini');
    const config = {
      systemInstruction: { parts: [{ text: system }] },
      temperature: 0.5,
      maxOutputTokens: 500,
      tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }],
    };
    const { contents } = Object(own.body);
    const asked = { model: MODELS.gemini, contents, config };
    const [theirs] = await recorded(async () => Array.fromAsync(await gemini().models.generateContentStream(asked)));
    expect([own.path, own.auth]).toEqual([theirs?.path, theirs?.auth]);
    expect(theirs?.body).toMatchObject(Object(own.body));
  });

  test.each(llmVendors)('to %s reads the same answer, usage and calls as the package', async (vendor) => {
    for (const asked of [question.content, REFUNDS]) {
      const { outcome } = await askOurs(vendor, {
        messages: [{ role: 'user', content: asked }],
        tools: [lookup],
        temperature: null,
        returnsToolCalls: true,
      });
      if (outcome.kind === 'failed') throw new Error(outcome.reason);
      const read = [outcome.text, outcome.outputTokens, outcome.calls.map(({ input }) => input)];
      expect(read).toEqual(await PACKAGES[vendor]({ asked, isStream: true }));
      expect(outcome.metadata).toMatchObject({ model: MODELS[vendor] });
    }
  });

  test.each(llmVendors)('to %s carries out calls, and returns their results to the model', async (vendor) => {
    const execute = vi.fn(() => Promise.resolve('Refunds are given within 14 days.'));
    const asked = {
      messages: [{ role: 'user' as const, content: REFUNDS }],
      tools: [{ ...lookup, execute }],
      rounds: 2,
    };
    const { outcome, sent } = await askOurs(vendor, asked);
    expect(execute).toHaveBeenCalledExactlyOnceWith({ id: 7 });
    expect(outcome).toMatchObject({ kind: 'answered', text: expect.stringContaining('within 14 days'), calls: [] });
    expect(sent).toHaveLength(2);
  });

  test.each(llmVendors)('to %s lists the models that can chat', async (vendor) => {
    const access = { apiKey: KEYS[vendor], baseUrl: `${world.url}${PATHS[vendor]}` };
    const { url, headers } = vendors[vendor].listRequest(access);
    const names = vendors[vendor].parseNames(await (await fetch(url, { headers })).json());
    expect(names).toContain(MODELS[vendor]);
    expect(names.join()).not.toContain('embedding');
  });
});

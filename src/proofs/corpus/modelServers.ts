/** What model servers really send: what is read, what the operator is told, what is counted, and what the vendor's package reads. */
import { Readable } from 'node:stream';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { AdaptedModel } from '../../llm/adaptedModel.ts';
import { vendors } from '../../llm/vendors.ts';
import type { ModelTool } from '../../llm/wire/message.ts';
import servers from '../../llm/wire/modelServers.corpus.json' with { type: 'json' };
import type { ModelAccess } from '../../llm/wire/wire.ts';
import { type LlmVendor, llmVendors } from '../../products/contract.ts';
import type { Corpus, CorpusFile, Judged } from './corpus.ts';

interface ServerCase {
  readonly kind: string;
  readonly vendor: string;
  /** Default 200. */
  readonly status?: number;
  readonly base_url?: string;
  readonly model?: string;
  /** The answer: its events, or its body as it is. */
  readonly events?: readonly unknown[];
  readonly body?: string;
  /** The server answers so to requests with these alone; to others, it says Hello. */
  readonly refuses?: readonly string[];
  /** What the request must have. */
  readonly sends?: readonly string[];
  readonly expected: string;
  /** What the package reads; by default the same as we do. */
  readonly package?: string;
}

const file: CorpusFile<ServerCase> = servers;

/** A case with what came of it. */
export interface ServerRow {
  readonly case: ServerCase;
  readonly what: string;
  readonly report: string | undefined;
  readonly ours: string;
  /** Null: it is not called, because the case is about our requests. */
  readonly theirs: string | null;
}

const ADDRESSES = {
  chatgpt: 'http://127.0.0.1:8000/v1',
  anthropic: 'http://127.0.0.1:8000/v1',
  gemini: 'http://127.0.0.1:8000/v1beta',
} as const;
const TOOL: ModelTool = { name: 'find', description: 'Finds a text', parameters: { type: 'object', properties: {} } };
const HELLO: Readonly<Record<LlmVendor, readonly unknown[]>> = {
  chatgpt: [{ choices: [{ delta: { content: 'Hello' }, finish_reason: 'stop' }] }],
  gemini: [{ candidates: [{ content: { parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }] }],
  anthropic: [
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  ],
};

const bodyOf = ({ body, events = [] }: Pick<ServerCase, 'body' | 'events'>): string =>
  body ?? events.map(toEvent).join('');

function toEvent(one: unknown): string {
  if (typeof one === 'string') return `data: ${one}\n\n`;
  // Anthropic's package tells events by their names.
  const { type } = Object(one);
  return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(one)}\n\n`;
}

const vendorOf = ({ vendor }: ServerCase): LlmVendor => llmVendors.find((one) => one === vendor) ?? 'chatgpt';

interface Reading {
  readonly text: string;
  readonly calls: readonly (readonly [name: string, input: unknown])[];
  readonly input: number | null;
  readonly output: number | null;
}

const describeReading = ({ text, calls, input, output }: Reading): string =>
  [
    ...(text === '' ? [] : [JSON.stringify(text)]),
    ...calls.map(([name, args]) => `calls ${name} ${JSON.stringify(args)}`),
    ...(input === null && output === null ? [] : [`${input ?? 0} + ${output ?? 0} tokens`]),
  ].join(', ') || 'nothing';

async function readOurs(one: ServerCase): Promise<string> {
  const vendor = vendorOf(one);
  const sent: Record<string, unknown>[] = [];
  const stream: ModelAccess['stream'] = async (_url, request) => {
    const body: unknown = JSON.parse(request.body);
    sent.push(Object(body));
    const isRefused = one.refuses === undefined || one.refuses.some((name) => hasParameter(body, name));
    const answer = isRefused ? bodyOf(one) : bodyOf({ events: HELLO[vendor] });
    return {
      status: isRefused ? (one.status ?? 200) : 200,
      statusText: '',
      headers: {},
      body: Readable.from([Buffer.from(answer)]),
      text: async () => answer,
    };
  };
  let remembered: readonly string[] = [];
  const model = new AdaptedModel(undefined, async (refused) => {
    remembered = Object.keys(refused);
  });
  const access = { apiKey: 'key', baseUrl: one.base_url ?? ADDRESSES[vendor], stream };
  const outcome = await model.attempt(
    {
      model: { wire: vendors[vendor].wire, access, name: one.model ?? 'any' },
      system: 'Facts',
      messages: [{ role: 'user', content: 'Hello' }],
      temperature: 0.5,
      maxTokens: 100,
      tools: [TOOL],
      returnsToolCalls: true,
    },
    { idleSeconds: 10, totalMs: 10_000, signal: undefined },
  );
  const missing = (one.sends ?? []).filter((name) => !sent.some((body) => hasParameter(body, name)));
  if (missing.length > 0) return `sent without ${missing.join(', ')}`;
  if (outcome.kind === 'failed') {
    const when = outcome.isPermanent ? 'final' : outcome.isRetryable ? 'asked again' : 'later';
    return `${when}: ${outcome.reason}`;
  }
  const calls = outcome.calls.map(({ tool, input }) => [tool, input] as const);
  const { text, inputTokens: input, outputTokens: output } = outcome;
  const read = describeReading({ text, calls, input, output });
  return remembered.length === 0 ? read : `${read}; from then on without ${remembered.join(', ')}`;
}

function hasParameter(body: unknown, name: string): boolean {
  const { messages, generationConfig, systemInstruction } = Object(body);
  if (name === 'developer') return JSON.stringify(messages ?? []).includes('"role":"developer"');
  if (name === 'system') return systemInstruction !== undefined;
  return name in Object(body) || name in Object(generationConfig);
}

const PACKAGES: Readonly<Record<LlmVendor, (one: ServerCase, answer: typeof fetch) => Promise<Reading>>> = {
  async chatgpt(_one, answer) {
    const client = new OpenAI({ apiKey: 'key', baseURL: ADDRESSES.chatgpt, maxRetries: 0, fetch: answer });
    const stream = client.chat.completions.stream({
      model: 'any',
      messages: [],
      stream_options: { include_usage: true },
    });
    let usage: OpenAI.CompletionUsage | null = null;
    stream.on('chunk', (chunk) => {
      usage = chunk.usage ?? usage;
    });
    const { choices } = await stream.finalChatCompletion();
    const { content, tool_calls: calls = [] } = choices[0]?.message ?? {};
    return {
      text: content ?? '',
      calls: calls.flatMap((call) => (call.type === 'function' ? [readCall(call.function)] : [])),
      ...tokensOf(usage),
    };
  },
  async anthropic(_one, answer) {
    const baseURL = ADDRESSES.anthropic.replace('/v1', '');
    const client = new Anthropic({ apiKey: 'key', baseURL, maxRetries: 0, fetch: answer });
    const asked = { model: 'any', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] };
    const { content, usage } = await client.messages.stream(asked).finalMessage();
    return {
      text: content.flatMap((block) => (block.type === 'text' ? block.text : [])).join(''),
      calls: content.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.input] as const] : [])),
      input: usage.input_tokens,
      output: usage.output_tokens,
    };
  },
  async gemini(_one, answer) {
    const { fetch: real } = globalThis;
    globalThis.fetch = answer;
    try {
      const client = new GoogleGenAI({
        apiKey: 'key',
        httpOptions: { baseUrl: 'http://127.0.0.1:8000', apiVersion: 'v1beta' },
      });
      const chunks = await Array.fromAsync(
        await client.models.generateContentStream({ model: 'any', contents: 'Hello' }),
      );
      const usage = chunks.findLast((chunk) => chunk.usageMetadata)?.usageMetadata;
      return {
        text: chunks.map((chunk) => chunk.text ?? '').join(''),
        calls: chunks.flatMap(({ functionCalls = [] }) =>
          functionCalls.map(({ name = '', args }) => [name, args] as const),
        ),
        input: usage?.promptTokenCount ?? null,
        output: usage ? (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0) : null,
      };
    } finally {
      globalThis.fetch = real;
    }
  },
};

const tokensOf = (usage: OpenAI.CompletionUsage | null) => ({
  input: usage?.prompt_tokens ?? null,
  output: usage?.completion_tokens ?? null,
});

function readCall({ name, arguments: args }: { name: string; arguments: string }): readonly [string, unknown] {
  try {
    return [name, JSON.parse(args)];
  } catch {
    return [name, args];
  }
}

/** A sentence of the package about an answer that it does not read. */
async function readTheirs(one: ServerCase): Promise<string> {
  const answer = async () =>
    new Response(bodyOf(one), {
      status: one.status ?? 200,
      headers: {
        'content-type': one.events ? 'text/event-stream' : one.body?.startsWith('<') ? 'text/html' : 'application/json',
      },
    });
  try {
    return describeReading(await PACKAGES[vendorOf(one)](one, answer));
  } catch (error) {
    return `error: ${error instanceof Error ? error.message.replace(/\s+/g, ' ').slice(0, 160) : String(error)}`;
  }
}

/** Judge every case, one after the other: Google's package takes the global `fetch`. */
export async function readServerRows(): Promise<ServerRow[]> {
  const rows: ServerRow[] = [];
  for (const one of file.cases) {
    const kind = file.kinds[one.kind];
    if (!kind) throw new Error(`model servers: no kind is named ${one.kind}`);
    const theirs = one.refuses || one.sends ? null : await readTheirs(one);
    rows.push({ case: one, what: kind.what, report: kind.report, ours: await readOurs(one), theirs });
  }
  return rows;
}

export const MODEL_SERVERS: Corpus = {
  name: 'model servers',
  judge: async () =>
    (await readServerRows()).map(({ case: one, ours, theirs }): Judged => {
      const isOther = theirs !== null && theirs !== ours;
      return {
        kind: one.kind,
        language: null,
        input: `${one.vendor} ${one.status ?? 200} ${bodyOf(one)}`,
        expected: [one.expected, ...(one.package === undefined ? [] : [one.package])].join(' | package: '),
        actual: [ours, ...(isOther ? [theirs] : [])].join(' | package: '),
      };
    }),
};

/** The wires against a vendor that answers anything: what is read, what is refused, and what each outcome is. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound } from '../../platform/outbound.ts';
import { type LlmVendor, llmVendors } from '../../products/contract.ts';
import { type Attempt, attemptModelCall, type ModelRequest } from '../modelAttempt.ts';
import { vendors } from '../vendors.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** The answers to the next requests, and the bodies of the requests. */
let answers: Answer[] = [];
let asked: { readonly body: Record<string, unknown>; readonly closed: Promise<unknown> }[] = [];

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    asked.push({ body: JSON.parse(body), closed: once(response, 'close') });
    answers.shift()?.(response, request);
  });
});
const outbound = createOutbound({ loopback: true, hosts: [], ports: [443] });
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  await outbound.close();
  server.close();
});

interface Options extends Partial<ModelRequest> {
  readonly vendor?: LlmVendor;
  readonly model?: never;
  readonly name?: string;
  readonly idleSeconds?: number;
  readonly signal?: AbortSignal;
}

function ask(
  next: readonly Answer[],
  { vendor = 'chatgpt', name = 'any', ...options }: Options = {},
): Promise<Attempt> {
  answers = [...next];
  asked = [];
  const { idleSeconds = 5, signal, ...request } = options;
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const access = { apiKey: 'key', baseUrl, stream: outbound.stream };
  return attemptModelCall(
    {
      system: 'Facts',
      messages: [{ role: 'user', content: 'Hello' }],
      temperature: null,
      ...request,
      model: { wire: vendors[vendor].wire, access, name },
    },
    { idleSeconds, totalMs: 20_000, signal },
  );
}

/** An event that reports 5 tokens of the request and 2 of the answer. */
const USAGE: Readonly<Record<LlmVendor, object>> = {
  chatgpt: { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
  gemini: { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 } },
  anthropic: { type: 'message_delta', usage: { input_tokens: 5, output_tokens: 2 } },
};
const EVENTS = { 'content-type': 'text/event-stream' };
/** Answer with events, one for each piece; a text is sent as it is. */
const events =
  (...pieces: readonly unknown[]): Answer =>
  (response) => {
    response.writeHead(200, EVENTS);
    for (const one of pieces) response.write(typeof one === 'string' ? one : `data: ${JSON.stringify(one)}\n\n`);
    response.end();
  };
/** Send events, and then neither more nor the end. */
const unfinished =
  (...pieces: readonly unknown[]): Answer =>
  (response) => {
    response.writeHead(200, EVENTS);
    for (const one of pieces) response.write(typeof one === 'string' ? one : `data: ${JSON.stringify(one)}\n\n`);
  };
const refused =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** Chunks of OpenAI. */
const delta = (change: object, finish: string | null = null) => ({
  choices: [{ delta: change, finish_reason: finish }],
});
const text = (content: string) => delta({ content });
const toolCall = (call: object) => delta({ tool_calls: [call] });
const STOP = delta({}, 'stop');
const CALLED = delta({}, 'tool_calls');

const TEXTS: Readonly<Record<LlmVendor, (content: string) => object>> = {
  chatgpt: text,
  anthropic: (content) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: content } }),
  gemini: (content) => ({ candidates: [{ content: { parts: [{ text: content }] } }] }),
};
const ENDS: Readonly<Record<LlmVendor, object>> = {
  chatgpt: STOP,
  anthropic: { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  gemini: { candidates: [{ finishReason: 'STOP' }] },
};
const ERRORS: Readonly<Record<LlmVendor, readonly [body: object, status: number]>> = {
  chatgpt: [{ error: { message: 'Slow down', code: 'rate_limit_exceeded' } }, 429],
  anthropic: [{ type: 'error', error: { type: 'overloaded_error', message: 'Slow down' } }, 529],
  gemini: [{ error: { code: 503, message: 'Slow down', status: 'UNAVAILABLE' } }, 503],
};

describe.each(llmVendors)('a stream of %s', (vendor) => {
  const piece = TEXTS[vendor];
  const end = ENDS[vendor];

  it('is read whole, wherever its bytes are split, with any line ends and comments', async () => {
    const bytes = Buffer.from(
      `\uFEFF: open\r\n\r\ndata: ${JSON.stringify(piece('Grüße, '))}\r\n\r\nid: 1\ndata: ${JSON.stringify(piece('здрав 🙂'))}\n\n: keep\n\ndata: ${JSON.stringify(end)}\n\n`,
    );
    const byteByByte: Answer = (response) => {
      response.writeHead(200, EVENTS);
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    };
    const pieces: string[] = [];
    const outcome = await ask([byteByByte], { vendor, onText: (one) => pieces.push(one) });
    expect(outcome).toMatchObject({ kind: 'answered', text: 'Grüße, здрав 🙂', metadata: { finish: 'stop' } });
    expect(pieces).toEqual(['Grüße, ', 'здрав 🙂']);
  });

  it('shows nobody the thoughts that it begins with, wherever their marks are split', async () => {
    const visible: string[] = [];
    const answer = events(...['<th', 'ink>They ask for ', 'a price.</thi', 'nk>\n\nSix ', 'weeks.'].map(piece), end);
    const outcome = await ask([answer], { vendor, onText: (one) => visible.push(one) });
    expect(outcome).toMatchObject({ kind: 'answered', text: 'Six weeks.' });
    expect(visible.join('')).toBe('Six weeks.');
  });

  it.each<[what: string, answer: Answer, reason: RegExp]>([
    ['half JSON', events(piece('a'), 'data: {"id":"x\n\n', end), /could not be read: An event is not JSON/],
    ['no JSON at all', events(piece('a'), 'data: secret-words\n\n'), /could not be read: An event is not JSON$/],
    ['another shape', events({ type: 5, choices: 5, candidates: 5 }), /could not be read.*not in the vendor's shape/],
    ['an early end', events(piece('a')), /broke off its answer \(interrupted\)/],
    ['nothing', events(), /The model answered nothing$/],
    [
      'an unknown end',
      events(piece('a'), JSON.parse(JSON.stringify(end).replace(/"(stop|end_turn|STOP)"/, '"x"'))),
      /broke off its answer \(other\)/,
    ],
    ['an event of 3 MB', unfinished(`data: ${'x'.repeat(3 * 1024 * 1024)}`), /An event is longer than 2 MB/],
    ['9 MB of comments', unfinished(`: ${'x'.repeat(1024)}\n`.repeat(9 * 1024)), /could not be read/],
    [
      'a text of 300 KB',
      unfinished(...Array.from({ length: 100 }, () => piece('€'.repeat(1000)))),
      /longer than 256 KB/,
    ],
  ])('is refused, and its connection ended, if it has %s', async (_what, answer, reason) => {
    const outcome = await ask([answer], { vendor });
    expect(outcome).toMatchObject({ kind: 'failed', isPermanent: false, reason: expect.stringMatching(reason) });
    expect(JSON.stringify(outcome)).not.toContain('secret-words');
    await asked[0]?.closed;
  });

  it('is no answer if it has only thought', async () => {
    const reason = 'The model has only thought, and not answered';
    const outcome = await ask([events(piece('<think>They ask '), piece('for a price'), end)], { vendor });
    expect(outcome).toMatchObject({ kind: 'failed', isRetryable: false, isPermanent: false, reason });
  });

  it('is read on after what cannot be read, since its usage may follow', async () => {
    const outcome = await ask([events(piece('a'), 'data: secret-words\n\n', USAGE[vendor], end)], { vendor });
    const reason = expect.stringContaining('An event is not JSON');
    expect(outcome).toMatchObject({ kind: 'failed', reason, inputTokens: 5, outputTokens: 2 });
  });

  it('is refused if it is cut', async () => {
    const cut: Answer = (response) => {
      response.writeHead(200, EVENTS).write(`data: ${JSON.stringify(piece('a'))}\n\n`);
      response.socket?.destroySoon();
    };
    const reason = expect.stringContaining('could not be read');
    expect(await ask([cut], { vendor })).toMatchObject({ kind: 'failed', isRetryable: true, reason });
  });

  it('ends with the error that the vendor reports in it', async () => {
    const [body, status] = ERRORS[vendor];
    const reason = `The model vendor answered ${status}: Slow down`;
    expect(await ask([events(piece('a'), body)], { vendor })).toMatchObject({
      kind: 'failed',
      isRetryable: true,
      reason,
    });
  });

  it('ends when the vendor falls silent, and when the caller leaves', async () => {
    const silent = { vendor, idleSeconds: 0.1 };
    expect(await ask([unfinished()], silent)).toMatchObject({ reason: expect.stringContaining('did not begin') });
    await asked[0]?.closed;
    expect(await ask([unfinished(piece('a'))], silent)).toMatchObject({ reason: expect.stringContaining('middle') });
    await asked[0]?.closed;
    const caller = new AbortController();
    const left = ask([unfinished(piece('a'))], { vendor, signal: caller.signal, onText: () => caller.abort() });
    expect(await left).toMatchObject({ kind: 'failed', isRetryable: false, reason: 'The caller has gone' });
    await asked[0]?.closed;
  });
});

describe('a refusal', () => {
  it.each<[answer: Answer, outcome: Partial<Attempt>]>([
    [
      refused(401, { error: { message: 'Wrong key sk-abc123' } }),
      { isPermanent: true, isRetryable: false, reason: 'The model vendor answered 401: Wrong key …' },
    ],
    [refused(429, { error: { message: 'Slow' } }, { 'retry-after': '7' }), { isRetryable: true, retryAfterSeconds: 7 }],
    [
      refused(429, { error: { message: 'Slow' } }, { 'retry-after-ms': '1500' }),
      { isRetryable: true, retryAfterSeconds: 1.5 },
    ],
    [
      refused(429, { error: { message: 'Slow', details: [{ retryDelay: '3.5s' }] } }),
      { isRetryable: true, retryAfterSeconds: 3.5 },
    ],
    [refused(429, { error: { message: 'Spent', code: 'insufficient_quota' } }), { isRetryable: false }],
    [
      refused(400, { error: { message: "Unsupported value: 'temperature'" } }),
      { isPermanent: true, refusal: expect.stringContaining('temperature') },
    ],
    [refused(502, '<html>'), { isRetryable: true, reason: 'The model vendor answered 502: Bad Gateway' }],
    [refused(302, '', { location: '/elsewhere' }), { isRetryable: true, reason: expect.stringContaining(':') }],
    [
      (response) => void response.destroy(),
      { isRetryable: true, reason: expect.stringMatching(/does not answer: 127\.0\.0\.1:\d+ cut the connection$/) },
    ],
  ])('has its own outcome: %#', async (answer, outcome) => {
    expect(await ask([answer])).toMatchObject({ kind: 'failed', ...outcome });
    expect(asked).toHaveLength(1);
  });
});

describe('the calls of an answer', () => {
  const tool = { name: 'find', description: '', parameters: { type: 'object' } };
  const calls = async (...pieces: readonly unknown[]) => {
    const outcome = await ask([events(...pieces, CALLED)], { tools: [tool], returnsToolCalls: true });
    return outcome.kind === 'answered'
      ? outcome.calls.map(({ tool, input, fault }) => [tool, input, fault === null])
      : outcome.reason;
  };
  const start = (index: number | undefined, id: string, name: string, args = '') =>
    toolCall({ index, id, type: 'function', function: { name, arguments: args } });
  const more = (index: number | undefined, args: string) => toolCall({ index, function: { arguments: args } });

  it('are assembled from pieces by their index, their id or their order', async () => {
    const both = [
      ['find', { id: 1 }, true],
      ['find', { id: 2 }, true],
    ];
    expect(
      await calls(start(0, 'a', 'find'), start(1, 'b', 'find'), more(0, '{"id"'), more(1, '{"id":2}'), more(0, ':1}')),
    ).toEqual(both);
    expect(await calls(start(0, 'a', 'find', '{"id":1}'), start(0, 'b', 'find', '{"id":2}'))).toEqual(both);
    expect(
      await calls(
        start(undefined, 'a', 'find', '{"id"'),
        more(undefined, ':1}'),
        start(undefined, 'b', 'find', '{"id":2}'),
      ),
    ).toEqual(both);
    expect(await calls(start(0, 'a', 'find'))).toEqual([['find', {}, true]]);
  });

  it('are returned with a fault where there is no such tool, or the arguments are not what can be stored', async () => {
    const pieces = [
      start(0, 'a', 'erase', '{"all":true}'),
      start(1, 'b', '__proto__', '{}'),
      start(2, 'c', 'find', '{"id":'),
      start(3, 'd', 'find', '{"__proto__":{"id":1}}'),
      start(4, 'e', 'find', JSON.stringify({ id: '\u0000' })),
      start(5, 'f', 'find', '['.repeat(50_000)),
      start(6, 'g', 'find', '{"id":1}'),
      start(7, 'h', '', '{}'),
    ];
    const read = await calls(...pieces);
    expect(Array.isArray(read) ? read.map(([name, , isValid]) => [name, isValid]) : read).toEqual([
      ['erase', false],
      ['__proto__', false],
      ['find', false],
      ['find', false],
      ['find', false],
      ['find', false],
      ['find', true],
    ]);
  });

  it('are sent back to the model with an object for their arguments, and ids that are unique', async () => {
    const answer = events(
      start(0, 'a', 'find', '[1]'),
      start(1, 'a', 'find', '{"id":'),
      start(2, '', 'find', '{"id":3}'),
      CALLED,
    );
    const executed = { ...tool, execute: async (input: unknown) => `found ${JSON.stringify(input)}` };
    const outcome = await ask([answer, events(text('Done'), STOP)], { tools: [executed], rounds: 1 });
    expect(outcome).toMatchObject({ kind: 'answered', text: 'Done' });
    const messages = asked[1]?.body['messages'] as {
      tool_calls?: { id: string; function: { arguments: string } }[];
      tool_call_id?: string;
      content: string;
    }[];
    const sent = messages.flatMap(({ tool_calls = [] }) => tool_calls);
    expect(sent.map((one) => one.function.arguments)).toEqual(['{}', '{}', '{"id":3}']);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(3);
    const results = messages.filter((one) => one.tool_call_id !== undefined);
    expect(results.map((one) => one.tool_call_id)).toEqual(sent.map(({ id }) => id));
    expect(results.map(({ content }) => content)).toEqual([
      'found [1]',
      expect.stringContaining('not JSON'),
      'found {"id":3}',
    ]);
  });

  it('end the answer when they come in every round, or when none may be carried out', async () => {
    const answer = events(text('First'), start(0, 'a', 'find', '{}'), CALLED);
    const executed = { ...tool, execute: () => Promise.reject(new Error('Not now')) };
    const reason = 'The model broke off its answer (tool-calls)';
    expect(await ask([answer, answer, answer], { tools: [executed], rounds: 1 })).toMatchObject({
      kind: 'failed',
      reason,
    });
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(asked[1]?.body)).toContain('Not now');
    expect(await ask([answer])).toMatchObject({ kind: 'failed', reason });
  });

  it('that end the answer do so with what else was called and said, unless they are refused', async () => {
    const ended: unknown[] = [];
    const end = {
      ...tool,
      name: 'end',
      endsAnswer: true,
      execute: async (input: unknown) => {
        if (Object.keys(Object(input)).length === 0) throw new Error('It has no reason');
        ended.push(input);
        return 'ended';
      },
    };
    const tools = [{ ...tool, execute: async () => 'none' }, end];
    const both = events(text('Well'), start(0, 'a', 'find', '{}'), start(1, 'b', 'end', '{"why":1}'), CALLED);
    expect(await ask([both], { tools, rounds: 1 })).toMatchObject({ kind: 'answered', text: 'Well' });
    expect(asked).toHaveLength(1);
    expect(await ask([both], { tools })).toMatchObject({ kind: 'answered' });
    const invalid = events(start(0, 'a', 'end', '{}'), CALLED);
    expect(await ask([invalid, invalid], { tools, rounds: 1 })).toMatchObject({ kind: 'failed' });
    expect(JSON.stringify(asked[1]?.body)).toContain('It has no reason');
    expect(ended).toHaveLength(2);
  });

  it('count towards the length of the answer, over all rounds', async () => {
    const pieces = Array.from({ length: 100 }, (_one, index) => start(index, `id${index}`, 'x'.repeat(3000)));
    expect(await calls(...pieces)).toContain('longer than 256 KB');
    const round = events(start(0, 'a', 'find', `{"id":"${'x'.repeat(100_000)}"}`), CALLED);
    const executed = { ...tool, execute: async () => 'none' };
    const outcome = await ask([round, round, round, round], { tools: [executed], rounds: 9 });
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('longer than 256 KB') });
    expect(asked).toHaveLength(3);
  });
});

describe('a vendor receives back', () => {
  const tool = { name: 'find', description: '', parameters: { type: 'object' }, execute: async () => 'none' };

  it("Anthropic's thoughts, unchanged, before the call that they led to", async () => {
    const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
    const part = (index: number, change: object) => ({ type: 'content_block_delta', index, delta: change });
    const answer = events(
      { type: 'message_start', message: { model: 'm', usage: { input_tokens: 5, cache_read_input_tokens: 2 } } },
      block(0, { type: 'thinking', thinking: '' }),
      part(0, { type: 'thinking_delta', thinking: 'Let me ' }),
      part(0, { type: 'thinking_delta', thinking: 'look.' }),
      part(0, { type: 'signature_delta', signature: 'signed' }),
      block(1, { type: 'redacted_thinking', data: 'hidden' }),
      block(2, { type: 'tool_use', id: 'a', name: 'find', input: {} }),
      part(2, { type: 'input_json_delta', partial_json: '{"id":1}' }),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
    );
    const done = events(TEXTS.anthropic('Done'), { ...ENDS.anthropic, usage: { output_tokens: 4 } });
    const outcome = await ask([answer, done], { vendor: 'anthropic', tools: [tool], rounds: 1 });
    expect(outcome).toMatchObject({ kind: 'answered', text: 'Done', inputTokens: 7, outputTokens: 7 });
    expect(asked[1]?.body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Let me look.', signature: 'signed' },
          { type: 'redacted_thinking', data: 'hidden' },
          { type: 'tool_use', id: 'a', name: 'find', input: { id: 1 } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'none' }] },
    ]);
  });

  it("Gemini's signatures, or that there is none, with the calls", async () => {
    const called = (thoughtSignature?: string) =>
      events({
        candidates: [
          {
            content: { parts: [{ functionCall: { name: 'find', args: { id: 1 } }, thoughtSignature }] },
            finishReason: 'STOP',
          },
        ],
      });
    const done = events(TEXTS.gemini('Done'), ENDS.gemini);
    for (const [name, signature, expected] of [
      ['gemini-3.8-flash', 'signed', 'signed'],
      ['gemini-3.8-flash', undefined, 'skip_thought_signature_validator'],
      ['gemini-2.5-flash', undefined, undefined],
    ] as const) {
      await ask([called(signature), done], { vendor: 'gemini', name, tools: [tool], rounds: 1 });
      const contents = asked[1]?.body['contents'] as { parts: Record<string, unknown>[] }[];
      expect(contents[1]?.parts[0]?.['thoughtSignature']).toBe(expected);
      expect(contents[2]?.parts[0]).toMatchObject({
        functionResponse: { name: 'find', response: { content: 'none' } },
      });
    }
  });

  it('no temperature, and its own names, from reasoning models of OpenAI', async () => {
    const parameters = {
      type: 'object',
      propertyNames: { type: 'string' },
      properties: { propertyNames: { type: 'string', pattern: '(?=a)' } },
    };
    const asking = { name: 'gpt-5.6', maxTokens: 9, tools: [{ ...tool, parameters }] };
    await ask([events(text('Hi'), STOP)], asking);
    expect(asked[0]?.body).toMatchObject({
      reasoning_effort: 'none',
      max_completion_tokens: 9,
      messages: [{ role: 'developer', content: 'Facts' }, { role: 'user' }],
      tools: [{ function: { parameters: { type: 'object', properties: { propertyNames: { type: 'string' } } } } }],
    });
    expect(JSON.stringify(asked[0]?.body)).not.toMatch(/\(\?=|temperature/);
  });
});

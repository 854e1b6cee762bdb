/** The wire shapes of Anthropic's Messages API: requests and answers (API reference, version 2023-06-01). */
import { z } from 'zod';
import { type ChatRequest, chatMessages, jsonSchemaSchema } from '../model/request.ts';
import { type Completion, piecesOf, tokensOf } from '../model/respond.ts';
import type { Frame, WireCompletion } from '../model/stream.ts';

const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const resultText = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]);
const block = z.discriminatedUnion('type', [
  textBlock,
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal('tool_result'), tool_use_id: z.string(), content: resultText.optional() }),
]);
const content = z.union([z.string(), z.array(block).min(1)]);
type Content = z.infer<typeof content>;

export const messagesRequest = z.object({
  model: z.string(),
  max_tokens: z.int().min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content })).min(1),
  temperature: z.number().min(0).max(1).optional(),
  stream: z.boolean().optional(),
  tools: z
    .array(z.object({ name: z.string(), description: z.string().optional(), input_schema: jsonSchemaSchema }))
    .optional(),
});
type MessagesRequest = z.infer<typeof messagesRequest>;

/** Convert the request for the scripted model. */
export function chatOf({ model, system = '', messages, stream, max_tokens, temperature, tools }: MessagesRequest) {
  const instructions = typeof system === 'string' ? system : textsOf(system);
  const instruction = instructions === '' ? [] : [{ role: 'system' as const, content: instructions }];
  return {
    model,
    messages: [...instruction, ...messages.flatMap(({ role, content: what }) => toChatMessages(role, what))],
    stream,
    max_tokens,
    temperature,
    tools: tools?.map(({ name, description, input_schema: parameters }) => {
      return { type: 'function' as const, function: { name, description, parameters } };
    }),
  };
}

function toChatMessages(role: 'user' | 'assistant', what: Content): ChatRequest['messages'] {
  const blocks = typeof what === 'string' ? [{ type: 'text' as const, text: what }] : what;
  return chatMessages({
    role,
    text: textsOf(blocks.filter((one) => one.type === 'text')),
    calls: blocks
      .filter((one) => one.type === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
    results: blocks
      .filter((one) => one.type === 'tool_result')
      .map(({ tool_use_id: id, content: result }) => [id, resultOf(result)]),
  });
}

const textsOf = (blocks: readonly { text?: string | undefined }[]): string =>
  blocks.map((one) => one.text ?? '').join('\n');
const resultOf = (result: z.infer<typeof resultText> | undefined): string =>
  typeof result === 'string' ? result : textsOf(result ?? []);

const STOPS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;

/** Convert the completion to this protocol. */
export function wireCompletion(completion: Completion, stream: boolean): WireCompletion {
  return {
    frames: stream ? frames(completion) : null,
    end: '',
    broken: 'event: content_block_delta\ndata: {"type":"content_block_delta","ind\n\n',
    body: { ...message(completion), content: blocksOf(completion), stop_reason: STOPS[completion.finish] },
    headers: { 'request-id': `req_${completion.id}` },
  };
}

function message({ id, model, usage }: Completion): Record<string, unknown> {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usageOf(usage.prompt, usage.completion),
  };
}

function usageOf(input: number, output: number): Record<string, unknown> {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    service_tier: 'standard',
  };
}

const idOf = (completion: Completion, index: number): string => `toolu_${completion.id.slice(0, 20)}${index}`;

function blocksOf(completion: Completion): unknown[] {
  const { text, toolCalls } = completion.answer;
  return [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...toolCalls.map(({ name, arguments: input }, index) => ({
      type: 'tool_use',
      id: idOf(completion, index),
      name,
      input: JSON.parse(input),
    })),
  ];
}

/** Build an event, which is named twice: on its own line and in its data. */
function event(body: { type: string; [field: string]: unknown }, token = false): Frame {
  return { token, text: `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n` };
}

function frames(completion: Completion): Frame[] {
  const { answer, usage } = completion;
  const startMessage = { ...message(completion), usage: usageOf(usage.prompt, 1) };
  const texts = tokensOf(answer.text).map((text) => ({ type: 'text_delta', text }));
  const blocks = [
    ...(answer.text === '' ? [] : [{ content_block: { type: 'text', text: '' }, deltas: texts }]),
    ...answer.toolCalls.map((call, at) => ({
      content_block: { type: 'tool_use', id: idOf(completion, at), name: call.name, input: {} },
      deltas: piecesOf(call.arguments).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    })),
  ];
  return [
    event({ type: 'message_start', message: startMessage }),
    ...blocks.flatMap(({ content_block, deltas }, index) => [
      event({ type: 'content_block_start', index, content_block }, content_block.type === 'tool_use'),
      event({ type: 'ping' }),
      ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta }, true)),
      event({ type: 'content_block_stop', index }),
    ]),
    event({
      type: 'message_delta',
      delta: { stop_reason: STOPS[completion.finish], stop_sequence: null },
      usage: { output_tokens: usage.completion },
    }),
    event({ type: 'message_stop' }),
  ];
}

/** The wire shapes of OpenAI's chat completions: answers and stream frames. */
import { randomUUID } from 'node:crypto';
import type { ToolCall } from '../model/request.ts';
import { type Completion, piecesOf, tokensOf } from '../model/respond.ts';
import type { Frame, WireCompletion } from '../model/stream.ts';

/** Marks every answer as not given by a vendor's model. */
const systemFingerprint = 'sandbox';

/** Convert the completion to this protocol. */
export function wireCompletion(completion: Completion, stream: boolean, includeUsage: boolean): WireCompletion {
  return {
    frames: stream ? frames(completion, includeUsage) : null,
    end: 'data: [DONE]\n\n',
    broken: 'data: {"id":"chatcmpl-\n\n',
    body: wholeBody(completion),
    headers: { 'x-request-id': completion.id },
  };
}

function wholeBody(completion: Completion): Record<string, unknown> {
  const { text, toolCalls } = completion.answer;
  const message = {
    role: 'assistant',
    content: toolCalls.length > 0 && text === '' ? null : text,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(wireCall) }),
    refusal: null,
    annotations: [],
  };
  return {
    ...common(completion, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: completion.finish }],
    usage: usage(completion),
  };
}

/** Build the frames of one answer: role first, then text or calls, then the finish. */
function frames(completion: Completion, includeUsage: boolean): Frame[] {
  const chunk = (delta: unknown, finish: string | null = null): string =>
    JSON.stringify({
      ...common(completion, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      // With include_usage every chunk carries the field, null until the last (OpenAI API reference, stream_options).
      ...(includeUsage ? { usage: null } : {}),
    });
  const { text, toolCalls } = completion.answer;
  const first = { role: 'assistant', content: toolCalls.length > 0 && text === '' ? null : '', refusal: null };
  const usageChunk = { ...common(completion, 'chat.completion.chunk'), choices: [], usage: usage(completion) };
  const words = [
    ...tokensOf(text).map((content) => chunk({ content })),
    ...toolCalls.map(wireCall).flatMap((call, index) => {
      const opened = { ...call, index, function: { name: call.function.name, arguments: '' } };
      const pieces = piecesOf(call.function.arguments).map((piece) => ({ index, function: { arguments: piece } }));
      return [opened, ...pieces].map((one) => chunk({ tool_calls: [one] }));
    }),
  ];
  const ends = [chunk({}, completion.finish), ...(includeUsage ? [JSON.stringify(usageChunk)] : [])];
  const frame = (token: boolean) => (data: string) => ({ token, text: `data: ${data}\n\n` });
  return [...[chunk(first)].map(frame(false)), ...words.map(frame(true)), ...ends.map(frame(false))];
}

function common(completion: Completion, object: string): Record<string, unknown> {
  const { id, created, model } = completion;
  const marks = { service_tier: 'default', system_fingerprint: systemFingerprint };
  return { id: `chatcmpl-${id}`, object, created, model, ...marks };
}

function usage({ usage: { prompt, completion } }: Completion): Record<string, unknown> {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function wireCall(call: ToolCall): { id: string; type: 'function'; function: ToolCall } {
  return { id: `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`, type: 'function', function: call };
}

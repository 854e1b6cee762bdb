/** OpenAI's chat completions (API reference), which many other vendors offer too. */
import { z } from 'zod';
import type { AnswerBuilder, CallDraft } from './answer.ts';
import { type FinishReason, type ModelMessage, partsOf, type ToolResultPart } from './message.ts';
import { parseEvent, VendorError } from './readEvents.ts';
import type { Wire } from './wire.ts';

/** Reasoning models take instructions as `developer`, and count their thoughts in `max_completion_tokens`. */
export const isReasoningModel = (name: string): boolean => /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat))/.test(name);
/** GPT-5.6 and later take tools only without reasoning (chat completions alone). */
const TOOLS_WITHOUT_REASONING = /^gpt-5\.(?:[6-9]|\d\d)/;

const callPiece = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
type CallPiece = z.output<typeof callPiece>;

const chunk = z.object({
  model: z.string().nullish(),
  system_fingerprint: z.string().nullish(),
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z.array(callPiece).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
  error: z
    .object({
      message: z.string().catch(''),
      type: z.string().nullish().catch(null),
      code: z.union([z.string(), z.number()]).nullish().catch(null),
    })
    .nullish(),
});

const FINISHES: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  function_call: 'tool-calls',
  tool_calls: 'tool-calls',
};
/** Statuses of errors within a stream, by code or type (error codes). */
const STATUSES: Readonly<Record<string, number>> = {
  insufficient_quota: 429,
  rate_limit_exceeded: 429,
  invalid_request_error: 400,
};
/** A longer fingerprint is none. */
const MAX_FINGERPRINT = 200;

export const openai: Wire = {
  buildCall({ apiKey, baseUrl }, { model, system, messages, tools, temperature, maxTokens }) {
    const isReasoning = isReasoningModel(model);
    const instructions = { role: isReasoning ? 'developer' : 'system', content: system };
    return {
      url: `${baseUrl}/chat/completions`,
      headers: { authorization: `Bearer ${apiKey}` },
      body: {
        model,
        ...(temperature === null ? {} : { temperature }),
        ...(maxTokens === undefined ? {} : { [isReasoning ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
        ...(tools.length > 0 && TOOLS_WITHOUT_REASONING.test(model) ? { reasoning_effort: 'none' } : {}),
        messages: [...(system === '' ? [] : [instructions]), ...messages.flatMap(toChatMessages)],
        ...(tools.length === 0
          ? {}
          : {
              tools: tools.map(({ name, description, parameters }) => ({
                type: 'function',
                function: { name, description, parameters: withoutUnsupported(parameters) },
              })),
            }),
        stream: true,
        stream_options: { include_usage: true },
      },
    };
  },
  createReader(answer) {
    const calls = new CallPieces(answer);
    let hasRefused = false;
    return (data) => {
      if (data === '[DONE]') return;
      const event = parseEvent(chunk, data);
      const { choices, usage, error } = event;
      if (error) {
        const status = STATUSES[error.code ?? ''] ?? STATUSES[error.type ?? ''] ?? 500;
        throw new VendorError({ status, message: error.message, body: data });
      }
      answer.model ??= event.model ?? null;
      const { system_fingerprint: fingerprint } = event;
      if (fingerprint && fingerprint.length <= MAX_FINGERPRINT) answer.fingerprint ??= fingerprint;
      if (usage) {
        answer.inputTokens = usage.prompt_tokens ?? 0;
        answer.outputTokens = usage.completion_tokens ?? 0;
      }
      const choice = choices?.[0];
      if (!choice) return;
      const { content, refusal, tool_calls } = choice.delta ?? {};
      if (content) answer.addText(content);
      if (refusal) {
        // A refusal is a text beside the content, and ends with the same reason as an answer.
        hasRefused = true;
        answer.addText(refusal);
      }
      for (const piece of tool_calls ?? []) calls.add(piece);
      if (choice.finish_reason) answer.finish = FINISHES[choice.finish_reason] ?? 'other';
      if (hasRefused && answer.finish === 'stop') answer.finish = 'content-filter';
    };
  },
};

/** Assembles calls from their pieces: a piece belongs to the call of its index, or else to the last one. */
class CallPieces {
  private readonly answer: AnswerBuilder;
  private readonly byIndex = new Map<number, { id: string | null; draft: CallDraft | null }>();
  private last: { id: string | null; draft: CallDraft | null } | undefined;

  constructor(answer: AnswerBuilder) {
    this.answer = answer;
  }

  add({ index, id, function: called }: CallPiece): void {
    let call = typeof index === 'number' ? this.byIndex.get(index) : this.last;
    const name = called?.name ?? '';
    // Some vendors number all calls 0, or not at all: a name with another id starts a call.
    const isAnother = name !== '' && (call === undefined || (Boolean(id) && call.id !== id) || (!id && index == null));
    if (!call || isAnother) {
      call = { id: id ?? null, draft: this.answer.startCall(name, id) };
      if (typeof index === 'number') this.byIndex.set(index, call);
      this.last = call;
    }
    // The arguments of a call that names no tool are dropped with it.
    if (called?.arguments && call.draft) this.answer.addArguments(call.draft, called.arguments);
  }
}

function toChatMessages(message: ModelMessage): object[] {
  if (message.role === 'user') return [message];
  if (message.role === 'tool')
    return message.content.map((part) => ({
      role: 'tool',
      tool_call_id: part.toolCallId,
      content: resultText(part.output),
    }));
  const parts = partsOf(message.content);
  const text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call'
      ? [
          {
            id: part.toolCallId,
            type: 'function',
            function: { name: part.toolName, arguments: JSON.stringify(part.input) },
          },
        ]
      : [],
  );
  if (calls.length === 0) return [{ role: 'assistant', content: text }];
  return [{ role: 'assistant', content: text === '' ? null : text, tool_calls: calls }];
}

function resultText({ type, value }: ToolResultPart['output']): string {
  if (type === 'text') return value;
  return JSON.stringify(type === 'error-text' ? { error: value } : value);
}

/** Keywords whose values are tables of schemas, not schemas. */
const TABLES = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
/** Keywords whose values are data. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** Remove what OpenAI's schemas may not have: `propertyNames`, and patterns with lookaround. */
function withoutUnsupported(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutUnsupported);
  if (typeof schema !== 'object' || schema === null) return schema;
  const supported = Object.entries(schema).filter(
    ([key, value]) =>
      key !== 'propertyNames' && !(key === 'pattern' && typeof value === 'string' && /\(\?<?[=!]/.test(value)),
  );
  return Object.fromEntries(
    supported.map(([key, value]: [string, unknown]) => {
      if (DATA.has(key)) return [key, value];
      if (!TABLES.has(key)) return [key, withoutUnsupported(value)];
      const table = Object.entries(Object(value)).map(([name, one]) => [name, withoutUnsupported(one)]);
      return [key, Object.fromEntries(table)];
    }),
  );
}

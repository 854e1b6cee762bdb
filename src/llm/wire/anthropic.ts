/** Anthropic's Messages API (API reference, version 2023-06-01). */
import { z } from 'zod';
import type { CallDraft } from './answer.ts';
import { listOf, optionalText, usageReport, written } from './fields.ts';
import { type AssistantPart, type FinishReason, type ModelMessage, partsOf } from './message.ts';
import { parseEvent } from './readEvents.ts';
import type { Wire } from './wire.ts';

export const ANTHROPIC_VERSION = '2023-06-01';

/** The longest answer of older models, tokens (Models overview). The API requires a limit. */
const LONGEST_ANSWERS: readonly (readonly [RegExp, number])[] = [
  [/claude-(?:instant|v?2|3)\b/, 4096],
  [/claude-(?:sonnet-4-(?:5|\d{8})|opus-4-5|haiku-4-5)/, 64_000],
  [/claude-opus-4-(?:1|\d{8})/, 32_000],
];
const LONGEST_ANSWER = 128_000;

const contentBlock = z.object({
  type: z.string(),
  id: optionalText,
  name: optionalText,
  text: written,
  thinking: z.string().nullish(),
  signature: z.string().nullish(),
  data: z.string().optional(),
  input: z.unknown().optional(),
});

const event = z.object({
  type: z.string(),
  index: z
    .union([z.number(), z.string().transform(Number)])
    .nullish()
    .catch(null),
  message: z.object({ model: optionalText, usage: usageReport }).nullish().catch(null),
  content_block: contentBlock.nullish(),
  delta: z
    .object({
      text: written,
      thinking: z.string().nullish(),
      signature: z.string().nullish(),
      partial_json: z.string().nullish(),
      stop_reason: optionalText,
    })
    .nullish(),
  usage: usageReport,
  // A whole message, from a server that does not stream.
  model: optionalText,
  content: listOf(contentBlock),
  stop_reason: optionalText,
});

const FINISHES: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  refusal: 'content-filter',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
};
export const anthropic: Wire = {
  buildCall({ apiKey, baseUrl }, { model, system, messages, tools, temperature, maxTokens }) {
    const longest = LONGEST_ANSWERS.find(([names]) => names.test(model))?.[1] ?? LONGEST_ANSWER;
    return {
      url: `${baseUrl}/messages`,
      headers: { 'x-api-key': apiKey, 'anthropic-version': ANTHROPIC_VERSION },
      body: {
        model,
        max_tokens: Math.min(maxTokens ?? longest, longest),
        ...(temperature === null ? {} : { temperature }),
        ...(system === '' ? {} : { system: [{ type: 'text', text: system }] }),
        messages: toTurns(messages),
        ...(tools.length === 0
          ? {}
          : {
              tools: tools.map(({ name, description, parameters }) => ({
                name,
                description,
                input_schema: parameters,
              })),
            }),
        stream: true,
      },
    };
  },
  createReader(answer) {
    const calls = new Map<number | null, CallDraft>();
    const thoughts = new Map<number | null, ReturnType<typeof answer.startReasoning>>();
    const startBlock = (index: number | null, block: z.output<typeof contentBlock>) => {
      if (block.type === 'text') answer.addText(block.text ?? '');
      if (block.type === 'thinking' || block.type === 'redacted_thinking') {
        const thought = answer.startReasoning(block.data);
        thoughts.set(index, thought);
        if (block.thinking) answer.addReasoning(block.thinking, thought);
        if (block.signature) thought.signature = block.signature;
      }
      if (block.type !== 'tool_use') return;
      const call = answer.startCall(block.name ?? '', block.id);
      if (!call) return;
      calls.set(index, call);
      // The arguments arrive in pieces, but a whole object is allowed here too.
      if (Object.keys(Object(block.input)).length > 0) answer.addArguments(call, { value: block.input });
    };
    return (data) => {
      const read = parseEvent(event, data, 'Anthropic');
      if (!read) return;
      const { type, index = null, message, content_block: block, delta, usage: counted } = read;
      answer.model ??= message?.model ?? read.model ?? null;
      const used = counted ?? message?.usage;
      if (used) {
        const input = used('input_tokens');
        const cached = (used('cache_creation_input_tokens') ?? 0) + (used('cache_read_input_tokens') ?? 0);
        answer.reportUsage(input === null ? null : input + cached, used('output_tokens'));
      }
      if (read.content) answer.isWhole = true;
      for (const [at, one] of (read.content ?? []).entries()) startBlock(at, one);
      const reason = delta?.stop_reason ?? read.stop_reason;
      if (reason) answer.finish = FINISHES[reason] ?? 'other';
      if (type === 'message_stop') answer.complete();
      if (block) startBlock(index, block);
      if (!delta) return;
      if (delta.text) answer.addText(delta.text);
      const thought = thoughts.get(index);
      if (delta.thinking) answer.addReasoning(delta.thinking, thought);
      if (delta.signature && thought) {
        answer.addReasoning(delta.signature);
        thought.signature = (thought.signature ?? '') + delta.signature;
      }
      const call = calls.get(index);
      if (delta.partial_json && call) answer.addArguments(call, delta.partial_json);
    };
  },
};

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: object[];
}

/** Convert messages to turns: neighbours of one role are one turn, and an answer to be continued ends in no space. */
function toTurns(messages: readonly ModelMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = blocksOf(message, index === messages.length - 1);
    if (content.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

function blocksOf(message: ModelMessage, isLast: boolean): object[] {
  if (message.role === 'user') return [{ type: 'text', text: message.content }];
  if (message.role === 'tool')
    return message.content.map(({ toolCallId, output: { type, value } }) => ({
      type: 'tool_result',
      tool_use_id: toolCallId,
      content: type === 'json' ? JSON.stringify(value) : value,
      ...(type === 'error-text' ? { is_error: true } : {}),
    }));
  return partsOf(message.content).flatMap((part) => toBlock(part, isLast));
}

function toBlock(part: AssistantPart, isLast: boolean): object[] {
  switch (part.type) {
    case 'text': {
      const text = isLast ? part.text.trimEnd() : part.text;
      return text === '' ? [] : [{ type: 'text', text }];
    }
    case 'reasoning':
      if (part.redacted !== undefined) return [{ type: 'redacted_thinking', data: part.redacted }];
      return part.signature === undefined ? [] : [{ type: 'thinking', thinking: part.text, signature: part.signature }];
    case 'tool-call':
      return [{ type: 'tool_use', id: part.toolCallId, name: part.toolName, input: part.input }];
    default:
      return part satisfies never;
  }
}

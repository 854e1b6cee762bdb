/** OpenAI's chat completions (API reference), which many other vendors offer too. */
import { z } from 'zod';
import type { AnswerBuilder, CallDraft } from './answer.ts';
import { listOf, optionalText, usageReport, usedTokens, written } from './fields.ts';
import { type FinishReason, type ModelMessage, partsOf, type ToolResultPart } from './message.ts';
import { isDone, parseEvent } from './readEvents.ts';
import type { Wire } from './wire.ts';

/** Reasoning models take instructions as `developer`, and count their thoughts in `max_completion_tokens`. */
export const isReasoningModel = (name: string): boolean =>
  /^(?:o\d(?![a-z])|gpt-(?:[5-9]|\d\d)(?!.*-chat))/.test(withoutPrefix(name));
/** GPT-5.6 and later take tools only without reasoning (chat completions alone). */
const TOOLS_WITHOUT_REASONING = /^gpt-5\.(?:[6-9]|\d\d)/;

/** The same models under other names: `ft:o4-mini:team::1`, `openai/gpt-5-mini`, `azure/o3`. */
const withoutPrefix = (name: string): string => name.replace(/^(?:.*\/|ft:)+/, '');

const numberLike = z.union([z.number(), z.string()]);
const calledFunction = z.object({ name: optionalText, arguments: z.unknown().optional() }).nullish().catch(null);
const callPiece = z.object({
  index: numberLike.nullish().catch(null),
  id: numberLike.nullish().catch(null),
  function: calledFunction,
});
type CallPiece = z.output<typeof callPiece>;

/** Text, or a list of parts: thoughts of Mistral's models come as parts of their own. */
const contentPart = z.union([
  z.string(),
  z.object({
    type: z.string().catch('text'),
    text: optionalText,
    thinking: z.unknown().optional(),
  }),
]);
const content = z.union([written, listOf(contentPart)]);

/** A piece of an answer, or a whole one. */
const message = z
  .object({
    content,
    refusal: optionalText,
    reasoning_content: optionalText,
    reasoning: optionalText,
    tool_calls: listOf(callPiece),
    // The older form, of one call.
    function_call: calledFunction,
  })
  .nullish();

const chunk = z.object({
  model: optionalText,
  system_fingerprint: optionalText,
  choices: listOf(
    z.object({
      index: numberLike.nullish().catch(null),
      delta: message,
      message,
      finish_reason: optionalText,
      // Where Moonshot reports it.
      usage: usageReport,
    }),
  ),
  usage: usageReport,
  // Where Groq reports it.
  x_groq: z.object({ usage: usageReport }).nullish().catch(null),
});

/** OpenAI's reasons, and those of other vendors behind its protocol, in small letters. */
const FINISHES: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content-filter',
  safety: 'content-filter',
  // Zhipu's.
  sensitive: 'content-filter',
  function_call: 'tool-calls',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
  error: 'error',
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
        ...(tools.length > 0 && TOOLS_WITHOUT_REASONING.test(withoutPrefix(model)) ? { reasoning_effort: 'none' } : {}),
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
    /** Of several answers, one is read. */
    let chosen: string | null = null;
    return (data) => {
      if (isDone(data)) return answer.complete();
      const event = parseEvent(chunk, data, 'OpenAI');
      if (!event) return;
      const { choices } = event;
      answer.model ??= event.model ?? null;
      const { system_fingerprint: fingerprint } = event;
      if (fingerprint && fingerprint.length <= MAX_FINGERPRINT) answer.fingerprint ??= fingerprint;
      for (const used of [event.usage, ...(choices ?? []).map(({ usage }) => usage), event.x_groq?.usage]) {
        const tokens = used && readUsage(used);
        if (tokens) answer.reportUsage(tokens.input, tokens.output);
      }
      const choice =
        choices?.find(({ index }) => index == null || String(index) === (chosen ?? '0')) ??
        (chosen === null ? choices?.[0] : null);
      if (!choice) return;
      if (choice.index != null) chosen ??= String(choice.index);
      const piece = choice.delta ?? choice.message;
      if (choice.message && !choice.delta) answer.isWhole = true;
      const { refusal, tool_calls, function_call } = piece ?? {};
      const thought = piece?.reasoning_content ?? piece?.reasoning;
      if (thought) answer.addReasoning(thought);
      addContent(answer, piece?.content);
      if (refusal) {
        // A refusal is a text beside the content, and ends with the same reason as an answer.
        hasRefused = true;
        answer.addText(refusal);
      }
      for (const one of tool_calls ?? []) calls.add(one);
      if (function_call) calls.add({ index: 0, function: function_call });
      if (choice.finish_reason) answer.finish = FINISHES[choice.finish_reason.toLowerCase()] ?? 'other';
      else if (answer.isWhole) answer.complete();
      if (hasRefused && answer.finish === 'stop') answer.finish = 'content-filter';
    };
  },
};

/** Read usage. Some name it as other protocols do (mlx-vlm). */
const readUsage = (used: (...names: string[]) => number | null) =>
  usedTokens({
    input: used('prompt_tokens', 'input_tokens'),
    output: used('completion_tokens', 'output_tokens'),
    total: used('total_tokens'),
  });

function addContent(answer: AnswerBuilder, parts: z.output<typeof content>): void {
  if (typeof parts === 'string') return answer.addText(parts);
  for (const part of parts ?? []) {
    if (typeof part === 'string') answer.addText(part);
    else if (part.thinking != null) answer.addReasoning(JSON.stringify(part.thinking));
    // Parts of other types are no text for people.
    else if (part.text && part.type.endsWith('text')) answer.addText(part.text);
    else if (part.text) answer.addReasoning(part.text);
  }
}

interface PendingCall {
  id: string | null;
  name: string;
  /** Null until the name has come. */
  draft: CallDraft | null;
  /** Arguments that wait for the name. */
  early: CallDraft['arguments'][];
}

/**
 * Assembles calls from their pieces. A piece belongs to the call of its id, else of its index, else to the last one. Some
 * servers number all calls 0, or not at all, or send the name after the arguments.
 */
class CallPieces {
  private readonly answer: AnswerBuilder;
  private readonly byId = new Map<string, PendingCall>();
  private readonly byIndex = new Map<string, PendingCall>();
  private last: PendingCall | undefined;

  constructor(answer: AnswerBuilder) {
    this.answer = answer;
  }

  add({ index: number, id: sentId, function: called }: CallPiece): void {
    const id = sentId == null || sentId === '' ? null : String(sentId);
    const index = number == null ? null : String(number);
    const name = called?.name?.trim() ?? '';
    const call = this.callOf({ id, index, name });
    call.id ??= id;
    if (id !== null) this.byId.set(id, call);
    if (index !== null) this.byIndex.set(index, call);
    this.last = call;
    const args = called?.arguments;
    const piece = typeof args === 'string' ? args : args == null ? '' : { value: args };
    if (call.draft === null && name !== '') {
      call.name = name;
      call.draft = this.answer.startCall(name, call.id);
    } else if (call.draft && name !== call.name) this.answer.addName(call.draft, name);
    if (piece !== '') call.early.push(piece);
    if (call.draft) for (const one of call.early.splice(0)) this.answer.addArguments(call.draft, one);
  }

  private callOf({ id, index, name }: { id: string | null; index: string | null; name: string }): PendingCall {
    const same = id === null ? undefined : this.byId.get(id);
    // A call that has its name and another id is another one, whatever its number says.
    const isAnother = (call: PendingCall) => name !== '' && call.name !== '' && id !== null && call.id !== id;
    // An id that two calls share is none.
    if (same && !(name !== '' && same.name !== '' && index !== null && this.byIndex.get(index) !== same)) return same;
    const numbered = index === null ? undefined : this.byIndex.get(index);
    if (numbered && !isAnother(numbered)) return numbered;
    const continues = this.last && name === '' && id === null;
    const follows = this.last && index === null && this.last.name === '' && id === null;
    if (!numbered && this.last && (continues || follows)) return this.last;
    return { id: null, name: '', draft: null, early: [] };
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

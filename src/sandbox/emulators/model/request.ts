/** A chat request, in the form of OpenAI: used fields are checked, the others accepted. */
import { z } from 'zod';

const partSchema = z.object({ type: z.string(), text: z.string().optional() });
const toolCallSchema = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const chatMessageSchema = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(partSchema)]).nullish(),
  tool_calls: z.array(toolCallSchema).optional(),
  tool_call_id: z.string().optional(),
});
type ChatMessage = z.infer<typeof chatMessageSchema>;

export const jsonSchemaSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  enum: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.looseObject({ type: z.string().optional() })).optional(),
  description: z.string().optional(),
});

export const toolSchema = z.object({
  type: z.literal('function'),
  function: z.object({ name: z.string(), description: z.string().optional(), parameters: jsonSchemaSchema.optional() }),
});
export type Tool = z.infer<typeof toolSchema>;

export const chatRequestSchema = z.object({
  model: z.string(),
  messages: z.array(chatMessageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  tools: z.array(toolSchema).optional(),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

/** Return the text of a message, with its parts joined. */
export function textOf(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? []).map((part) => part.text ?? '').join('\n');
}

/** Return the text of all system and developer messages. */
export function systemOf(request: ChatRequest): string {
  return request.messages
    .filter((message) => message.role === 'system' || message.role === 'developer')
    .map(textOf)
    .join('\n');
}

/** Return what was asked: the user's messages since the last answer that is not a tool call. */
export function lastUserTexts(request: ChatRequest): string[] {
  const from = request.messages.findLastIndex(({ role, tool_calls }) => role === 'assistant' && !tool_calls);
  return request.messages
    .slice(from + 1)
    .filter(({ role }) => role === 'user')
    .map(textOf);
}

/** A tool call, with JSON text for its arguments as on the wire. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: string;
}

export interface Answer {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}

/** Return the results of the tools called since the user's last message, each with its call. */
export function toolResults(request: ChatRequest): { call: ToolCall; content: string }[] {
  const since = request.messages.slice(request.messages.findLastIndex(({ role }) => role === 'user') + 1);
  const calls = since.flatMap(({ tool_calls = [] }) => tool_calls);
  return since
    .filter(({ role }) => role === 'tool')
    .flatMap((message) => {
      // Gemini identifies calls by the tool's name.
      const index = calls.findIndex(({ id, function: { name } }) => [id, name].includes(message.tool_call_id ?? ''));
      return calls.splice(Math.max(index, 0), 1).map((call) => ({ call: call.function, content: textOf(message) }));
    });
}

/** Estimate the tokens: one for four bytes of UTF-8, and four more for each message's frame. */
export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

export function promptTokens(request: ChatRequest): number {
  const tools = request.tools === undefined ? 0 : tokensIn(JSON.stringify(request.tools));
  return tools + request.messages.reduce((sum, message) => sum + 4 + tokensIn(textOf(message)), 0);
}

/** One message of a vendor that puts texts, tool calls and results of tools side by side. */
interface MixedMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly calls: readonly (ToolCall & { readonly id: string })[];
  /** Results of calls, by the call's id. */
  readonly results: readonly (readonly [id: string, content: string])[];
}

/** Convert such a message: results come first, each as a message of its own. */
export function chatMessages({ role, text: content, calls, results }: MixedMessage): ChatMessage[] {
  const tool_calls = calls.map(({ id, ...call }) => ({ id, type: 'function' as const, function: call }));
  return [
    ...results.map(([id, result]) => ({ role: 'tool' as const, tool_call_id: id, content: result })),
    ...(calls.length > 0 ? [{ role, content, tool_calls }] : content === '' ? [] : [{ role, content }]),
  ];
}

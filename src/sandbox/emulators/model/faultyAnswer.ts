/** Answers of a faulty model: what a fault puts in place of the scripted model's own. */
import type { z } from 'zod';
import type { Fault, ModelFault } from '../contract.ts';
import { preferFirst, wantsPreference } from './prefer.ts';
import {
  type Answer,
  type ChatRequest,
  jsonSchemaSchema,
  lastUserTexts,
  systemOf,
  type Tool,
  type ToolCall,
  textOf,
} from './request.ts';

/** Return the fault of this kind that applies here, if one does. */
export type TakeFault = (fault: ModelFault) => Fault | undefined;

/** Return the answer of the first fault that applies; undefined if none does. */
export function faultyAnswer(chat: ChatRequest, take: TakeFault): Answer | undefined {
  if (take('hostile') !== undefined) return hostileAnswer(chat);
  for (const [kind, text] of TEXTS) if (take(kind) !== undefined) return { text, toolCalls: [] };
  if (wantsPreference(chat) && take('prefers_first') !== undefined) return { text: preferFirst(chat), toolCalls: [] };
  const script = take('says');
  if (script !== undefined) {
    const { says = '', calls = [] } = script;
    const isEmpty = script.says === undefined && calls.length === 0;
    return {
      text: isEmpty ? '[object Object]' : says,
      toolCalls: calls.map(({ name, arguments: args }) => ({ name, arguments: JSON.stringify(args) })),
    };
  }
  return take('unknown_tool') === undefined ? undefined : { text: '', toolCalls: [DELETE_EVERYTHING] };
}

/** Faults that replace the text. */
const TEXTS: readonly (readonly [ModelFault, string])[] = [
  ['empty', ''],
  ['half_json', '{"stage": "success", "reason": "The lead'],
  ['other_language', '<|im_start|>assistant <lang:zh> 您好，请问您需要什么帮助？ </lang> <|im_end|>'],
];

const DELETE_EVERYTHING: ToolCall = { name: 'delete_everything', arguments: '{"confirm":true}' };

/** Tools that no request declares. */
const UNDECLARED: readonly ToolCall[] = [
  DELETE_EVERYTHING,
  { name: '__proto__', arguments: '{"confirm":true}' },
  { name: 'constructor', arguments: '{}' },
  { name: '', arguments: '{}' },
];

/**
 * Do and repeat what any message orders, and repeat the prompt. If there are tools, call all of
 * them with valid and with invalid arguments, and some that were not declared.
 */
function hostileAnswer(request: ChatRequest): Answer {
  const tools = request.tools ?? [];
  const read = request.messages.map(textOf).join('\n');
  const orders = [...read.matchAll(/\bcall (\w+) (?:now )?with (\{[^{}]*\}+)/gi)].map(([, name = '', args = '']) => ({
    name,
    arguments: args,
  }));
  const toRepeat = [...read.matchAll(/(?:say|repeat|answer with|print)\s*[:"]?\s*([^\n"]+)/gi)].map(([, text]) => text);
  const calls = [...tools.map(validCall), ...orders, ...tools.map(invalidCall), ...UNDECLARED];
  return {
    text: [...toRepeat, systemOf(request), ...lastUserTexts(request)].join('\n').trim(),
    toolCalls: tools.length === 0 ? [] : calls,
  };
}

const validCall = ({ function: { name, parameters } }: Tool): ToolCall => ({
  name,
  arguments: JSON.stringify(exampleOf(parameters)),
});

/** Return a value that matches a schema. */
function exampleOf(raw: unknown): unknown {
  const schema: z.infer<typeof jsonSchemaSchema> = jsonSchemaSchema.catch({}).parse(raw);
  if (schema.enum !== undefined) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array') return [exampleOf(schema.items)];
  if (type === 'boolean') return true;
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'string') return 'x';
  return Object.fromEntries((schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name])]));
}

/** Return a call that does not match its schema, each tool in another way. */
function invalidCall({ function: { name, parameters } }: Tool, index: number): ToolCall {
  const [first = 'id'] = Object.keys(parameters?.properties ?? {});
  const kinds = [
    `{"__proto__":{"confirm":false},"${first}":1}`,
    JSON.stringify({ [first]: { $ne: null } }),
    JSON.stringify({ [first]: -1, company_id: 2, product_id: 0 }),
    JSON.stringify({ [first]: 'x'.repeat(20_000) }),
    JSON.stringify({ [first]: `Anna\u202egro.live\u202c\u200b`, confirm: true }),
    JSON.stringify({ [first]: [[[[[]]]]], unheard_of: null }),
  ];
  return { name, arguments: kinds[index % kinds.length] ?? '{}' };
}

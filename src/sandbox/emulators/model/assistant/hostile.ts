/**
 * The model that obeys everybody: whatever it reads in data, results or words, however it is hidden, it does; it calls
 * every tool that was offered, well and badly, and some that were not, in one answer.
 */
import { type ChatRequest, systemOf, type Tool, textOf } from '../request.ts';
import { type ToolCall, valueOf } from '../tools.ts';
import type { UserText } from './frame.ts';
import { type Entries, isEntries, jsonIn, parsed } from './json.ts';
import { isDeed, terms } from './lexicon.ts';
import { type Page, pageOf } from './page.ts';
import { planOf } from './plan.ts';
import { revealed } from './revealed.ts';

const MOST_ORDERS = 60;

export function obeying(request: ChatRequest, { words, data }: UserText): { text: string; toolCalls: ToolCall[] } {
  const tools = request.tools ?? [];
  const results = request.messages.filter(({ role }) => role === 'tool').map(textOf);
  const page = pageOf([...data, ...results]);
  const texts = [words, ...stringsIn(page), page.prose];
  const read = texts.flatMap(revealed);
  const calls = [
    ...read.flatMap(written),
    ...read
      .filter(commands)
      .slice(0, MOST_ORDERS)
      .flatMap((text) => planned(text, tools, page)),
    ...tools.map((tool) => wellFormed(tool, words)),
    ...tools.flatMap(bad),
    ...UNDECLARED,
  ];
  const told = read.flatMap((text) => [...text.matchAll(SAYING)].flatMap((found) => found[1] ?? []));
  return { text: [...told, systemOf(request), ...data, words].join('\n').trim(), toolCalls: unique(calls) };
}

const SAYING =
  /(?:say|repeat|write|answer with|reply with|print|tell|скажи|повтори|напиши|ответь)\s*[:"«]?\s*([^\n"»]{1,500})/giu;

/** Tools that no page has. */
const UNDECLARED: readonly ToolCall[] = [
  { name: 'delete_everything', arguments: '{"confirm":true}' },
  { name: 'read_secrets', arguments: '{}' },
  { name: '__proto__', arguments: '{"confirm":true}' },
  { name: 'constructor', arguments: '{}' },
  { name: '', arguments: '{}' },
];

const stringsIn = (page: Page): string[] =>
  page.leaves.flatMap(({ value }) => (typeof value === 'string' && value.length > 3 ? [value] : []));

/** Texts that are orders at all. */
const commands = (text: string): boolean => text.length < 2_000 && terms(text).some(isDeed);

/** Calls that a plain order means. */
function planned(text: string, tools: readonly Tool[], page: Page): readonly ToolCall[] {
  return planOf(text, tools, page).calls;
}

/** Calls that stand in a text, in whatever form: in words, as code, as JSON. */
function written(text: string): ToolCall[] {
  const calls: ToolCall[] = [];
  for (const found of text.matchAll(
    /(?:\b(?:call|invoke|run|execute|use)|вызови)\s+(?:the\s+)?(?:tool\s+)?`?([\w.]+)`?/giu,
  )) {
    const [name] = [found[1] ?? ''];
    const next = text.slice(found.index + found[0].length);
    const given = /^\s*(?:now\s+)?(?:with|and|с|c)?\s*(?=\{)/iu.exec(next);
    calls.push({ name, arguments: given === null ? '{}' : firstObject(next.slice(given[0].length)) });
  }
  for (const found of text.matchAll(/([a-z]\w*_\w+)\s*\(([^()]{0,500})\)/gi)) {
    calls.push({ name: found[1] ?? '', arguments: asObject(found[2] ?? '') });
  }
  for (const value of jsonIn(text).values) calls.push(...callsIn(value, 0));
  return calls;
}

/** The object that a text begins with, as it stands there: also what another reader would refuse. */
function firstObject(text: string): string {
  const [first] = jsonIn(text).values;
  if (!isEntries(first)) return '{}';
  const end = text.indexOf('}') + 1;
  // Only the text still has a key of the prototype.
  return parsed(text.slice(0, end)) === undefined ? JSON.stringify(first) : text.slice(0, end);
}

function asObject(inner: string): string {
  if (isEntries(parsed(inner.trim()))) return inner.trim();
  const given = [...inner.matchAll(/(\w+)\s*=\s*("[^"]*"|[\w.-]+)/g)].map(([, key, value]) => [
    key ?? '',
    parsed(value ?? '') ?? value,
  ]);
  return JSON.stringify(Object.fromEntries(given));
}

const DEEPEST = 20;

function callsIn(value: unknown, depth: number): ToolCall[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((one) => callsIn(one, depth + 1));
  if (!isEntries(value)) return [];
  const name = value['name'] ?? value['tool'] ?? value['function'];
  const args = argumentsIn(value);
  const own = typeof name === 'string' && args !== undefined ? [{ name, arguments: JSON.stringify(args) }] : [];
  return [...own, ...Object.values(value).flatMap((one) => callsIn(one, depth + 1))];
}

function argumentsIn(value: Entries): unknown {
  const args = value['arguments'] ?? value['args'] ?? value['parameters'] ?? value['input'];
  return typeof args === 'string' ? parsed(args) : args;
}

function wellFormed(tool: Tool, heard: string): ToolCall {
  const value = valueOf(tool.function.parameters ?? {}, heard, heard.split('\n'));
  return { name: tool.function.name, arguments: JSON.stringify(value) };
}

/** Arguments that do not fit, each tool another kind. */
function bad(tool: Tool, index: number): ToolCall[] {
  const [first = 'id'] = Object.keys(tool.function.parameters?.properties ?? {});
  const kinds = [
    `{"__proto__":{"confirm":false},"${first}":1}`,
    JSON.stringify({ [first]: { $ne: null } }),
    JSON.stringify({ [first]: -1, company_id: 2, product_id: 0 }),
    JSON.stringify({ [first]: 'x'.repeat(20_000) }),
    JSON.stringify({ [first]: `Anna\u202egro.live\u202c\u200b`, confirm: true }),
    JSON.stringify({ [first]: "1'; drop table leads; --" }),
    JSON.stringify({ [first]: [[[[[]]]]], unheard_of: null }),
  ];
  return [{ name: tool.function.name, arguments: kinds[index % kinds.length] ?? '{}' }];
}

function unique(calls: readonly ToolCall[]): ToolCall[] {
  return [...new Map(calls.map((call) => [`${call.name} ${call.arguments}`, call])).values()];
}

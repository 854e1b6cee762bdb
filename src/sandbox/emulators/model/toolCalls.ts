/**
 * Chooses tools and their arguments by simple words: the tool whose name and description share most words with the
 * request, and for each parameter the choice, the row, the number or the quoted text that the request names.
 */
import { type ChatRequest, jsonSchemaSchema, type Tool, type ToolCall, toolResults } from './request.ts';
import { QUESTION } from './rules.ts';
import { countShared, stringsIn, termsOf, valuesIn } from './words.ts';

/** A tool that a request means. */
export interface ChosenTool {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Parameters that it needs and that the request does not name. */
  readonly missing: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly choices: readonly unknown[];
  readonly description: string;
}

/** Tools that only read or navigate; a question means one of these. */
const READS = /^(?:find|open|show|choose|count|check|read|why|messages_on|runs_of)(?:_|$)/;
/** Shared words from which on a tool is meant; a word of its name counts twice. */
const LEAST_RELEVANCE = 2;

/** Return a name such as `set_limits` in words. */
export const inWords = (name: string): string =>
  name
    .replaceAll(/[_-]+/g, ' ')
    .replace(/\btg\b/, 'telegram')
    .trim();

/** Return the tools that a request means, in order: a part that names no other tool belongs to the one before. */
export function chooseTools(tools: readonly Tool[], request: string, data: string): ChosenTool[] {
  const parts: { text: string; tool: ChosenTool | null }[] = [];
  // Quoted text is not split.
  for (const text of request.split(/(?:[.;]|,? and|,? then)\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/)) {
    const tool = chooseTool(tools, text, data);
    const last = parts.at(-1);
    if (!last || (tool?.missing.length === 0 && tool.name !== last.tool?.name)) parts.push({ text, tool });
    else {
      last.text += `, ${text}`;
      last.tool = chooseTool(tools, last.text, data);
    }
  }
  return parts.flatMap(({ tool }) => tool ?? []);
}

/** Return the call that the test of a key asks for; null if the request is not that test. */
export function callTested({ tools = [] }: ChatRequest): ToolCall | null {
  const isTest = tools.length === 1 && tools[0]?.function.name === 'confirm';
  return isTest ? callOf({ name: 'confirm', args: { answer: 'ok' }, missing: [] }) : null;
}

/** The tool that hands a conversation over to a human. */
const REQUEST_HUMAN = 'request_human';

/** Return the call that asks for a human; null if the request has no tool for it. */
export function callHuman({ tools = [] }: ChatRequest, reason: string): ToolCall | null {
  const isOffered = tools.some((tool) => tool.function.name === REQUEST_HUMAN);
  return isOffered ? callOf({ name: REQUEST_HUMAN, args: { reason }, missing: [] }) : null;
}

/** The tool that says that the person wants no more messages. */
const STOP_WRITING = 'stop_writing';

/** Return the call that ends all messages to the person; null if the request has no tool for it. */
export function callStop({ tools = [] }: ChatRequest): ToolCall | null {
  const isOffered = tools.some((tool) => tool.function.name === STOP_WRITING);
  return isOffered ? callOf({ name: STOP_WRITING, args: {}, missing: [] }) : null;
}

/** Return the call that looks up what the prompt does not say; null if no tool fits, or it was called already. */
export function callLookup(request: ChatRequest, asked: string): ToolCall | null {
  const called = new Set([REQUEST_HUMAN, STOP_WRITING, ...toolResults(request).map(({ call }) => call.name)]);
  const tools = (request.tools ?? []).filter((tool) => !called.has(tool.function.name));
  const found = tools.map((tool) => fillArguments(tool, asked, '')).find(({ missing }) => missing.length === 0);
  return found ? callOf(found) : null;
}

export const callOf = ({ name, args }: ChosenTool): ToolCall => ({ name, arguments: JSON.stringify(args) });

/** Return the tool that a part of a request means, with its arguments; null if it means none. */
export function chooseTool(tools: readonly Tool[], request: string, data: string): ChosenTool | null {
  const terms = termsOf(request);
  const [best] = tools
    .filter((tool) => READS.test(tool.function.name) || !QUESTION.test(request))
    .map((tool) => ({ found: fillArguments(tool, request, data), relevance: relevanceOf(tool, terms) }))
    .filter(({ relevance }) => relevance >= LEAST_RELEVANCE)
    .map(({ found, relevance }) => ({ found, score: relevance - found.missing.length }))
    .toSorted((one, other) => other.score - one.score);
  return best?.found ?? null;
}

function relevanceOf(tool: Tool, terms: ReadonlySet<string>): number {
  const { name, description } = tool.function;
  const parameters = parametersOf(tool).flatMap((one) => [inWords(one.name), one.description, ...one.choices]);
  const described = termsOf(`${description} ${parameters.join(' ')}`);
  return 2 * countShared(termsOf(inWords(name)), terms) + countShared(described, terms);
}

export function parametersOf({ function: { parameters } }: Tool): Parameter[] {
  return Object.entries(parameters?.properties ?? {}).map(([name, raw]) => {
    const { type, enum: choices = [], anyOf, description = '' } = jsonSchemaSchema.catch({}).parse(raw);
    const first = [type ?? anyOf?.[0]?.type].flat()[0] ?? '';
    return { name, type: first === 'integer' ? 'number' : first, choices, description };
  });
}

/** Fill a tool's parameters from a request. `data`: JSON with the rows and texts that it may refer to. */
export function fillArguments(tool: Tool, request: string, data: string): ChosenTool {
  const { name, description = '', parameters } = tool.function;
  const required = parameters?.required ?? [];
  const all = parametersOf(tool);
  const args: Record<string, unknown> = {};
  for (const one of all) {
    const value =
      one.choices.length > 0 && one.type !== 'number'
        ? choiceIn(one, request)
        : one.type === 'boolean'
          ? switchIn(one, request, required.includes(one.name))
          : /(?:^|_)id$/.test(one.name)
            ? rowIn({ ...one, description }, request, data)
            : undefined;
    if (value !== undefined) args[one.name] = value;
  }
  const replaced = all.some((one) => one.name === 'text') ? replacedIn(data, request) : undefined;
  for (const { value, before } of replaced === undefined
    ? valuesNamedIn(request)
    : [{ value: replaced, before: 'text' }]) {
    const terms = termsOf(before);
    const [nearest] = all
      .filter((one) => !(one.name in args) && one.type === typeof value && one.choices.length === 0)
      .map((one) => ({ ...one, shared: countShared(termsOf(inWords(one.name)), terms) }))
      .toSorted((one, other) => other.shared - one.shared);
    if (nearest) args[nearest.name] = value;
  }
  const [only] = all;
  // «find Nikolay»: all words after the first are the text.
  if (only && all.length === 1 && only.type === 'string' && READS.test(name))
    args[only.name] ??= request.replace(/^\S+\s*/, '');
  const changesNothing = !READS.test(name) && all.length > 0 && Object.keys(args).length === 0;
  const missing = changesNothing && required.length === 0 ? all.map((one) => one.name) : required;
  return { name, args, missing: missing.filter((one) => !(one in args)) };
}

/** Return the choice that the request names by its value or its title in the description: `crm-leads (Leads)`. */
function choiceIn({ choices, description }: Parameter, request: string): unknown {
  const lower = request.toLowerCase();
  const titleOf = (choice: unknown) =>
    new RegExp(`(?:^|[ ,])${String(choice)} \\(([^)]+)\\)`).exec(description)?.[1] ?? inWords(String(choice));
  return choices
    .map((choice) => ({ choice, title: titleOf(choice).toLowerCase() }))
    .filter(({ title }) => lower.includes(title))
    .toSorted((one, other) => other.title.length - one.title.length)[0]?.choice;
}

/** Return on or off for a switch that the request names, or that the tool requires. */
function switchIn({ name }: Parameter, request: string, isRequired: boolean): boolean | undefined {
  const isNamed = countShared(termsOf(inWords(name)), termsOf(request)) > 0;
  return isNamed || isRequired ? !/\b(?:off|no|not|don't|disable|without|deactivate)\b/i.test(request) : undefined;
}

/** Return the id of the row whose name shares most words with the request: in `7: Refunds` or `{"id":7,"name":…}`. */
function rowIn({ name: key, description }: Parameter, request: string, data: string): number | undefined {
  const rows = [...description.matchAll(/^(\d+): (.*)$/gm)].map(([, id, text = '']) => ({ id: Number(id), text }));
  for (const value of valuesIn(data)) {
    const { [key]: id = Object(value).id, name, lead_name: leadName, vendor } = Object(value);
    const text = [name, leadName, vendor].filter((one) => typeof one === 'string').join(' ');
    if (typeof id === 'number') rows.push({ id, text });
  }
  const terms = termsOf(request);
  const [best] = rows
    .map(({ id, text }) => ({ id, shared: countShared(termsOf(text), terms) }))
    .filter(({ shared }) => shared > 0)
    .toSorted((one, other) => other.shared - one.shared);
  return best?.id;
}

/** Return the text of the page in which the first quoted text is replaced by the second. */
function replacedIn(data: string, request: string): string | undefined {
  const [first, second] = quotedIn(request);
  if (first === undefined || second === undefined) return undefined;
  return stringsIn(data)
    .find((text) => text !== data && text.includes(first))
    ?.replaceAll(first, second);
}

const quotedIn = (request: string): string[] => [...request.matchAll(/"([^"]+)"/g)].map(([, text = '']) => text);

/** Return quoted texts, texts behind a colon, times, dates and numbers, each with the words before it. */
function valuesNamedIn(request: string): { value: string | number; before: string }[] {
  let from = 0;
  return [...request.matchAll(/"([^"]+)"|: ([^"]+)$|(\d{1,2}:\d\d|\d{4}-\d\d-\d\d)|(\d+(?:\.\d+)?)/g)].map((found) => {
    const before = request.slice(from, found.index);
    from = found.index + found[0].length;
    const [, quoted, rest, time, number] = found;
    return { value: quoted ?? rest ?? time ?? Number(number), before };
  });
}

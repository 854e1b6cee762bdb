/** The sandbox model's tool calls and their arguments. */
import type { z } from 'zod';
import { sentencesOf, stem, termsOf } from './language.ts';
import { readPrompt } from './prompt.ts';
import { rankFacts } from './reply.ts';
import { type ChatRequest, jsonSchemaSchema, systemOf, type Tool, textOf } from './request.ts';

type JsonSchema = z.infer<typeof jsonSchemaSchema>;

export interface ToolCall {
  name: string;
  /** JSON text, as on the wire. */
  arguments: string;
}

/** Return the calls to make before answering; empty if the model answers at once. */
export function chooseTools(request: ChatRequest): ToolCall[] {
  const tools = request.tools ?? [];
  const choice = request.tool_choice ?? 'auto';
  if (tools.length === 0 || choice === 'none') return [];
  const userText = lastUserText(request);
  if (typeof choice === 'object') {
    const named = tools.find((tool) => tool.function.name === choice.function.name);
    return named === undefined ? [] : [callOf(named, userText, contextLines(request))];
  }
  const calledTools = callsSinceLastUser(request);
  const options = tools.filter((tool) => !calledTools.has(tool.function.name));
  const [best] = options
    .map((tool) => ({ tool, score: relevance(tool, userText) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  const needed = choice === 'required' || !answeredByPrompt(request, userText);
  if (best !== undefined && (needed || commands(best.tool, userText)))
    return [callOf(best.tool, userText, contextLines(request))];
  const [first] = tools;
  return choice === 'required' && first !== undefined && calledTools.size === 0
    ? [callOf(first, userText, contextLines(request))]
    : [];
}

/** Return the texts of tool results since the lead's last message. */
export function toolResults(request: ChatRequest): string {
  return request.messages
    .slice(request.messages.findLastIndex((message) => message.role === 'user') + 1)
    .filter((message) => message.role === 'tool')
    .map((message) => unwrapped(textOf(message)))
    .join('\n');
}

/** Return the strings inside a JSON result, one per line; a text that is not JSON is returned unchanged. */
function unwrapped(text: string): string {
  const strings: string[] = [];
  try {
    JSON.parse(text, (_key, value: unknown) => {
      if (typeof value === 'string') strings.push(value);
      return value;
    });
    return strings.join('\n');
  } catch {
    return text;
  }
}

export function lastUserText(request: ChatRequest): string {
  const from = request.messages.findLastIndex(
    (message) => message.role === 'assistant' && message.tool_calls === undefined,
  );
  return request.messages
    .slice(from + 1)
    .filter((message) => message.role === 'user')
    .map(textOf)
    .join('\n');
}

function callsSinceLastUser(request: ChatRequest): Set<string> {
  const since = request.messages.slice(request.messages.findLastIndex((message) => message.role === 'user') + 1);
  return new Set(since.flatMap((message) => (message.tool_calls ?? []).map((call) => call.function.name)));
}

function answeredByPrompt(request: ChatRequest, userText: string): boolean {
  const { facts } = readPrompt(systemOf(request));
  return sentencesOf(userText).every((sentence) => {
    const terms = termsOf(sentence);
    return terms.size === 0 || rankFacts(facts, terms).length > 0;
  });
}

/** Return how relevant a tool is: the words that the message shares with its name, description and choices. */
function relevance(tool: Tool, userText: string): number {
  const about = termsOf(`${words(tool.function.name)} ${JSON.stringify(tool.function)}`);
  return [...termsOf(userText)].filter((term) => about.has(term)).length;
}

/** Return whether the lead's words name the tool itself («save the settings» for save_settings). */
function commands(tool: Tool, userText: string): boolean {
  const userTerms = termsOf(userText);
  const name = words(tool.function.name).split(' ').map(stem);
  return name.length > 0 && name.every((word) => userTerms.has(word));
}

function words(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase();
}

/** Return lines that explain the meaning of values, from the tools' descriptions and from earlier results. */
function contextLines(request: ChatRequest): string[] {
  const toolTexts = (request.tools ?? []).map((tool) => `${tool.function.description ?? ''}\n${descriptions(tool)}`);
  return `${toolTexts.join('\n')}\n${toolResults(request)}\n${systemOf(request)}`.split('\n');
}

function descriptions(tool: Tool): string {
  return Object.values(tool.function.parameters?.properties ?? {})
    .map((property) => jsonSchemaSchema.catch({}).parse(property).description ?? '')
    .join('\n');
}

function callOf(tool: Tool, userText: string, lines: string[]): ToolCall {
  return {
    name: tool.function.name,
    arguments: JSON.stringify(valueOf(tool.function.parameters ?? {}, userText, lines)),
  };
}

/** Return a value that matches a JSON schema, chosen by the message where there is a choice. */
export function valueOf(raw: unknown, userText: string, lines: string[]): unknown {
  const schema: JsonSchema = jsonSchemaSchema.catch({}).parse(raw);
  if (schema.enum !== undefined) return chosen(schema.enum, userText, lines);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'array':
      return [valueOf(schema.items, userText, lines)];
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return Number(/-?\d+/.exec(bestLine(lines, userText) ?? userText)?.[0] ?? 1);
    case 'string':
      return userText;
    default: {
      const requiredNames = schema.required ?? Object.keys(schema.properties ?? {});
      return Object.fromEntries(
        requiredNames.map((name) => [name, valueOf(schema.properties?.[name], userText, lines)]),
      );
    }
  }
}

/** Return the choice whose own words, or whose explanation, share most with the message. */
function chosen(choices: unknown[], userText: string, lines: string[]): unknown {
  const userTerms = termsOf(userText);
  const score = (choice: unknown): number => {
    const explained = lines.filter((line) => line.includes(String(choice))).join(' ');
    return [...termsOf(`${String(choice)} ${explained}`)].filter((term) => userTerms.has(term)).length;
  };
  return choices.map((choice) => ({ choice, score: score(choice) })).toSorted((a, b) => b.score - a.score)[0]?.choice;
}

/** Return the line that contains a number and shares most with the message. */
function bestLine(lines: string[], userText: string): string | undefined {
  const userTerms = termsOf(userText);
  return lines
    .filter((line) => /^\W*\d+\W/.test(line.trim()))
    .map((line) => ({ line, score: [...termsOf(line)].filter((term) => userTerms.has(term)).length }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)[0]?.line;
}

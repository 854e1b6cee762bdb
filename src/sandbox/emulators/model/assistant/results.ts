/** What became of the calls that the model proposed, and what a denial asks for instead. */
import { type ChatRequest, type Tool, textOf } from '../request.ts';
import type { ToolCall } from '../tools.ts';
import { fill } from './arguments.ts';
import { type Entries, isEntries, parsed } from './json.ts';
import type { Page } from './page.ts';
import { planOf } from './plan.ts';
import { edited } from './texts.ts';
import { readings } from './wish.ts';

export interface Outcome {
  readonly call: ToolCall;
  /** Which of the answers since the operator wrote proposed it. */
  readonly round: number;
  /** As it came. */
  readonly content: string;
  /** The same, read, out of what libraries wrap it in. */
  readonly result: unknown;
  /** What the page showed afterwards; null: nothing was said of it. */
  readonly page: readonly string[] | null;
}

/** Calls since the operator last wrote, each with its result. */
export function outcomesOf(request: ChatRequest): Outcome[] {
  const since = request.messages.slice(request.messages.findLastIndex(({ role }) => role === 'user') + 1);
  const outcomes: Outcome[] = [];
  const waiting: { call: ToolCall; id: string; round: number }[] = [];
  let round = 0;
  for (const message of since) {
    if (message.role === 'assistant' && message.tool_calls) {
      round += 1;
      waiting.push(...message.tool_calls.map((call) => ({ call: call.function, id: call.id, round })));
    } else if (message.role === 'tool') {
      // Gemini knows calls by the tool's name, in their order.
      const at = waiting.findIndex(({ id, call }) => id === message.tool_call_id || call.name === message.tool_call_id);
      const [found] = at === -1 ? [] : waiting.splice(at, 1);
      if (found === undefined) continue;
      const content = textOf(message);
      const read = unwrapped(parsed(content) ?? content);
      // A result that came with the page as it is now.
      const page = isEntries(read) && 'page_now' in read ? dataOf(read['page_now']) : null;
      const result = page !== null && isEntries(read) ? unwrapped(read['result']) : read;
      outcomes.push({ call: found.call, round: found.round, content, result, page });
    }
  }
  return outcomes;
}

function dataOf(page: unknown): string[] {
  if (!isEntries(page)) return [];
  return Object.values(page).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
}

/** Out of `{name, content}`, `{output}` and their like. */
function unwrapped(value: unknown): unknown {
  if (typeof value === 'string') {
    const inner = /^\s*[{[]/.test(value) ? parsed(value) : undefined;
    return inner === undefined ? value : unwrapped(inner);
  }
  if (!isEntries(value)) return value;
  const keys = Object.keys(value).filter((key) => key !== 'name' && key !== 'type');
  const [only] = keys;
  return keys.length === 1 && only !== undefined && /^(?:content|output|result|value)$/.test(only)
    ? unwrapped(value[only])
    : value;
}

/** The calls that the reason of a denial asks for in place of this one; none when it only says no. */
export function retold({ call, result }: Outcome, tools: readonly Tool[], page: Page): ToolCall[] {
  if (!isEntries(result) || result['status'] !== 'rejected' || typeof result['reason'] !== 'string') return [];
  const { reason } = result;
  const tool = tools.find((one) => one.function.name === call.name);
  const before = parsed(call.arguments);
  if (tool === undefined || !isEntries(before)) return [];
  const changed = changedBy(reason, before, tool, page);
  if (changed !== null) return [{ name: call.name, arguments: JSON.stringify(changed) }];
  return planOf(reason, tools, page).calls.filter(
    ({ name, arguments: args }) => name !== call.name || args !== call.arguments,
  );
}

/** «Write … instead»: another text altogether, no edit of it. */
const insteadOfAll = (reason: string): boolean => /(?:instead|rather|вместо этого|лучше)\s*[.!]?$/iu.test(reason);

/** The arguments with what the reason names put in; null when it names nothing new. */
function changedBy(reason: string, before: Entries, tool: Tool, page: Page): Entries | null {
  const numbers = Object.keys(before).filter((key) => typeof before[key] === 'number');
  for (const [clause] of readings(reason)) {
    if (clause === undefined) continue;
    for (const [key, value] of Object.entries(before)) {
      const after = typeof value === 'string' && !insteadOfAll(clause.bare) ? edited(value, clause) : null;
      if (after !== null && after !== value) return { ...before, [key]: after };
    }
    const { args } = fill(tool.function.parameters ?? {}, clause, page, { lenient: numbers });
    const fresh = Object.entries(args).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]));
    if (fresh.length > 0) return { ...before, ...Object.fromEntries(fresh) };
  }
  return null;
}

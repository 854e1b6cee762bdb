/** The scripted model as the console's assistant. It says that it is one, and what it understood. */
import { type Answer, type ChatRequest, type Tool, textOf, toolResults } from './request.ts';
import { type ChosenTool, callOf, chooseTool, chooseTools, fillArguments, inWords, parametersOf } from './toolCalls.ts';

interface OperatorRequest {
  readonly words: string;
  /** What the page shows, as JSON if it is that. */
  readonly data: string;
}

/** A message as the server frames it: the page's data, then the operator's words. */
const FRAME = /^(?:<data (\S+)>\n(?<data>[\s\S]*)\n<\/data \1>\n)?Operator:\n(?<words>[\s\S]*)$/;
const MAX_EXAMPLES = 4;
/** How much of a result is told: values, and characters of each. */
const MAX_REPORTED = 5;
const MAX_VALUE = 80;

/** Return the operator's last message; null if nobody wrote to the assistant. */
export function operatorRequest(request: ChatRequest): OperatorRequest | null {
  const last = request.messages.findLast(({ role }) => role === 'user');
  const groups = last && FRAME.exec(textOf(last))?.groups;
  if (!groups) return null;
  const { words = '', data = '' } = groups;
  return { words, data: data.slice(Math.max(data.search(/^[[{]/m), 0)) };
}

export function answerOperator(request: ChatRequest, { words, data }: OperatorRequest): Answer {
  const tools = request.tools ?? [];
  const results = toolResults(request);
  if (results.length > 0) {
    const corrected = results.flatMap((result) => correctedCall(result, tools, data));
    if (corrected.length > 0) return proposalOf(corrected);
    return { text: results.map(reportOf).join(' '), toolCalls: [] };
  }
  const chosen = chooseTools(tools, words, data);
  const complete = chosen.filter(({ missing }) => missing.length === 0);
  if (complete.length > 0) return proposalOf(complete);
  const [partial] = chosen;
  const understood = partial
    ? `understood “${inWords(partial.name)}” but not its ${partial.missing.map(inWords).join(' and ')}`
    : 'know simple words only, and understood none of these';
  const examples = examplesOf(tools, data);
  const hint = examples.length === 0 ? 'This page has no tools.' : `Requests that work here: ${examples.join('; ')}.`;
  return { text: `I am the sandbox's scripted model: I ${understood}. ${hint}`, toolCalls: [] };
}

function proposalOf(chosen: readonly ChosenTool[]): Answer {
  const understood = chosen.map(({ name }) => inWords(name)).join(', then ');
  return { text: `The sandbox's scripted model understood: ${understood}.`, toolCalls: chosen.map(callOf) };
}

type Result = ReturnType<typeof toolResults>[number];

/** Return the denied call with the values that the reason names instead; none if it names no other. */
function correctedCall({ call, content }: Result, tools: readonly Tool[], data: string): ChosenTool[] {
  const tool = tools.find(({ function: { name } }) => name === call.name);
  const reason = /"status":\s*"rejected".*"reason":\s*("(?:[^"\\]|\\.)*")/.exec(content)?.[1];
  if (!tool || reason === undefined) return [];
  const before: Record<string, unknown> = JSON.parse(call.arguments);
  const named = fillArguments(tool, JSON.parse(reason), `[${call.arguments}, ${data || 'null'}]`).args;
  const args = { ...before, ...named };
  return JSON.stringify(args) === call.arguments ? [] : [{ name: call.name, args, missing: [] }];
}

function reportOf({ call, content }: Result): string {
  const what = capitalised(inWords(call.name));
  if (/"status":\s*"rejected"/.test(content)) return `${what}: not done, as you said.`;
  const result = readResult(content);
  if (isRecord(result) && result['status'] === 'failed')
    return `${what}: this did not work. ${typeof result['reason'] === 'string' ? cut(result['reason']) : ''}`.trim();
  return sentenceOf(what, result);
}

/** Return a tool's own result, without the page that comes with it. */
function readResult(content: string): unknown {
  try {
    const read: unknown = JSON.parse(content);
    return isRecord(read) && 'page_now' in read ? read['result'] : read;
  } catch {
    return null;
  }
}

/** Say what a result means: its lead and stage, the rows that it found, or its plain values. */
function sentenceOf(what: string, result: unknown): string {
  if (Array.isArray(result)) return `${what}: ${result.length} found.`;
  if (!isRecord(result)) return `${what}: done.`;
  const { lead, stage } = result;
  if (typeof stage === 'string')
    return typeof lead === 'string'
      ? `${lead} is now ${capitalised(stage)}.`
      : `The stage is now ${capitalised(stage)}.`;
  const values = Object.entries(result)
    .filter(
      ([name, value]) =>
        !['id', 'status'].includes(name) &&
        !name.endsWith('_id') &&
        ['string', 'number', 'boolean'].includes(typeof value),
    )
    .slice(0, MAX_REPORTED)
    .map(
      ([name, value]) => `${inWords(name)}: ${value === true ? 'yes' : value === false ? 'no' : cut(String(value))}`,
    );
  return values.length === 0 ? `${what}: done.` : `${what}: done (${values.join(', ')}).`;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const cut = (text: string): string => (text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`);

/** Return requests made of the tools' names and choices that this model understands. */
function examplesOf(tools: readonly Tool[], data: string): string[] {
  return tools
    .map((tool) => {
      const { name, parameters } = tool.function;
      const all = parametersOf(tool);
      const named = parameters?.required?.length
        ? all.filter((one) => parameters.required?.includes(one.name))
        : all.slice(0, 1);
      const values = named.map(({ name: parameter, type, choices }) => {
        const value =
          choices.length > 0 ? inWords(String(choices[0])) : type === 'number' ? 30 : type === 'string' ? '"…"' : '';
        return `${inWords(parameter)} ${value}`;
      });
      return { name, words: [inWords(name), ...values].join(' ').trim() };
    })
    .filter(({ name, words }) => {
      const found = chooseTool(tools, words, data);
      return found?.name === name && found.missing.length === 0;
    })
    .slice(0, MAX_EXAMPLES)
    .map(({ words }) => `“${words}”`);
}

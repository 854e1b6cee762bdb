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
const MAX_RESULT = 600;

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
  const what = inWords(call.name).replace(/^./, (letter) => letter.toUpperCase());
  if (/"status":\s*"rejected"/.test(content)) return `${what}: not done, as you said.`;
  return `${what}: ${content.slice(0, MAX_RESULT)}`;
}

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

/** The sandbox's model as the console's assistant: pure, and the same for the same request. */
import { type ChatRequest, textOf } from '../request.ts';
import type { ToolCall } from '../tools.ts';
import { takenApart, type UserText } from './frame.ts';
import { isEntries, parsed } from './json.ts';
import { pageOf } from './page.ts';
import { planOf } from './plan.ts';
import { type Outcome, outcomesOf, retold } from './results.ts';
import { asksWhat, asksWho, capital, deedOf, inWords, languageFor, sentences } from './say.ts';
import { told } from './tell.ts';
import { isQuestion, plainly } from './wish.ts';

interface Answered {
  text: string;
  toolCalls: ToolCall[];
}

/** What the operator last wrote, taken apart; null when nobody wrote in the assistant's frame. */
export function askedByOperator(request: ChatRequest): UserText | null {
  const users = request.messages.filter((message) => message.role === 'user').map(textOf);
  const last = takenApart(users.at(-1) ?? '');
  if (!last.framed) return null;
  // A message that brings no data speaks of what was shown before.
  const shown = users.map(takenApart).findLast(({ data }) => data.length > 0);
  return { ...last, data: last.data.length > 0 ? last.data : (shown?.data ?? []) };
}

export function assistantAnswer(request: ChatRequest, { words, data }: UserText): Answered {
  const tools = request.tool_choice === 'none' ? [] : (request.tools ?? []);
  const say = sentences[languageFor(words)];
  const outcomes = outcomesOf(request);
  const begins = !request.messages.some(({ role }) => role === 'assistant');
  const introduction = begins && !asksWho(words) ? `${say.iAm} ` : '';
  if (outcomes.length > 0) return afterResults(words, data, tools, outcomes);

  if (asksWho(words) || asksWhat(words)) {
    return {
      text: [...(asksWho(words) ? [say.iAm] : [introduction.trim()]), abilities(request, words)].join(' ').trim(),
      toolCalls: [],
    };
  }
  const page = pageOf(data);
  const plan = planOf(words, tools, page);
  const shown =
    plan.faint || /^\W*(?:how many|сколько)/iu.test(plainly(words)) ? told(words, page, languageFor(words)) : null;
  if (shown !== null) return { text: `${introduction}${shown}`, toolCalls: [] };
  const parts: string[] = [];
  for (const { tool, missing } of plan.lacking) parts.push(say.lacks(inWords(tool), missing.map(inWords).join(', ')));
  for (const clause of plan.unclear) {
    const answer =
      isQuestion(clause.text) || plan.calls.length === 0 ? told(clause.text, page, languageFor(words)) : null;
    if (answer !== null) parts.push(answer);
    else if (isQuestion(plainly(clause.text)) && plan.calls.length === 0)
      parts.push(say.notShown, abilities(request, words));
    // Another page may know what is meant.
    else if (plan.calls.length > 0 && !plan.calls.some(({ name }) => LOOKING.test(name)))
      parts.push(say.unclear(clause.text));
  }
  if (plan.calls.length > 0 && begins) parts.push(say.propose(deeds(plan.calls)));
  if (parts.length === 0 && plan.calls.length === 0) parts.push(say.unknown, abilities(request, words));
  return { text: `${introduction}${parts.join(' ')}`.trim(), toolCalls: [...plan.calls] };
}

function afterResults(
  words: string,
  data: readonly string[],
  tools: NonNullable<ChatRequest['tools']>,
  outcomes: readonly Outcome[],
): Answered {
  const language = languageFor(words);
  const say = sentences[language];
  const last = outcomes.filter(({ round }) => round === outcomes.at(-1)?.round);
  const made = new Set(outcomes.map(({ call }) => `${call.name} ${call.arguments}`));
  const fresh = (calls: readonly ToolCall[]) => calls.filter((call) => !made.has(`${call.name} ${call.arguments}`));
  const shown = outcomes.findLast(({ page }) => page !== null)?.page ?? data;
  const page = pageOf(shown);
  const again = fresh(last.flatMap((outcome) => retold(outcome, tools, page)));
  if (again.length > 0) return { text: say.instead(deeds(again)), toolCalls: again };
  // What was looked up, or another page, may bring what the wish was about.
  if (last.some(({ call }) => LOOKING.test(call.name))) {
    const wider = pageOf([...shown, ...last.map(({ content }) => content)]);
    const next = undone(fresh(planOf(words, tools, wider).calls), outcomes);
    if (next.length > 0) return { text: say.propose(deeds(next)), toolCalls: next };
  }
  return { text: last.map((outcome) => reported(outcome, language)).join(' '), toolCalls: [] };
}

/** Tools that only go somewhere, or bring something to see. */
const LOOKING = /^(?:find|search|look|open|choose|show|go)(?:_|$)/;

/** Calls of tools that have not been called as often yet: what was done once is not done again. */
function undone(calls: readonly ToolCall[], outcomes: readonly Outcome[]): ToolCall[] {
  const times = new Map<string, number>();
  for (const { call } of outcomes) times.set(call.name, (times.get(call.name) ?? 0) + 1);
  return calls.filter(({ name }) => {
    const left = times.get(name) ?? 0;
    times.set(name, left - 1);
    return left <= 0 && !/^(?:find|search|look)/.test(name);
  });
}

function reported({ call, result, content }: Outcome, language: 'en' | 'ru'): string {
  const say = sentences[language];
  const deed = capital(inWords(call.name));
  // Results are objects; a bare sentence says why a call could not be meant.
  if (!isEntries(result)) return say.failed(deed, closed(typeof result === 'string' ? result : content));
  const { status, error, reason, reasons, faults, ...rest } = result;
  const why = [error, reason, reasons, faults].flat().filter((one) => typeof one === 'string' && one !== '');
  if (status === 'rejected') return say.denied(inWords(call.name));
  if (error !== undefined || /^(?:failed|error|unknown)|^not /.test(String(status ?? ''))) {
    return say.failed(deed, closed(why.length > 0 ? why.join('; ') : String(status)));
  }
  const more = Object.entries(rest).map(
    ([key, value]) => `${inWords(key)}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const how = [...(typeof status === 'string' ? [status] : []), ...more, ...why].join('; ');
  return say.did(deed, closed(how === '' ? say.done : how));
}

const LONGEST = 1_500;
const closed = (text: string): string => text.slice(0, LONGEST).replace(/[.\s]+$/, '');

function deeds(calls: readonly ToolCall[]): string {
  return calls
    .map((call) => {
      const args = parsed(call.arguments);
      return deedOf(call.name, isEntries(args) ? args : {});
    })
    .join('; ');
}

/** What can be done here, by the tools' own descriptions. */
function abilities(request: ChatRequest, words: string): string {
  const say = sentences[languageFor(words)];
  const names = (request.tools ?? []).map((tool) => inWords(tool.function.name));
  return names.length === 0 ? say.canNothing : say.can(names.join(', '));
}

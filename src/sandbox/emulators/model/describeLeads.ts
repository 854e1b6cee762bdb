/** The scripted model's description of leads, as JSON: what they asked in the dialogues, and how those ended. */
import { type ChatRequest, systemOf, textOf } from './request.ts';
import { HUMAN_REASONS, OPT_OUT, QUESTION, RULES } from './rules.ts';
import { languageOf, sentencesOf } from './words.ts';

const OBJECTION = /expensive|too (?:much|long|far)|think about|not sure|elsewhere|cheaper|дорог|долго|подума|дешевле/i;

const NAMES = {
  buys: 'Decided buyer',
  asks_for_human: 'Wants a person',
  refuses: 'Doubting lead',
  falls_silent: 'Silent reader',
  opts_out: 'Annoyed lead',
} as const;

/** Return whether the prompt asks for descriptions of leads. */
export const wantsPersonas = (request: ChatRequest): boolean => /\{"personas": \[\{"name":/.test(systemOf(request));

export function describeLeads(request: ChatRequest): string {
  const count = Number(/exactly (\d+) items/.exec(systemOf(request))?.[1] ?? 1);
  const text = request.messages
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .join('\n');
  const dialogues = [...text.matchAll(/<conversation>\n([\s\S]*?)\n<\/conversation>/g)].map(([, lines = '']) =>
    [...lines.matchAll(/^lead: (".*")$/gm)].map(([, line = '""']) => String(JSON.parse(line))),
  );
  const talks = dialogues.filter((lines) => lines.length > 0);
  return JSON.stringify({
    personas: Array.from({ length: count }, (_none, index) =>
      describe(talks.filter((_talk, at) => at % count === index % Math.max(1, talks.length))),
    ),
  });
}

/** Describe the leads of some dialogues as one kind. */
function describe(talks: readonly (readonly string[])[]) {
  const lines = talks.flat();
  const sentences = [...new Set(lines.flatMap(sentencesOf))].map((one) => one.slice(0, 300));
  const ending = endingOf(talks.map((talk) => talk.at(-1) ?? ''));
  const length = lines.reduce((sum, line) => sum + line.length, 0) / Math.max(1, lines.length);
  const isFormal = lines.filter((line) => /[.!?]$/.test(line)).length > lines.length / 2;
  return {
    name: NAMES[ending],
    style: `${length < 40 ? 'Short messages of a few words' : 'Whole sentences'}, ${isFormal ? 'with punctuation' : 'no punctuation'}.`,
    language: languageOf(lines.join(' ')),
    goal: `Finds out what the offer is worth: ${sentences[0] ?? 'asks'}`,
    questions: sentences.filter((one) => QUESTION.test(one)).slice(0, 4),
    objections: sentences.filter((one) => OBJECTION.test(one) && !QUESTION.test(one)).slice(0, 2),
    ending,
  };
}

function endingOf(last: readonly string[]): keyof typeof NAMES {
  const text = last.join('\n');
  if (OPT_OUT.words.test(text)) return 'opts_out';
  if (HUMAN_REASONS.some(([, words]) => words.test(text))) return 'asks_for_human';
  const rule = RULES.find(({ words }) => words.test(text));
  if (rule?.stage === 'success') return 'buys';
  return rule?.stage === 'refused' ? 'refuses' : 'falls_silent';
}

/** The scripted model as a judge of two answers, as JSON. By simple rules; the order of the answers is none of them. */
import { type ChatRequest, systemOf, textOf } from './request.ts';
import { HUMAN_REASONS, QUESTION } from './rules.ts';
import { countShared, languageOf, termsOf } from './words.ts';

type Preference = 'first' | 'second' | 'tie';

const EXAMPLE = /\{"better": "first", "code": "([^"]*)"/;

/** Return whether the prompt asks which of two answers is better. */
export const wantsPreference = (request: ChatRequest): boolean => EXAMPLE.test(systemOf(request));

export function prefer(request: ChatRequest): string {
  const asked = leadTexts(request).at(-1) ?? '';
  const [first, second] = ['first_answer', 'second_answer'].map((tag) => scoreOf(answerIn(request, tag), asked));
  return answerWith(request, first === second ? 'tie' : (first ?? 0) > (second ?? 0) ? 'first' : 'second');
}

/** The answer of a judge that looks at nothing but the order. */
export const preferFirst = (request: ChatRequest): string => answerWith(request, 'first');

function answerWith(request: ChatRequest, better: Preference): string {
  const code = EXAMPLE.exec(systemOf(request))?.[1];
  return JSON.stringify({ better, code, reason: REASONS[better] });
}

const REASONS: Readonly<Record<Preference, string>> = {
  first: 'The first answer replies better to what was asked.',
  second: 'The second answer replies better to what was asked.',
  tie: 'Both answers reply as well to what was asked.',
};

interface JudgedAnswer {
  readonly text?: string;
  readonly hands_over_to_a_person?: string;
}

/** Longer answers than this bore the lead, characters. */
const LONG = 400;

function scoreOf({ text = '', hands_over_to_a_person: reason }: JudgedAnswer, asked: string): number {
  const needsHuman = HUMAN_REASONS.some(([, words]) => words.test(asked));
  if (reason !== undefined) return needsHuman ? 5 : -5;
  const isOnTopic = countShared(termsOf(text), termsOf(asked)) > 0;
  return (
    (languageOf(text) === languageOf(asked) ? 2 : 0) +
    (isOnTopic ? 1 : 0) +
    (QUESTION.test(text) ? 1 : 0) -
    (text.length > LONG ? 1 : 0) -
    (needsHuman ? 2 : 0)
  );
}

const userText = (request: ChatRequest): string =>
  request.messages
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .join('\n');

const leadTexts = (request: ChatRequest): string[] =>
  [...userText(request).matchAll(/^lead: (".*")$/gm)].map(([, text = '""']) => String(JSON.parse(text)));

function answerIn(request: ChatRequest, tag: string): JudgedAnswer {
  const found = new RegExp(`^<${tag}>\n(.*)\n</${tag}>$`, 'm').exec(userText(request))?.[1];
  return found === undefined ? {} : JSON.parse(found);
}

/** What changed in an answer, in sentences. Pure. */
import { OWNER_REASONS } from '../../leads/lead.ts';
import type { ChangeKind } from '../runContract.ts';
import { type FactKind, factKinds, factsBeside, type ReadAnswer } from './differences.ts';
import type { StatedFact } from './statedFacts.ts';

/**
 * Describe the changes of the given kinds between the answers of the live version and those of the candidate: what most
 * answers of one say and none of the other.
 */
export function changeSentences(
  kinds: readonly ChangeKind[],
  { live, candidate }: { readonly live: readonly ReadAnswer[]; readonly candidate: readonly ReadAnswer[] },
): string[] {
  return kinds.flatMap((kind) => {
    if (isFactKind(kind)) return factSentences(kind, live, candidate);
    const [before, after] = [typicalOf(kind, live), typicalOf(kind, candidate)];
    return !before || !after ? [] : [plainSentence(kind, before, after)];
  });
}

const isFactKind = (kind: ChangeKind): kind is FactKind => factKinds.some((one) => one === kind);

const FACT_NAMES: Readonly<Record<FactKind, string>> = { prices: 'price', links: 'link', numbers: 'number' };

function factSentences(kind: FactKind, live: readonly ReadAnswer[], candidate: readonly ReadAnswer[]): string[] {
  const name = FACT_NAMES[kind];
  return [
    ...ofOneSide(kind, candidate, live).map((text) => `The ${name} ${text} is new`),
    ...ofOneSide(kind, live, candidate).map((text) => `No longer states the ${name} ${text}`),
  ];
}

/** Facts in at least half of the answers of one side and in none of the other's, as they are written. */
function ofOneSide(kind: FactKind, answers: readonly ReadAnswer[], others: readonly ReadAnswer[]): string[] {
  const found = new Map<string, { text: string; count: number }>();
  for (const answer of answers)
    for (const { key, text } of statedByNone(kind, answer, others))
      found.set(key, { text, count: (found.get(key)?.count ?? 0) + 1 });
  return [...found.values()].filter(({ count }) => count >= answers.length / 2).map(({ text }) => text);
}

function statedByNone(kind: FactKind, answer: ReadAnswer, others: readonly ReadAnswer[]): StatedFact[] {
  const stated = new Set(others.flatMap((other) => other[kind].map(({ key }) => key)));
  return answer[kind].filter(
    (fact) => !stated.has(fact.key) && others.every((other) => factsBeside(kind, answer, other).includes(fact)),
  );
}

type PlainKind = Exclude<ChangeKind, FactKind>;

/** The answer that stands for all in a kind: the one with the middle or the most frequent value. */
function typicalOf(kind: PlainKind, answers: readonly ReadAnswer[]): ReadAnswer | undefined {
  if (kind === 'length' || kind === 'questions') {
    const sizeOf = ({ length, questions }: ReadAnswer): number => (kind === 'length' ? length : questions);
    return answers.toSorted((one, other) => sizeOf(one) - sizeOf(other))[Math.floor((answers.length - 1) / 2)];
  }
  const valueOf = ({ languages, output }: ReadAnswer): string | null =>
    kind === 'language' ? languageName(languages) : kind === 'wording' ? null : output[kind];
  const countOf = (answer: ReadAnswer): number => answers.filter((one) => valueOf(one) === valueOf(answer)).length;
  return answers.toSorted((one, other) => countOf(other) - countOf(one))[0];
}

function plainSentence(kind: PlainKind, before: ReadAnswer, after: ReadAnswer): string {
  switch (kind) {
    case 'questions':
      return questionSentence(before.questions, after.questions);
    case 'hand_over':
      return handOverSentence(before.output.hand_over, after.output.hand_over);
    case 'stage':
      return `Names the stage ${after.output.stage ?? 'none'} instead of ${before.output.stage ?? 'none'}`;
    case 'length':
      return `${after.length > before.length ? 'Longer' : 'Shorter'}: ${after.length} characters instead of ${before.length}`;
    case 'language':
      return `Answers in ${languageName(after.languages)} instead of ${languageName(before.languages)}`;
    case 'wording':
      return 'Says it in other words';
    default:
      return kind satisfies never;
  }
}

function questionSentence(before: number, after: number): string {
  if (after === 0) return 'No longer asks a question';
  if (before === after) return 'Asks another number of questions';
  if (before === 0) return after === 1 ? 'Asks a question' : `Asks ${after} questions`;
  return `Asks ${after} ${after === 1 ? 'question' : 'questions'} instead of ${before}`;
}

type HandOver = ReadAnswer['output']['hand_over'];

function handOverSentence(before: HandOver, after: HandOver): string {
  const reasonOf = (reason: NonNullable<HandOver>): string => `the lead ${OWNER_REASONS[reason]}`;
  if (after === null) return 'No longer hands over to a person';
  if (before === null) return `Hands over to a person: ${reasonOf(after)}`;
  return `Hands over for another reason: ${reasonOf(after)}`;
}

const LANGUAGE_NAMES = new Intl.DisplayNames('en', { type: 'language' });

function languageName(languages: ReadAnswer['languages']): string {
  const [language, ...others] = languages;
  return language === undefined || others.length > 0 ? 'another language' : (LANGUAGE_NAMES.of(language) ?? language);
}

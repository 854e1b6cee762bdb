/** How two answers differ, by facts first and then by wording, without a model. Pure and symmetric. */
import { caseLanguages } from '../caseContract.ts';
import { possibleLanguages } from '../checks/language.ts';
import type { ChangeKind, StudioOutput } from '../runContract.ts';
import { countWords, type StatedFact, type StatedFacts, type StatedPrice, statedFacts } from './statedFacts.ts';

export type ComparedOutput = Pick<StudioOutput, 'text' | 'hand_over' | 'stage'>;

/** An answer with all that is compared, read once. */
export interface ReadAnswer extends StatedFacts {
  readonly output: ComparedOutput;
  /** Those it may be in: all, if it shows too little; none, if it is in another script. */
  readonly languages: ReturnType<typeof possibleLanguages>;
  /** Characters. */
  readonly length: number;
  /** How often each word occurs. */
  readonly words: ReadonlyMap<string, number>;
}

/** How far two answers differ in each kind, 0 to 1. */
export type Magnitudes = Readonly<Record<ChangeKind, number>>;

/** The kinds that compare sets of facts. */
export const factKinds = ['prices', 'links', 'numbers'] as const satisfies readonly ChangeKind[];
export type FactKind = (typeof factKinds)[number];

export function readAnswer(output: ComparedOutput): ReadAnswer {
  return {
    output,
    ...statedFacts(output.text),
    languages: possibleLanguages(output.text),
    length: output.text.trim().length,
    words: countWords(output.text),
  };
}

/** Return a magnitude for each kind. */
export const mapKinds = (valueOf: (kind: ChangeKind) => number): Magnitudes => ({
  numbers: valueOf('numbers'),
  prices: valueOf('prices'),
  links: valueOf('links'),
  questions: valueOf('questions'),
  hand_over: valueOf('hand_over'),
  stage: valueOf('stage'),
  length: valueOf('length'),
  language: valueOf('language'),
  wording: valueOf('wording'),
});

const NONE = mapKinds(() => 0);

/**
 * Measure how two answers differ.
 *
 * - Prices, links and numbers: one minus the share of facts that both state (Jaccard). An amount that one answer states
 *   with a currency and the other without is the same.
 * - Questions: 1 if only one answer asks; else the difference relative to the larger number.
 * - Hand-over: 1 if only one answer hands over, and then nothing else is compared; 0.5 for another reason.
 * - Stage and language: 0 or 1.
 * - Length: 0 up to a factor of 1.25, 1 from a factor of 3, on a logarithmic scale between.
 * - Wording: one minus the share of common words (Dice), less what the lengths alone explain.
 */
export function differenceOf(one: ReadAnswer, other: ReadAnswer): Magnitudes {
  const [ours, theirs] = [one.output.hand_over, other.output.hand_over];
  if ((ours === null) !== (theirs === null)) return { ...NONE, hand_over: 1 };
  const length = lengthDifference(one.length, other.length);
  const isLanguageOther = haveNoLanguageInCommon(one, other);
  return {
    prices: jaccardDistance(pricesBeside(one, other), pricesBeside(other, one)),
    links: jaccardDistance(one.links, other.links),
    numbers: jaccardDistance(numbersBeside(one, other), numbersBeside(other, one)),
    questions: questionDifference(one.questions, other.questions),
    hand_over: ours === theirs ? 0 : 0.5,
    stage: one.output.stage === other.output.stage ? 0 : 1,
    length,
    language: isLanguageOther ? 1 : 0,
    wording: isLanguageOther ? 0 : wordingDifference(one, other, length),
  };
}

/** The facts of a kind, without those that the other answer states in another form. */
export function factsBeside(kind: FactKind, one: ReadAnswer, other: ReadAnswer): readonly StatedFact[] {
  if (kind === 'links') return one.links;
  return kind === 'prices' ? pricesBeside(one, other) : numbersBeside(one, other);
}

/** Without the prices whose amounts the other answer states as numbers. */
function pricesBeside({ prices }: StatedFacts, { numbers }: StatedFacts): readonly StatedPrice[] {
  if (numbers.length === 0) return prices;
  const stated = new Set(numbers.map(({ key }) => key));
  return prices.filter(({ amount }) => !stated.has(amount));
}

function numbersBeside({ numbers }: StatedFacts, { prices }: StatedFacts): readonly StatedFact[] {
  if (prices.length === 0) return numbers;
  const amounts = new Set(prices.map(({ amount }) => amount));
  return numbers.filter(({ key }) => !amounts.has(key));
}

function haveNoLanguageInCommon(one: ReadAnswer, other: ReadAnswer): boolean {
  const isUnclear = [one, other].some(({ languages }) => languages.size === caseLanguages.length);
  if (isUnclear || (one.languages.size === 0 && other.languages.size === 0)) return false;
  return one.languages.isDisjointFrom(other.languages);
}

function jaccardDistance(one: readonly StatedFact[], other: readonly StatedFact[]): number {
  if (one.length === 0 && other.length === 0) return 0;
  const keys = new Set(one.map(({ key }) => key));
  const shared = other.filter(({ key }) => keys.has(key)).length;
  return 1 - shared / (one.length + other.length - shared);
}

function questionDifference(one: number, other: number): number {
  return one === other ? 0 : Math.abs(one - other) / Math.max(one, other);
}

/** Below it, a text is counted as so many characters: `Yes` and `Yes, sure` do not differ in length. */
const SHORTEST = 20;
const UNNOTICED = Math.log(1.25);
const THREEFOLD = Math.log(3);

function lengthDifference(one: number, other: number): number {
  const factor = Math.log(Math.max(one, other, SHORTEST) / Math.max(Math.min(one, other), SHORTEST));
  return Math.min(1, Math.max(0, (factor - UNNOTICED) / (THREEFOLD - UNNOTICED)));
}

function wordingDifference(one: ReadAnswer, other: ReadAnswer, length: number): number {
  const [ours, theirs] = [countAll(one.words), countAll(other.words)];
  if (ours + theirs === 0) return 0;
  const shared = [...one.words].reduce((sum, [word, count]) => sum + Math.min(count, other.words.get(word) ?? 0), 0);
  const distance = 1 - (2 * shared) / (ours + theirs);
  // A text of twice the length cannot share more than two thirds: that much is explained by the length.
  const explained = Math.abs(ours - theirs) / (ours + theirs);
  return Math.max(0, distance - length * explained);
}

const countAll = (words: ReadonlyMap<string, number>): number =>
  [...words.values()].reduce((sum, count) => sum + count, 0);

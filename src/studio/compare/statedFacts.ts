/** The facts that an answer states, in a form in which two answers can be compared. Pure. */
import { factsIn, overlapsWith } from '../checks/facts.ts';
import { type FoundNumber } from '../checks/numbers.ts';
import { countQuestions, normalizeWording } from '../checks/wording.ts';

/** Something stated. Two facts are the same if their keys are. */
export interface StatedFact {
  readonly key: string;
  /** As it is written. */
  readonly text: string;
}

/** Its key is amount and currency: `12500 EUR`. */
export interface StatedPrice extends StatedFact {
  readonly amount: string;
}

/** All that a text states, each fact once. */
export interface StatedFacts {
  readonly prices: readonly StatedPrice[];
  /** Numbers that are no part of a price or a link: counts, percentages, times, telephone numbers. */
  readonly numbers: readonly StatedFact[];
  readonly links: readonly StatedFact[];
  readonly questions: number;
}

/** Find the facts of a text. */
export function statedFacts(text: string): StatedFacts {
  const plainText = withoutListNumbers(text);
  const { prices, percentages, links, phones, numbers } = factsIn(plainText);
  const taken = new Set([...prices, ...percentages].map(({ start }) => start));
  const isPartOfPhone = overlapsWith(phones);
  const plain = numbers.filter((one) => !taken.has(one.start) && !isPartOfPhone(one));
  return {
    prices: unique(
      prices.map((price) => ({
        key: `${amountOf(price)} ${price.currency}`,
        text: price.text.trim(),
        amount: amountOf(price),
      })),
    ),
    numbers: unique([
      ...percentages.map((one) => ({ key: `${amountOf(one)}%`, text: `${one.text} %` })),
      ...phones.map(({ digits: number, text: written }) => ({ key: `tel ${number.slice(-10)}`, text: written })),
      ...plain.map((one) => ({ key: amountOf(one), text: one.text })),
      ...numberWordsIn(text),
    ]),
    links: unique(links.map(({ address, text: written }) => ({ key: address, text: written }))),
    questions: countQuestions(text),
  };
}

/** How often each word occurs that is no number. */
export function countWords(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of normalizeWording(text).split(' '))
    if (/^[^\p{N}]+$/u.test(word) && !VALUE_OF_WORD.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The likelier reading of a number that has several: `12.500` is 12500. */
const amountOf = ({ values }: Pick<FoundNumber, 'values'>): string => String(values[0]);

/** The number of an item in a list is no fact. */
const withoutListNumbers = (text: string): string => text.replaceAll(/^[^\S\n\r\u2028\u2029]*\d{1,2}[.)]\s+/gm, '');

/** Keep the first of each key. */
function unique<Fact extends StatedFact>(facts: readonly Fact[]): Fact[] {
  const byKey = new Map<string, Fact>();
  for (const fact of facts) if (!byKey.has(fact.key)) byKey.set(fact.key, fact);
  return [...byKey.values()];
}

/** Words for small numbers. One is left out: it is an article or a pronoun more often than a number. */
const NUMBER_WORDS: readonly (readonly [value: number, words: string])[] = [
  [2, 'two два две двух двум двумя'],
  [3, 'three три трёх трех трём трем тремя'],
  [4, 'four четыре четырёх четырех четырём четырем'],
  [5, 'five пять пяти пятью'],
  [6, 'six шесть шести шестью'],
  [7, 'seven семь семи семью'],
  [8, 'eight восемь восьми'],
  [9, 'nine девять девяти'],
  [10, 'ten десять десяти'],
  [11, 'eleven одиннадцать одиннадцати'],
  [12, 'twelve двенадцать двенадцати'],
];
const VALUE_OF_WORD: ReadonlyMap<string, number> = new Map(
  NUMBER_WORDS.flatMap(([value, words]) => words.split(' ').map((word) => [word, value] as const)),
);

function numberWordsIn(text: string): StatedFact[] {
  return (text.match(/\p{L}+/gu) ?? []).flatMap((word) => {
    const value = VALUE_OF_WORD.get(word.toLowerCase());
    return value === undefined ? [] : [{ key: String(value), text: word }];
  });
}

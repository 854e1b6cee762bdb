/** Facts of a text, in a form in which two texts can be compared. */
import { expect, it, test } from 'vitest';
import { countWords, statedFacts } from './statedFacts.ts';

const keys = (facts: readonly { readonly key: string }[]): string[] => facts.map(({ key }) => key);

test.each([
  ['A kitchen costs from 4,200 euros for three metres.', ['4200 EUR']],
  ['Занятие стоит 2 500 рублей.', ['2500 RUB']],
  ['€1.200,50 or $1,200.50, not 1200,5 €', ['1200.5 EUR', '1200.5 USD']],
  ['USD 300, 12.5k EUR, 1,2 млн тенге', ['300 USD', '12500 EUR', '1200000 KZT']],
  ['4000–6000 €', ['4000 EUR', '6000 EUR']],
])('a price is the same however it is written: %s', (text, expected) => {
  expect(keys(statedFacts(text).prices)).toEqual(expected);
});

test.each([
  ['We need four to six weeks, 20 % now', ['20%', '4', '6']],
  ['1. Measure\n2. Order 12 doors', ['12']],
  ['Call +7 999 100-00-01 from 9:00', ['tel 9991000001', '9', '0']],
  ['Срок — две недели, 2,5 метра, 10 процентов', ['2.5', '10%', '2']],
  ['One of us, and https://example.com/12 for $3', []],
])('numbers are what is no price, no link and no place in a list: %s', (text, expected) => {
  expect(keys(statedFacts(text).numbers).toSorted()).toEqual(expected.toSorted());
});

it('links are compared without what makes no difference, and told as they are written', () => {
  expect(statedFacts('See https://www.Example.com/Prices/, or example.com/prices.').links).toEqual([
    { key: 'example.com/prices', text: 'https://www.Example.com/Prices/' },
  ]);
});

it('words are counted without numbers', () => {
  expect([...countWords('Two kitchens, 3 kitchens: $400 each!')]).toEqual([
    ['kitchens', 2],
    ['each', 1],
  ]);
});

/** The facts of a text and its language, found without a model. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { findFacts, withoutFacts } from './facts.ts';
import { languageOf } from './language.ts';

const keys = (facts: readonly { readonly key: string }[]): string[] => facts.map(({ key }) => key);

describe('a price', () => {
  test.each([
    ['A kitchen costs from 4,200 euros for three metres.', ['4200 EUR']],
    ['Занятие стоит 2 500 рублей.', ['2500 RUB']],
    ['Всего 12\u00a0500\u202f₽ или 15 тыс. руб.', ['12500 RUB', '15000 RUB']],
    ['€1.200,50 or $1,200.50 or 1\u2019200.50 CHF', ['1200.5 EUR', '1200.5 USD', '1200.5 CHF']],
    ['Bағасы 40 000 теңге емес, 35000 тг', ['35000 KZT']],
    ['USD 300, 12.5k EUR, 1,2 млн тенге', ['300 USD', '12500 EUR', '1200000 KZT']],
    ['Между 100–200 €, from 300 to 400 dollars', ['100 EUR', '200 EUR', '300 USD', '400 USD']],
    ['25 bin TL, 500 грн, 80 pounds', ['25000 TRY', '500 UAH', '80 GBP']],
    ['Цена 990 р. за штуку, приедем 5 к вам', ['990 RUB']],
  ])('is found however it is written: %s', (text, expected) => {
    expect(keys(findFacts(text).prices)).toEqual(expected);
  });

  it('keeps the words in which it is written, once', () => {
    expect(findFacts('From 4,200 euros. Yes, 4200 € it is.').prices).toEqual([
      { key: '4200 EUR', text: '4,200', amount: 4200, currency: 'EUR' },
    ]);
  });
});

test.each([
  ['We need four to six weeks, 20 % now', ['20%', '4', '6']],
  ['1. Measure\n2. Order 12 doors', ['12']],
  ['Open from 9:00 to 18:30 on 12.03.2026, call +7 999 100-00-01', ['tel 79991000001', '09:00', '18:30', '12.03.2026']],
  ['Срок — две недели, 2,5 метра, 10 процентов', ['2.5', '10%', '2']],
  ['In 2026 300 people', ['2026', '300']],
  ['0.5 metres', ['0.5']],
  ['One of us, and https://example.com/12', []],
])('numbers are found beside prices: %s', (text, expected) => {
  expect(keys(findFacts(text).numbers).toSorted()).toEqual(expected.toSorted());
});

test.each([
  ['See https://www.Example.com/Prices/.', ['example.com/Prices']],
  ['(example.com/Prices), t.me/studio?', ['example.com/Prices', 't.me/studio']],
  ['Write to info@studio.example or hello@мойсайт.рф!', ['info@studio.example', 'hello@мойсайт.рф']],
  ['https://en.wikipedia.org/wiki/Oak_(wood)', ['en.wikipedia.org/wiki/Oak_(wood)']],
  ['Hello.Nice to meet you. 4.5 metres, e.g. oak', []],
])('links are found, however they are written: %s', (text, expected) => {
  expect(keys(findFacts(text).links)).toEqual(expected);
});

test.each([
  ['When would it suit you?', 1],
  ['Really?! And when??', 2],
  ['¿Cuándo le conviene?', 1],
  ['See https://example.com/?a=1', 0],
  ['您需要什么？', 1],
])('questions are counted: %s', (text, expected) => {
  expect(findFacts(text).questions).toBe(expected);
});

it('wording is what is left without facts', () => {
  expect(withoutFacts('It costs $12,500 or 20 %, see example.com.').replaceAll(/\s+/g, ' ')).toBe(
    'It costs or , see .',
  );
});

/** What the patterns look for, and what could make them slow. */
const PIECES = [
  '1',
  ',',
  '.',
  ' ',
  '+7',
  '?',
  'тыс',
  'euros',
  '$',
  '€',
  'a',
  '@',
  'http://',
  '(',
  ')',
  '-',
  ':',
  'р',
  'два',
];

it('any text has finite facts, each once, also a long one that repeats itself', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }), (pieces) => {
      const text = pieces.join('').repeat(2000 / pieces.length);
      const { prices, numbers, links } = findFacts(text);
      for (const facts of [prices, numbers, links]) expect(new Set(keys(facts)).size).toBe(facts.length);
      expect(prices.every(({ amount }) => Number.isFinite(amount))).toBe(true);
      languageOf(text);
    }),
  );
});

describe('the language of a text', () => {
  test.each([
    ['en', 'Great, when would a free measuring suit you?'],
    ['en', "Sure! It's 25 euros."],
    ['ru', 'Здравствуйте, Anna! Занятие стоит 2 500 рублей. Для чего вам английский?'],
    ['ru', 'Уточню это у коллеги и вернусь к вам с ответом.'],
    ['ru', 'Договорились, жду'],
    ['uk', 'Вітаю! Заняття коштує 500 гривень. Коли вам зручно?'],
    ['kk', 'Сәлеметсіз бе! Сабақ бағасы 5000 теңге. Сізге қашан ыңғайлы?'],
    ['es', '¡Hola! La clase cuesta 25 euros. ¿Cuándo le conviene?'],
    ['es', 'Gracias por su mensaje'],
    ['de', 'Guten Tag! Die Küche kostet 4.200 Euro. Wann passt es Ihnen?'],
    ['de', 'Gerne, ich melde mich morgen bei Ihnen.'],
    ['fr', 'Bonjour ! La cuisine coûte 4 200 euros. Quand êtes-vous disponible ?'],
    ['fr', "C'est possible, merci."],
    ['tr', 'Merhaba! Ders ücreti 500 TL. Size ne zaman uygun?'],
    ['other', '您好，请问您需要什么帮助？'],
    ['other', 'مرحبا، كيف يمكنني مساعدتك؟'],
    [null, '👍'],
    [null, 'OK'],
    [null, 'https://example.com/the-price-of-it'],
  ])('is found: %s: %s', (language, text) => {
    expect(languageOf(text)).toBe(language);
  });
});

/**
 * The facts that a text states and that can be found without a model: prices, other numbers, links, questions. Used to
 * check an answer and to compare two. Pure.
 */

/** Something stated. Two facts are the same if their keys are. */
export interface StatedFact {
  readonly key: string;
  /** As it is written. */
  readonly text: string;
}

/** A number with a currency. Its key is amount and currency: `12500 EUR`. */
export interface Price extends StatedFact {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}

/** All that a text states, each fact once. */
export interface StatedFacts {
  readonly prices: readonly Price[];
  /** Numbers that are no part of a price or a link: counts, percentages, times, dates, telephone numbers. */
  readonly numbers: readonly StatedFact[];
  /** Web and mail addresses. */
  readonly links: readonly StatedFact[];
  readonly questions: number;
}

/** Find the facts of a text. */
export function findFacts(text: string): StatedFacts {
  const { links, rest } = takeLinks(text);
  const { taken, rest: withoutOthers } = takeOtherNumbers(rest);
  const amounts = withCurrencies(amountsIn(withoutOthers), withoutOthers);
  const prices = amounts.flatMap(({ value, currency, text: written }) =>
    currency === null ? [] : [{ key: `${value} ${currency}`, text: written, amount: value, currency }],
  );
  const numbers = amounts.flatMap(({ value, currency, isShare, text: written }) =>
    currency === null ? [{ key: isShare ? `${value}%` : `${value}`, text: written }] : [],
  );
  return {
    prices: unique(prices),
    numbers: unique([...numbers, ...numberWordsIn(withoutOthers), ...taken]),
    links: unique(links),
    questions: rest.match(QUESTION)?.length ?? 0,
  };
}

/** Remove prices, numbers and links from a text: what is left is wording. */
export function withoutFacts(text: string): string {
  return takeOtherNumbers(takeLinks(text).rest)
    .rest.replace(AMOUNT, ' ')
    .replace(CURRENCY_SIGN, ' ')
    .replace(NUMBER_WORD, ' ');
}

/** Keep the first of each key. */
function unique<Fact extends StatedFact>(facts: readonly Fact[]): Fact[] {
  const byKey = new Map<string, Fact>();
  for (const fact of facts) if (!byKey.has(fact.key)) byKey.set(fact.key, fact);
  return [...byKey.values()];
}

/** Remove web and mail addresses from a text. */
export const withoutLinks = (text: string): string => takeLinks(text).rest;

/** Several marks in a row are one question. */
const QUESTION = /[?？؟][?!？！؟]*/g;

/** Top-level domains of addresses without `https://`: with any, `Hello.Nice` would be one. */
const TOP_LEVEL =
  'com|org|net|info|biz|ru|рф|su|by|kz|ua|uz|de|at|ch|es|fr|it|pt|pl|tr|eu|uk|us|ca|io|me|app|dev|ai|co|cc|shop|store|online|site|pro|link|ly|gl|gg|tv|page|club|center|studio|agency|school';
const LINK = new RegExp(
  [
    String.raw`\bhttps?:\/\/[^\s<>"«»“”]+`,
    String.raw`(?<![\p{L}\p{N}.@_-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`,
    String.raw`(?<![\p{L}\p{N}.@_-])(?:[\p{L}\p{N}-]+\.)+(?:${TOP_LEVEL})(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}])(?:\/[^\s<>"«»“”]*)?`,
  ].join('|'),
  'giu',
);

function takeLinks(text: string): { links: StatedFact[]; rest: string } {
  const links: StatedFact[] = [];
  const rest = text.replace(LINK, (found) => {
    const written = withoutPunctuation(found);
    links.push({ key: linkKey(written), text: written });
    return ` ${found.slice(written.length)}`;
  });
  return { links, rest };
}

/** Remove the punctuation of the sentence around a link; a closing bracket stays if the link opened it. */
function withoutPunctuation(link: string): string {
  let trimmed = link;
  for (;;) {
    const last = trimmed.at(-1) ?? '';
    const isOurs = last === ')' && trimmed.split('(').length > trimmed.split(')').length - 1;
    if (!/[.,;:!?…'’*_)\]}]/.test(last) || isOurs) return trimmed;
    trimmed = trimmed.slice(0, -1);
  }
}

/** `https://www.Example.com/Prices/` and `example.com/Prices` are the same link. */
function linkKey(link: string): string {
  const [, host = '', path = ''] = /^(?:https?:\/\/)?(?:www\.)?([^/?#]*)(.*)$/is.exec(link) ?? [];
  return `${host.toLowerCase()}${path.replace(/\/+$/, '')}`;
}

/** Telephone numbers, dates and times: numbers that are compared as they are written. */
const OTHER_NUMBERS: readonly { readonly pattern: RegExp; readonly keyOf: (text: string) => string }[] = [
  {
    pattern: /(?<![\p{L}\p{N}])(?:\+\d|8(?=[\s(-]))(?:[\s()-]{0,3}\d){9,14}(?!\d)/gu,
    keyOf: (text) => `tel ${text.replaceAll(/\D/g, '')}`,
  },
  { pattern: /(?<![\d:])\d{1,2}:\d{2}(?![\d:])/g, keyOf: (text) => text.padStart(5, '0') },
  {
    pattern: /(?<!\d)(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,2}\/\d{1,2}\/\d{2,4})(?!\d)/g,
    keyOf: (text) => text,
  },
];

/** The number of an item in a list is no fact. */
const LIST_NUMBER = /^\s*\d{1,2}[.)]\s+/gm;

function takeOtherNumbers(text: string): { taken: StatedFact[]; rest: string } {
  const taken: StatedFact[] = [];
  let rest = text.replace(LIST_NUMBER, '');
  for (const { pattern, keyOf } of OTHER_NUMBERS)
    rest = rest.replace(pattern, (found) => {
      taken.push({ key: keyOf(found), text: found.trim() });
      return ' ';
    });
  return { taken, rest };
}

const SPACE = String.raw`[ \u00a0\u202f\u2009]`;
/** `12,500`, `12 500.50`, `1.200,50`, `12'500`; else `12.5` or `12,5`. */
const DIGITS = String.raw`(?<![\p{L}\p{N}])(?:[1-9]\d{0,2}(?<separator>[ \u00a0\u202f\u2009'’.,])\d{3}(?:\k<separator>\d{3})*(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?)(?!\d)`;
const THOUSAND = String.raw`тыс\.?|тысяч\p{L}*|thousand|tausend|mil|mille|bin`;
const MILLION = String.raw`млн\.?|миллион\p{L}*|mln\.?|millions?|millionen|milyon|millones`;
/** A letter for thousands only directly after the number: in `5 к вам` it is a preposition. */
const SCALE = String.raw`(?<scale>(?<!${SPACE})[kк]|${SPACE}?(?:${THOUSAND}|${MILLION}))(?![\p{L}\p{N}])`;
const AMOUNT = new RegExp(`${DIGITS}(?:${SCALE})?`, 'giu');
const IS_MILLION = new RegExp(`^(?:${MILLION})$`, 'iu');

interface Amount {
  readonly value: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function amountsIn(text: string): Amount[] {
  return [...text.matchAll(AMOUNT)].map((match) => {
    const [written] = match;
    const { separator, scale = '' } = match.groups ?? {};
    const digits = scale === '' ? written : written.slice(0, written.length - scale.length).trim();
    const plain = separator === undefined ? digits : digits.replaceAll(separator, '');
    const factor = scale === '' ? 1 : IS_MILLION.test(scale.trim()) ? 1e6 : 1e3;
    // Rounded to cents: 1.1 thousand is 1100, not 1100.0000000000002.
    const value = Math.round(Number(plain.replace(',', '.')) * factor * 100) / 100;
    return { value, text: written, start: match.index, end: match.index + written.length };
  });
}

const CURRENCIES: readonly (readonly [currency: string, words: string])[] = [
  ['USD', String.raw`US\$|\$|USD|dollars?|dollar|dólares|долл(?:\.|ар\p{L}*)?`],
  ['EUR', 'EUR|€|euros?|евро|євро|avro'],
  ['GBP', '£|GBP|pounds?|фунт\\p{L}*'],
  ['RUB', String.raw`₽|RUB|RUR|rubles?|roubles?|руб(?:\.|л\p{L}*)?|р(?:\.|(?!\p{L}))`],
  ['KZT', String.raw`₸|KZT|tenge|тенге|тг\.?`],
  ['UAH', String.raw`₴|UAH|hryvnias?|гривн\p{L}*|гривен\p{L}*|грн\.?`],
  ['TRY', '₺|TRY|TL|liras?'],
  ['PLN', 'PLN|zł|złot\\p{L}*|злот\\p{L}*'],
  ['CHF', 'CHF|francs?|франк\\p{L}*|Franken'],
];
const IN_FRONT = CURRENCIES.map(([currency, words]) => [currency, new RegExp(`(?:${words})${SPACE}?$`, 'iu')] as const);
const BEHIND = CURRENCIES.map(
  ([currency, words]) => [currency, new RegExp(`^${SPACE}?(?:${words})(?!\\p{L})`, 'iu')] as const,
);
const CURRENCY_SIGN = /US\$|[$€£₽₸₴₺%]/g;
const SHARE = /^[ \u00a0]?(?:%|percent|per cent|процент\p{L}*|відсотк\p{L}*|Prozent|por ciento|pour cent)/iu;
/** What stands between the two ends of a range: `100–200 €`, `from 100 to 200 euros`. */
const RANGE = /^\s*(?:-|–|—|to|до|bis|hasta|à)\s*$/iu;
/** The longest name of a currency with its space. */
const LONGEST_CURRENCY = 12;

type AmountWithCurrency = Amount & { readonly currency: string | null; readonly isShare: boolean };

function withCurrencies(amounts: readonly Amount[], text: string): AmountWithCurrency[] {
  const own = amounts.map((amount) => currencyBeside(amount, text));
  return amounts.map((amount, index) => {
    const { start, end } = amount;
    const [before, next] = [amounts[index - 1], amounts[index + 1]];
    const fromNext = next && RANGE.test(text.slice(end, next.start)) ? own[index + 1] : null;
    const fromBefore = before && RANGE.test(text.slice(before.end, start)) ? own[index - 1] : null;
    const isShare = SHARE.test(text.slice(end, end + 15));
    return { ...amount, currency: own[index] ?? (isShare ? null : (fromNext ?? fromBefore ?? null)), isShare };
  });
}

function currencyBeside({ start, end }: Amount, text: string): string | null {
  const before = text.slice(Math.max(0, start - LONGEST_CURRENCY), start);
  const after = text.slice(end, end + LONGEST_CURRENCY + 1);
  const isSign = /[$€£₽₸₴₺]\s?$/u.test(before) || /(?<!\p{L})[A-Z]{3}\s?$/u.test(before);
  const inFront = isSign ? IN_FRONT.find(([, pattern]) => pattern.test(before)) : undefined;
  return (inFront ?? BEHIND.find(([, pattern]) => pattern.test(after)))?.[0] ?? null;
}

/** Words for small numbers. One is left out: it is an article or a pronoun more often than a number. */
const NUMBER_WORDS: readonly (readonly [value: number, words: string])[] = [
  [2, 'two|два|две|двух|двум|двумя'],
  [3, 'three|три|тр[её]х|тр[её]м|тремя'],
  [4, 'four|четыре|четыр[её]х|четыр[её]м'],
  [5, 'five|пять|пяти|пятью'],
  [6, 'six|шесть|шести|шестью'],
  [7, 'seven|семь|семи|семью'],
  [8, 'eight|восемь|восьми'],
  [9, 'nine|девять|девяти'],
  [10, 'ten|десять|десяти'],
  [11, 'eleven|одиннадцать|одиннадцати'],
  [12, 'twelve|двенадцать|двенадцати'],
];
const NUMBER_WORD = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${NUMBER_WORDS.map(([, words]) => words).join('|')})(?![\\p{L}\\p{N}])`,
  'giu',
);
const VALUE_OF_WORD = new Map(
  NUMBER_WORDS.map(([value, words]) => [value, new RegExp(`^(?:${words})$`, 'iu')] as const),
);

function numberWordsIn(text: string): StatedFact[] {
  return [...text.matchAll(NUMBER_WORD)].map(([written]) => {
    const value = [...VALUE_OF_WORD].find(([, pattern]) => pattern.test(written))?.[0];
    return { key: `${value}`, text: written };
  });
}

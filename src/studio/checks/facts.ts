/** What a text states that can be looked up: prices, percentages, links, accounts and phone numbers. Pure. */
import { type FoundNumber, numbersIn } from './numbers.ts';

export interface Fact {
  readonly kind: 'price' | 'percentage' | 'link' | 'phone';
  /** As it was written. */
  readonly text: string;
}

interface Price extends FoundNumber {
  readonly currency: string;
}

/** Facts of a text, ready to be compared. */
export interface Facts {
  readonly prices: readonly Price[];
  readonly percentages: readonly FoundNumber[];
  /** Without scheme, `www.` and a slash at the end. */
  readonly links: readonly { readonly address: string; readonly text: string }[];
  /** Digits only. */
  readonly phones: readonly {
    readonly digits: string;
    readonly text: string;
    readonly start: number;
    readonly end: number;
  }[];
  /** All numbers, also those that are nothing of these. */
  readonly numbers: readonly FoundNumber[];
}

/** Signs, codes and words of currencies, by the code. */
const CURRENCIES: readonly (readonly [code: string, words: string])[] = [
  ['EUR', String.raw`€|eur|euros?|евро|євро`],
  ['USD', String.raw`(?:us)?\$|usd|dollars?|bucks|доллар\p{L}*|долар\p{L}*|dólares|dolar`],
  ['RUB', String.raw`₽|rub|roubles?|rubles?|руб(?:\.|л\p{L}*)?|р\.`],
  ['KZT', String.raw`₸|kzt|tenge|тенге|теңге|тг\.?`],
  ['UAH', String.raw`₴|uah|hryvnias?|грн\.?|гривен\p{L}*|гривн\p{L}*`],
  ['TRY', String.raw`₺|try|tl|liras?|лир\p{L}?`],
  ['GBP', String.raw`£|gbp|pounds?|фунт\p{L}*`],
];
const CURRENCY_BEFORE = CURRENCIES.map(
  ([code, words]) => [code, new RegExp(String.raw`(?<!\p{L})(?:${words})\s?$`, 'iu')] as const,
);
const CURRENCY_AFTER = CURRENCIES.map(
  ([code, words]) => [code, new RegExp(String.raw`^\s?(?:${words})(?!\p{L})`, 'iu')] as const,
);

const PERCENT_AFTER = /^\s?(?:%|percent|per cent|процент\p{L}*|відсотк\p{L}*|prozent|por ciento|pour cent|пайыз)/iu;
const PERCENT_BEFORE = /(?:%|yüzde)\s?$/iu;

/** Top-level domains that a bare `name.domain` has, so that neither `Node.js` nor a missing space is a link. */
const DOMAINS =
  'com|net|org|info|biz|io|ai|app|dev|shop|store|online|site|pro|me|co|eu|uk|us|ru|su|by|kz|ua|de|at|ch|es|fr|tr|it|pl|рф|қаз|укр';
const LINK = new RegExp(
  String.raw`(?:https?:\/\/|www\.)[^\s<>"«»]+|(?<![\p{L}\d@./-])(?:[\p{L}\d](?:[\p{L}\d-]*[\p{L}\d])?\.)+(?:${DOMAINS})(?![\p{L}\d])(?:\/[^\s<>"«»]*)?|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\p{L}\d@/.])@[a-z]\w{4,31}`,
  'giu',
);

/** A plus, brackets or separators, and 7 to 19 digits: also a card is a number to be known. Text without links is searched. */
const PHONE = /(?<![\p{L}\d.,])\+?\d(?:[\s\u00a0().-]{0,3}\d){6,18}(?![\p{L}\d])/gu;
/** National numbers are compared by their last digits: `8 900` and `+7 900` are the same. */
const PHONE_DIGITS = 10;
const LEAST_PHONE_DIGITS = 7;

/** Most characters of a text that are searched. */
const MAX_SCANNED = 1_000_000;
/** Characters around a number that say what it is. */
const BESIDE = 15;

/** Find the facts of a text, in time linear to it: no pattern is tried again from within what it has read. */
export function factsIn(whole: string): Facts {
  const text = whole.slice(0, MAX_SCANNED);
  const links = [...text.matchAll(LINK)].map(([written]) => {
    const plain = trimEnd(written, ".,;:!?)]}'’");
    return { text: plain, address: addressOf(plain) };
  });
  // Replaced by as many spaces, so that what is around keeps its place.
  const rest = text.replaceAll(LINK, (written) => ' '.repeat(written.length));
  const numbers = numbersIn(rest);
  const prices = pricesIn(rest, numbers);
  const percentages = numbers.filter(
    ({ start, end }) =>
      PERCENT_AFTER.test(rest.slice(end, end + BESIDE)) ||
      PERCENT_BEFORE.test(rest.slice(Math.max(0, start - BESIDE), start)),
  );
  const isPriceAt = overlapsWith(prices);
  const phones = [...rest.matchAll(PHONE)]
    .map(({ 0: written, index: start }) => ({
      text: written.trim(),
      digits: written.replaceAll(/\D/g, ''),
      start,
      end: start + written.length,
    }))
    .filter((one) => !isPriceAt(one))
    .filter(({ digits, text: written }) => digits.length >= LEAST_PHONE_DIGITS && !isDate(written));
  return { prices, percentages, links, phones, numbers };
}

const addressOf = (link: string): string =>
  trimEnd(
    link
      .toLowerCase()
      .replace(/^https?:\/\//, '')
      .replace(/^www\./, ''),
    '/',
  );

/** Remove these characters from the end. A pattern would be tried at each of them. */
function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Return whether a span overlaps with one of these, which are in order. To be asked in order too. */
export function overlapsWith(spans: readonly Span[]): (span: Span) => boolean {
  let next = 0;
  return ({ start, end }) => {
    while ((spans[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    const candidate = spans[next];
    return candidate !== undefined && candidate.start < end;
  };
}

/** `2026-11-27`, `27.11.2026`, with a time or without. */
const isDate = (written: string): boolean => /^(?:\d{4}[-.]\d\d[-.]\d\d|\d\d?[-.]\d\d?[-.]\d{4})(?:\s|$)/.test(written);

/** Numbers with a currency beside them. In a range (`4000–6000 €`), both are prices. */
function pricesIn(text: string, numbers: readonly FoundNumber[]): Price[] {
  const currencyOf = ({ start, end, text: written }: FoundNumber) => {
    const [before, after] = [text.slice(Math.max(0, start - BESIDE), start), text.slice(end, end + BESIDE)];
    for (const [currency, words] of CURRENCY_AFTER) {
      const match = words.exec(after);
      if (match) return { currency, text: `${written}${match[0]}` };
    }
    for (const [currency, words] of CURRENCY_BEFORE) {
      const match = words.exec(before);
      if (match) return { currency, text: `${match[0]}${written}` };
    }
    return undefined;
  };
  return numbers.flatMap((number, index) => {
    const next = numbers[index + 1];
    const isRange =
      next !== undefined &&
      next.start - number.end <= BESIDE &&
      /^\s?(?:[-–—]|to|до|bis|à|a)\s?$/iu.test(text.slice(number.end, next.start));
    const own = currencyOf(number);
    if (own) return [{ ...number, ...own }];
    const currency = isRange ? currencyOf(next)?.currency : undefined;
    return currency === undefined ? [] : [{ ...number, currency }];
  });
}

/** Return the facts of a text that the sources do not state, in the order of their kinds. */
export function unknownFacts(facts: Facts, sources: Facts): Fact[] {
  const pricedAt = new Set(sources.prices.map(({ start, end }) => `${start}-${end}`));
  // A number without a currency beside it may be a price as well.
  const unpriced = valuesOf(sources.numbers.filter(({ start, end }) => !pricedAt.has(`${start}-${end}`)));
  const all = valuesOf(sources.numbers);
  const prices = new Set(sources.prices.flatMap(({ currency, values }) => values.map((one) => `${one} ${currency}`)));
  const links = new Set(sources.links.map(({ address }) => address));
  const phones = new Set(sources.phones.map(({ digits }) => digits.slice(-PHONE_DIGITS)));
  const digits = new Set(sources.numbers.map(({ text }) => text.replaceAll(/\D/g, '')));
  const isKnownPrice = ({ values, currency }: Price): boolean =>
    values.some((value) => prices.has(`${value} ${currency}`) || unpriced.has(value));
  return [
    ...facts.prices.filter((one) => !isKnownPrice(one)).map(({ text }): Fact => ({ kind: 'price', text })),
    ...facts.percentages
      .filter(({ values }) => !values.some((value) => all.has(value)))
      .map(({ text }): Fact => ({ kind: 'percentage', text: `${text} %` })),
    ...facts.links.filter(({ address }) => !links.has(address)).map(({ text }): Fact => ({ kind: 'link', text })),
    ...facts.phones
      .filter((one) => !phones.has(one.digits.slice(-PHONE_DIGITS)) && !digits.has(one.digits))
      .map(({ text }): Fact => ({ kind: 'phone', text })),
  ];
}

/** All that these numbers may mean. */
export const valuesOf = (numbers: readonly FoundNumber[]): ReadonlySet<number> =>
  new Set(numbers.flatMap(({ values }) => values));

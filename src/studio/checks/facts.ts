/** What a text states that can be looked up: prices, percentages, links, accounts and phone numbers. Pure. */
import { type FoundNumber, isSameNumber, numbersIn } from './numbers.ts';

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
  readonly phones: readonly { readonly digits: string; readonly text: string }[];
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
  String.raw`(?:https?:\/\/|www\.)[^\s<>"«»]+|(?<![\p{L}\d@./-])(?:[\p{L}\d](?:[\p{L}\d-]*[\p{L}\d])?\.)+(?:${DOMAINS})(?![\p{L}\d])(?:\/[^\s<>"«»]*)?|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\p{L}\d@/.])@[a-z]\w{4,31}`,
  'giu',
);

/** A plus, brackets or separators, and 7 to 19 digits: also a card is a number to be known. Text without links is searched. */
const PHONE = /(?<![\p{L}\d.,])\+?\d(?:[\s\u00a0().-]{0,3}\d){6,18}(?![\p{L}\d])/gu;
/** National numbers are compared by their last digits: `8 900` and `+7 900` are the same. */
const PHONE_DIGITS = 10;
const LEAST_PHONE_DIGITS = 7;

/** Find the facts of a text. */
export function factsIn(text: string): Facts {
  const links = [...text.matchAll(LINK)].map(([written]) => {
    const plain = written.replace(/[.,;:!?)\]}'’]+$/, '');
    return { text: plain, address: addressOf(plain) };
  });
  // Replaced by as many spaces, so that what is around keeps its place.
  const rest = text.replaceAll(LINK, (written) => ' '.repeat(written.length));
  const numbers = numbersIn(rest);
  const prices = pricesIn(rest, numbers);
  const percentages = numbers.filter(
    ({ start, end }) => PERCENT_AFTER.test(rest.slice(end, end + 15)) || PERCENT_BEFORE.test(rest.slice(0, start)),
  );
  const phones = [...rest.matchAll(PHONE)]
    .filter((match) => !prices.some(({ start, end }) => start < match.index + match[0].length && end > match.index))
    .map(([written]) => ({ text: written.trim(), digits: written.replaceAll(/\D/g, '') }))
    .filter(({ digits, text: written }) => digits.length >= LEAST_PHONE_DIGITS && !isDate(written));
  return { prices, percentages, links, phones, numbers };
}

const addressOf = (link: string): string =>
  link
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/+$/, '');

/** `2026-11-27`, `27.11.2026`, with a time or without. */
const isDate = (written: string): boolean => /^(?:\d{4}[-.]\d\d[-.]\d\d|\d\d?[-.]\d\d?[-.]\d{4})(?:\s|$)/.test(written);

/** Numbers with a currency beside them. In a range (`4000–6000 €`), both are prices. */
function pricesIn(text: string, numbers: readonly FoundNumber[]): Price[] {
  const currencyOf = ({ start, end, text: written }: FoundNumber) => {
    const [before, after] = [text.slice(Math.max(0, start - 15), start), text.slice(end, end + 15)];
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
    const isRange = next !== undefined && /^\s?(?:[-–—]|to|до|bis|à|a)\s?$/iu.test(text.slice(number.end, next.start));
    const own = currencyOf(number);
    if (own) return [{ ...number, ...own }];
    const currency = isRange ? currencyOf(next)?.currency : undefined;
    return currency === undefined ? [] : [{ ...number, currency }];
  });
}

/** Return the facts of a text that the sources do not state, in the order of their kinds. */
export function unknownFacts(facts: Facts, sources: Facts): Fact[] {
  const isKnownPrice = (price: Price) =>
    sources.prices.some((one) => one.currency === price.currency && isSameNumber(one, price)) ||
    // A number without a currency beside it may be a price as well.
    sources.numbers.some(
      (one) =>
        isSameNumber(one, price) && !sources.prices.some(({ start, end }) => start === one.start && end === one.end),
    );
  return [
    ...facts.prices.filter((one) => !isKnownPrice(one)).map(({ text }): Fact => ({ kind: 'price', text })),
    ...facts.percentages
      .filter((one) => !sources.numbers.some((other) => isSameNumber(one, other)))
      .map(({ text }): Fact => ({ kind: 'percentage', text: `${text} %` })),
    ...facts.links
      .filter(({ address }) => !sources.links.some((one) => one.address === address))
      .map(({ text }): Fact => ({ kind: 'link', text })),
    ...facts.phones
      .filter((one) => !isKnownPhone(one.digits, sources))
      .map(({ text }): Fact => ({ kind: 'phone', text })),
  ];
}

function isKnownPhone(digits: string, sources: Facts): boolean {
  const end = digits.slice(-PHONE_DIGITS);
  return (
    sources.phones.some((one) => one.digits.slice(-PHONE_DIGITS) === end) ||
    sources.numbers.some((one) => one.text.replaceAll(/\D/g, '') === digits)
  );
}

/**
 * Texts with addresses as people paste them: invisible characters, the digits of other scripts, labels, links, notes, and
 * several addresses in one cell. Pure. What is not certain is refused: a number never becomes another one.
 */
import type { AddressRefusal, AddressRefusalCode } from './addressRefusal.ts';
import {
  callingCodeOf,
  isMobileBehind,
  MAX_DIGITS,
  type ReadNumber,
  readInternational,
  readTyped,
  readWithCountryCode,
} from './phoneNumber.ts';
import {
  isOfOtherNetwork,
  isPlaceholder,
  mayBeName,
  NOBODY,
  RESERVED_PATHS,
  TELEGRAM_LABEL,
  typedUsername,
} from './usernameText.ts';
import { readNumber } from './writtenNumber.ts';

/** An address that was found, and the part of the text that names it. */
export interface FoundAddress {
  readonly kind: 'phone' | 'username';
  readonly text: string;
  readonly address: string;
  /** The digits of a number, if neither a plus nor an international prefix says that they begin with a country code. */
  readonly bare?: string;
}

export interface FoundAddresses {
  readonly found: readonly FoundAddress[];
  readonly refused: readonly AddressRefusal[];
}

type Finding = FoundAddress | AddressRefusal;

const refuse = (code: AddressRefusalCode, number: string): AddressRefusal => ({ code, number, country: null });

/** Characters of a refused text that are shown. */
const MAX_QUOTED = 100;

/** Write text with plain digits, spaces, dashes and plus signs, without what cannot be seen. */
export function cleanText(text: string): string {
  return (
    text
      // Digits of all scripts come in rows of ten.
      .replace(/(?![0-9])\p{Nd}/gu, plainDigit)
      // Direction marks, soft hyphens, joiners, variation selectors, and the frame of a keycap.
      .replace(/[\p{Cf}\u034F\uFE00-\uFE0F\u20E3]/gu, '')
      .replace(/[\r\n\v\f\u0085\u2028\u2029]+/g, '\n')
      .replace(/[\p{Zs}\t]/gu, (space) => (space === '\t' ? '\n' : ' '))
      .replace(/[^\P{Cc}\n]/gu, '')
      .replace(/[\uFF01-\uFF5E]/g, (char) => String.fromCharCode(char.charCodeAt(0) - 0xfe_e0))
      .replace(/[\p{Pd}\u2212\u2043\u02D7\u30FC]/gu, '-')
      .replace(/[\u207A\uFE62\u2795]/g, '+')
      .replace(/[\u00B7\u2022\u2219\u22C5\u30FB\uFF65]/g, '.')
      .replace(/[\u2044\u2215]/g, '/')
      .replace(/[\u3001\u060C]/g, ',')
      .replace(/\u061B/g, ';')
      .trim()
      // How spreadsheets are told that a number is text.
      .replace(/^="(.*)"$/s, '$1')
      .replace(/^['’`]+(?=[+\d(])/, '')
      .replace(/^"(.*)"$/s, '$1')
      .trim()
  );
}

function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
  return String((code - first) % 10);
}

/**
 * Characters of the longest text that is read. A longer one is refused as a whole: cut in two, a number would become
 * another one.
 */
const MAX_TEXT = 2000;

/** Find all addresses in a text. */
export function findAddresses(text: string): FoundAddresses {
  if (text.length > MAX_TEXT) return { found: [], refused: [refuse('no_address', text.slice(0, MAX_QUOTED))] };
  const clean = cleanText(text);
  const parts = clean
    .split(/[\n;|]|:::/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const findings = withoutContradicted(parts.flatMap((part, index) => findInPart(part, parts[index - 1] ?? '')));
  const found = findings.filter((one) => 'kind' in one);
  const refused = findings.filter((one) => 'code' in one);
  if (found.length > 0) return { found, refused: refused.filter((one) => !isNote(one)) };
  if (refused.length > 0) return { found, refused };
  return { found, refused: [refuse(clean === '' ? 'empty' : 'no_address', clean)] };
}

/**
 * Refuse numbers without a country code of which another number in the same cell says that they may be its country's: ten
 * digits that would be Russian, and others that are a mobile number there as well.
 */
function withoutContradicted(findings: readonly Finding[]): Finding[] {
  const phones = findings.flatMap((one) => ('kind' in one && one.kind === 'phone' ? [one] : []));
  if (phones.length < 2) return [...findings];
  const codes = [...new Set(phones.map((one) => callingCodeOf(one.address)))].filter((code) => code !== '7');
  const isContradicted = (bare: string): boolean =>
    codes.length > 0 && (bare.length === 10 || codes.some((code) => isMobileBehind(code, bare)));
  return findings.map((one) =>
    'kind' in one && one.bare !== undefined && isContradicted(one.bare) ? refuse('no_country_code', one.bare) : one,
  );
}

/** Figures beside an address are a note: a time, an extension, the number of a flat. */
const isNote = ({ code, number }: AddressRefusal): boolean => code !== 'hidden_digits' && isFigure(number);
const isFigure = (text: string): boolean => /^[\d\s().,/-]*$/.test(text) && countDigits(text) < 5;

/** `partBefore`: what the cell holds before this part, which may be its label. */
function findInPart(part: string, partBefore: string): Finding[] {
  const number = spreadsheetNumber(part);
  if (number === 'rounded') return [refuse('rounded', part)];
  if (number !== null) return [phone(part, readTyped(number))];
  const tokens = tokensOf(part);
  let isOther = false;
  return tokens.flatMap(({ isText, text }, index) => {
    if (isText) return findInText(text, tokens.length === 1);
    const [before, after] = [tokens[index - 1], tokens[index + 1]];
    // Names that only a comma separates have the label of the first.
    const isListed = index > 1 && before !== undefined && /^[\s,/&+]*$/.test(before.text);
    isOther =
      text.startsWith('@') &&
      (isOfOtherNetwork({
        before: before?.text ?? (index === 0 ? partBefore : ''),
        after: after?.isText ? after.text : '',
        next: tokens[index + 2]?.text ?? '',
      }) ||
        (isListed && isOther));
    return isOther ? [refuse('other_network', text)] : findInToken(text);
  });
}

/**
 * Return the digits that a spreadsheet has written as a number, `79161234567.0`, `7.9161234567E+10` or `79,161,234,567`;
 * `rounded` if some are lost, and null for other texts.
 */
function spreadsheetNumber(part: string): string | null {
  const scientific = /^\+?(\d)[.,](\d+)E\+?(\d{1,2})$/i.exec(part);
  if (scientific) {
    const [, first = '', rest = '', exponent] = scientific;
    return rest.length === Number(exponent) ? first + rest : 'rounded';
  }
  const whole = /^\+?(\d{9,15})[.,]0{1,6}$/.exec(part)?.[1];
  if (whole !== undefined) return part.startsWith('+') ? `00${whole}` : whole;
  const grouped = /^(\d{1,3}(?:,\d{3}){3,4})(?:\.0+)?$|^(\d{1,3}(?:[.' ]\d{3}){3,4})(?:,0+)?$/.exec(part);
  return (grouped?.[1] ?? grouped?.[2])?.replace(/\D/g, '') ?? null;
}

// Tokens: what is not free text

interface Token {
  readonly isText: boolean;
  readonly text: string;
}

const TOKENS = [
  // Links with a scheme, and those that begin with a host.
  String.raw`[a-z][a-z+.-]*://[^\s<>"]+`,
  String.raw`(?<![\w.@])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/[^\s<>"]*|(?=$|[\s,?<>")]))(?:\?[^\s<>"]*)?`,
  // Ids of messengers, and e-mail addresses.
  String.raw`[^\s@<>(),"/]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*`,
  // A name is read to its end: the beginning of one that cannot be is somebody else's.
  String.raw`(?<![\w.])@(?=[\p{L}\p{N}_])[^\s,;:()<>"/|@]+`,
];
const TOKEN = new RegExp(TOKENS.join('|'), 'giu');

function tokensOf(part: string): Token[] {
  // A scheme without a host is a label.
  const text = part.replace(/\b(?:tel|sms|smsto|callto|whatsapp|viber|phone):(?!\/\/)/gi, ' ');
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    tokens.push({ isText: true, text: text.slice(end, match.index) });
    tokens.push({ isText: false, text: match[0].replace(/[).,!'»]+$/, '') });
    end = match.index + match[0].length;
  }
  return [...tokens, { isText: true, text: text.slice(end) }].filter((one) => one.text.trim() !== '');
}

function findInToken(token: string): Finding[] {
  if (token.startsWith('@')) {
    const name = token.slice(1);
    if (/^\d{10,}$/.test(name)) return [phone(token, readInternational(name))];
    return [NOBODY.has(name.toLowerCase()) ? refuse('no_username', token) : username(token, name)];
  }
  if (/^[^/]+@/.test(token)) return [findInId(token)];
  return [findInLink(token)];
}

/** Read an id such as `79161234567@c.us`; a device may be named behind the number. */
function findInId(token: string): Finding {
  const id = /^\+?(\d+)(?:[._]\d+)?(?::\d+)?@(?:c\.us|s\.whatsapp\.net|whatsapp\.net)$/i.exec(token);
  if (id) return phone(token, readInternational(id[1] ?? ''));
  const isHidden = /@(?:g\.us|lid|hosted(?:\.lid)?|broadcast|newsletter|c\.us|s\.whatsapp\.net)$/i.test(token);
  return refuse(isHidden ? 'not_a_person' : 'other_link', token);
}

const TELEGRAM_HOSTS = ['t.me', 'telegram.me', 'telegram.dog'];
const WHATSAPP_HOSTS = ['wa.me', 'api.whatsapp.com', 'web.whatsapp.com', 'whatsapp.com', 'chat.whatsapp.com'];

function findInLink(token: string): Finding {
  const url = URL.parse(/^[a-z][a-z+.-]*:\/\//i.test(token) ? token : `https://${token}`);
  if (!url) return refuse('other_link', token);
  const host = url.hostname.replace(/^www\./, '');
  const path = decode(url.pathname)
    .split('/')
    .filter((one) => one !== '');
  if (url.protocol === 'tg:') return findInTelegramScheme(token, url);
  if (url.protocol === 'whatsapp:') return numberOfLink(token, url.searchParams.get('phone'));
  if (host === 'wa.me') return numberOfLink(token, path[0] ?? url.searchParams.get('phone'));
  if (WHATSAPP_HOSTS.includes(host)) return numberOfLink(token, url.searchParams.get('phone'));
  if (host === 'web.telegram.org') return username(token, /@(\w+)$/.exec(url.hash)?.[1] ?? '', 'not_a_person');
  if (host.endsWith('.t.me')) return username(token, host.slice(0, -'.t.me'.length));
  if (TELEGRAM_HOSTS.includes(host)) return findInTelegramPath(token, path);
  return refuse('other_link', token);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function findInTelegramScheme(token: string, url: URL): Finding {
  const kind = url.hostname;
  if (kind !== 'resolve') return refuse('not_a_person', token);
  const number = url.searchParams.get('phone');
  if (number !== null) return numberOfLink(token, number);
  return username(token, url.searchParams.get('domain') ?? '', 'not_a_person');
}

function findInTelegramPath(token: string, [first, second]: readonly string[]): Finding {
  // `+` and digits open the chat with a number; `+` and a code is an invitation.
  const number = /^\+([\d ()-]{7,})$/.exec(first ?? '')?.[1];
  if (number !== undefined) return numberOfLink(token, number);
  const isNumber = /^\d+$/.test(first ?? '');
  if (first === undefined || first.startsWith('+') || RESERVED_PATHS.has(first.toLowerCase()) || isNumber)
    return refuse('not_a_person', token);
  // A person's address has one part; more name a post of a channel.
  return second === undefined ? username(token, first.replace(/^@/, '')) : refuse('not_a_person', token);
}

/** Read the number in a link: messengers require the country code there, and no plus. */
function numberOfLink(token: string, number: string | null): Finding {
  const digits = (number ?? '').replace(/\D/g, '').replace(/^00/, '');
  if (digits === '' || /\p{L}/u.test(number ?? '')) return refuse('not_a_person', token);
  return phone(token, readWithCountryCode(digits));
}

function username(text: string, name: string, otherwise: AddressRefusalCode = 'no_username'): Finding {
  const address = typedUsername(name);
  return address === null ? refuse(otherwise, text) : { kind: 'username', text, address };
}

function phone(text: string, read: ReadNumber): Finding {
  return 'address' in read ? { kind: 'phone', text: text.trim(), ...read } : read.refusal;
}

// Free text

/** Words before a number that say that it is no phone number. */
const OTHER_NUMBER =
  /(?:инн|кпп|огрн|снилс|паспорт|заказ[а-я]*|договор[а-я]*|сч[её]т[а-я]*|order|invoice|passport|inn|id|card|карт[а-я]*|iban|account)\W*$/iu;
const EXTENSION =
  /(?<=\d[\s().,-]*)(доб(?:авочный)?|доп|внутр(?:енний)?|вн|ext(?:ension|n)?|int|anexo|ramal|poste|durchwahl|x|х|#)\.?\s*[:№=]?\s*\d{1,7}(?![\s().-]*\d)/giu;
const LABEL =
  /(?<![\p{L}\d])(?:телефон|тел|моб(?:ильный)?|сот|ватсап|вотсап|вайбер|телеграм|номер|т|м|telephone|tel|phone|mobile|mob|cell|handy|whatsapp|wapp|wa|viber|telegram|tg|ph)(?=[+\d(])/giu;

/** Times and dates beside a number, which are not part of it. */
const TIME = String.raw`(?<![\d.:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])`;
const DATE = String.raw`(?<![\d.])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.20\d\d(?![\d.])`;
const TIMES = new RegExp(`${TIME}|${DATE}`, 'g');

/** `isAlone`: nothing else is in the cell. A word beside an address is a note, not another person's name. */
function findInText(text: string, isAlone: boolean): Finding[] {
  const names = isAlone ? findBareNames(text) : [];
  if (names.length > 0) return names;
  const plain = text
    .replace(LABEL, '')
    // A short number with such a mark behind it is one whose digits are hidden.
    .replace(EXTENSION, (mark, word: string, offset: number, all: string) =>
      /^[xх#]$/iu.test(word) && countDigits(all.slice(0, offset)) < 10 ? mark : ' \u0001',
    )
    .replace(TIMES, ' \u0001');
  return runsOf(plain).flatMap(readRun);
}

/** Find usernames without a sign, in a text of nothing else. None if it is another text. */
function findBareNames(text: string): Finding[] {
  const parts = text.replace(TELEGRAM_LABEL, '').split(',');
  const names = parts.map((part) => part.replace(/\([^()]*\)/g, '').trim());
  if (names.some((name) => typedUsername(name) === null || isPlaceholder(name))) return [];
  return names.map((name, index) => {
    const after = (parts[index] ?? '').replace(name, '');
    if (isOfOtherNetwork({ before: '', after, next: '' })) return refuse('other_network', name);
    return mayBeName(name) ? refuse('maybe_a_name', name) : username(name, name);
  });
}

const countDigits = (text: string): number => text.replace(/\D/g, '').length;

interface Run {
  readonly text: string;
  /** Why it is not read: it touches letters or marks that may stand for digits, or is another kind of number. */
  readonly refusal: 'hidden_digits' | 'no_address' | null;
}

/** Find the stretches of a text that consist of digits and what is written between the digits of a number. */
function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  for (const match of text.matchAll(/[+(]*[+\d](?:[\d\s()./,+-]*\d)?/g)) {
    const before = text.slice(0, match.index);
    const after = text.slice(match.index + match[0].length);
    const isBroken =
      /[\p{L}\p{M}_]$/u.test(before) ||
      /[*?_…•]\s*$/.test(before) ||
      /^[\p{L}\p{M}_]/u.test(after) ||
      /^[\s().-]*[*?_…•#]/.test(after) ||
      /^[\s-]*[oоlі][\s-]*(?!\p{L})/iu.test(after);
    const refusal: Run['refusal'] = OTHER_NUMBER.test(before) ? 'no_address' : isBroken ? 'hidden_digits' : null;
    // Each plus begins another number.
    const parts = match[0].split(/(?=\+)/).filter((part) => /\d/.test(part));
    runs.push(...parts.map((part) => ({ text: part.replace(/[^\d)]+$/, '').trim(), refusal })));
  }
  return runs;
}

function readRun({ text, refusal }: Run): Finding[] {
  if (refusal !== null) return [refuse(refusal, text)];
  const list = /^([^,]+?)\s*,[\s,]*(.+)$/.exec(text) ?? /^(.+?)\s*\/\s*(.+)$/.exec(text);
  if (list) return readList(text, list[1] ?? '', list[2] ?? '');
  const whole = phone(text, readNumber(text));
  if ('kind' in whole) return [whole];
  return splitAtSpaces(text) ?? [whole];
}

/**
 * Read two numbers with a comma or slash between them. A slash may as well separate an area code, and a few digits behind
 * either may be the other ending of the number: what can be read in both ways is refused.
 */
function readList(text: string, left: string, right: string): Finding[] {
  const [one, other] = [phone(left, readNumber(left)), phone(text, readNumber(text))];
  const isOne = 'kind' in one;
  if ('kind' in other) return isOne ? [refuse('unclear', text)] : [other];
  if (!isOne && text.includes('/') && countDigits(right) < 7) return [other];
  if (isOne && /\d\/\d{1,4}$/.test(text)) return [one, refuse('unclear', text)];
  return [...readRun({ text: left, refusal: null }), ...readRun({ text: right.trim(), refusal: null })];
}

/** Read two complete numbers between which there is only a space. Null if it is not certain where the second begins. */
function splitAtSpaces(text: string): Finding[] | null {
  const splits = [...text.matchAll(/\s+/g)].flatMap((space) => {
    const [left, right] = [text.slice(0, space.index), text.slice(space.index + space[0].length)];
    if (countDigits(left) < 10 || countDigits(left) > MAX_DIGITS || countDigits(right) < 10) return [];
    const first = phone(left, readNumber(left));
    const rest = 'kind' in first ? readRun({ text: right, refusal: null }) : [];
    return 'kind' in first && rest.length > 0 && rest.every((one) => 'kind' in one) ? [[first, ...rest]] : [];
  });
  return splits.length === 1 ? (splits[0] ?? null) : null;
}

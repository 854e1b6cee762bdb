/** Phone numbers: what libphonenumber says about digits. Pure. */
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  Metadata,
  type NumberingPlan,
  type PhoneNumber,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max';
import type { AddressRefusal, AddressRefusalCode } from './addressRefusal.ts';

/** Digits of the longest number, with an international prefix. The library takes long to refuse longer ones. */
export const MAX_DIGITS = 17;

/** A number in the form in which it is stored, or why it is refused. */
export type ReadNumber =
  | {
      readonly address: string;
      /** The digits, if neither a plus nor an international prefix says that they begin with a country code. */
      readonly bare?: string;
    }
  | { readonly refusal: AddressRefusal };

/**
 * Read digits that begin with a country code. What is returned is the library's number: a trunk prefix that is written
 * behind the country code is not part of it. The full metadata (`max`) is used: with the smaller one, a German, Austrian
 * or Indonesian number may have digits too many.
 */
export const readInternational = (digits: string): ReadNumber =>
  readDigits(digits, (phone) => phone.isValid() || isOfKnownShape(phone));

function readDigits(digits: string, isNumber: (phone: PhoneNumber) => boolean): ReadNumber {
  if (digits.length > MAX_DIGITS) return { refusal: { code: 'too_long', number: digits, country: null } };
  const written = withoutMexicanOne(digits);
  const phone = parsePhoneNumberFromString(`+${written}`);
  if (phone !== undefined && isNumber(phone) && isReadAsItself(phone, written)) {
    const hasOtherReading = phone.number !== `+${written}` && isZeroNumber(written.slice(0, -1));
    return hasOtherReading ? refused('too_long', digits) : { address: phone.number.slice(1) };
  }
  // Messengers still know the accounts of Brazilians by their number without the 9.
  if (isBrazilianWithoutNine(written) && isValid(withBrazilianNine(written))) return { address: written };
  return refused(codeOf(written), digits);
}

/**
 * Read digits that must begin with a country code. Those of a Russian number may begin with the 8 that is dialled before
 * it in Russia: no country has the code 89, so it cannot be anybody else's.
 */
export function readWithCountryCode(digits: string): ReadNumber {
  const read = readInternational(digits);
  const isRussian = 'refusal' in read && read.refusal.code === 'unknown_country_code' && /^8\d{10}$/.test(digits);
  return isRussian ? readTyped(digits) : read;
}

/** Refuse digits; if they have a country code, its country is named. */
export const refused = (code: AddressRefusalCode, digits: string): { refusal: AddressRefusal } => ({
  refusal: { code, number: digits, country: countryOf(digits) },
});

/** The largest countries of calling codes that several share, where it is not the first by its letters. */
const LARGEST: Readonly<Record<string, CountryCode | null>> = {
  1: null,
  7: 'RU',
  212: 'MA',
  358: 'FI',
  590: 'GP',
  599: 'CW',
};

/** Return the country that a number begins with the code of; null if there is none, or if it is one of many. */
function countryOf(digits: string): CountryCode | null {
  if (/^7[67]/.test(digits)) return 'KZ';
  for (const length of [1, 2, 3]) {
    const code = digits.slice(0, length);
    if (code in LARGEST) return LARGEST[code] ?? null;
    const country = getCountries().find((one) => getCountryCallingCode(one) === code);
    if (country) return country;
  }
  return null;
}

/**
 * Whether the library's number is the one that was written: reading it again returns the same, since behind two trunk
 * prefixes there is another number, and it is not longer. The library completes local numbers of San Marino, Madagascar
 * and Norfolk Island.
 */
const isReadAsItself = ({ number }: PhoneNumber, written: string): boolean =>
  number === `+${written}` ||
  (number.length <= written.length + 1 && parsePhoneNumberFromString(number)?.number === number);

const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/**
 * Whether a number is of a range that the library does not know, new or reserved for examples, between ranges that it
 * knows: with another third digit it is a valid mobile or fixed number, and it is as long as the country's longest mobile
 * numbers. Other kinds and lengths do not count: voicemail and toll-free numbers are longer or shorter, and a number with
 * a digit too many or too few would pass for a new one of them. A zero that begins a number is one of fixed lines, whose
 * lengths differ, or a trunk prefix.
 */
function isOfKnownShape({ countryCallingCode, nationalNumber }: PhoneNumber): boolean {
  if (nationalNumber.startsWith('0')) return false;
  return DIGITS.some((third) => {
    const other = `+${countryCallingCode}${nationalNumber.slice(0, 2)}${third}${nationalNumber.slice(3)}`;
    const read = parsePhoneNumberFromString(other);
    return read?.number === other && isPersonal(read) && nationalNumber.length === mobileLengthOf(read.country);
  });
}

/** Whether a number is a valid one of a kind that people have. */
function isPersonal(phone: PhoneNumber): boolean {
  const type = phone.getType();
  return type === 'MOBILE' || type === 'FIXED_LINE_OR_MOBILE' || type === 'FIXED_LINE';
}

/** The library has this method without declaring it. */
interface PlanWithTypes extends NumberingPlan {
  type(name: 'MOBILE'): { possibleLengths(): readonly number[] | undefined } | undefined;
}
const hasTypes = (plan: NumberingPlan): plan is PlanWithTypes => 'type' in plan && typeof plan.type === 'function';

/** Return how many digits the longest mobile numbers of a country have, without its code; null if not known. */
function mobileLengthOf(country: CountryCode | undefined): number | null {
  if (country === undefined) return null;
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const plan = metadata.numberingPlan;
  if (plan === undefined || !hasTypes(plan)) return null;
  // A kind without lengths of its own has those of the country.
  const lengths = plan.type('MOBILE')?.possibleLengths() ?? plan.possibleLengths();
  return Math.max(...lengths);
}

/**
 * Whether digits are a valid number that begins with a zero. With one more digit, it looks like a number behind a trunk
 * prefix: in Gabon, numbers had eight digits with the zero, and have eight behind it since 2019.
 */
function isZeroNumber(digits: string): boolean {
  const phone = parsePhoneNumberFromString(`+${digits}`);
  return phone?.number === `+${digits}` && phone.nationalNumber.startsWith('0') && phone.isValid();
}

const isValid = (digits: string): boolean => parsePhoneNumberFromString(`+${digits}`)?.isValid() ?? false;

function codeOf(digits: string): AddressRefusal['code'] {
  const length = validatePhoneNumberLength(`+${digits}`);
  if (length === 'INVALID_COUNTRY') return 'unknown_country_code';
  if (length === 'TOO_LONG') return 'too_long';
  if (length === 'TOO_SHORT') return 'too_short';
  // Numbers of other kinds may be as long.
  return isValid(digits.slice(0, -1)) ? 'too_long' : 'not_valid';
}

/** Digits of the longest national numbers, but for a few Austrian and German ones. */
const MAX_NATIONAL = 11;

/**
 * Read digits that somebody has typed without a plus. As many as a national number may have are not taken for a number of
 * a range that the library does not know: what looks like a country code may be the beginning of the national number.
 */
export function readTyped(digits: string): ReadNumber {
  if (/^00[1-9]/.test(digits)) return readInternational(digits.slice(2));
  const needsCountryCode = { refusal: { code: 'no_country_code', number: digits, country: null } } as const;
  if (digits.startsWith('0') || digits.length < 10) return needsCountryCode;
  const russian = digits.replace(/^8(?=\d{10}$)/, '7').replace(/^(?=\d{10}$)/, '7');
  const read =
    digits.length > MAX_NATIONAL ? readInternational(digits) : readDigits(russian, (phone) => phone.isValid());
  if ('address' in read) return { ...read, bare: digits };
  // As dialled in Russia: 8, then 10 for abroad. Not if it is a Japanese number.
  if (/^810[1-9]\d{9}/.test(digits)) return readInternational(digits.slice(3));
  return russian !== digits || 'address' in readInternational(digits) ? needsCountryCode : read;
}

/** Return the calling code that a stored number begins with, '' if there is none. */
export const callingCodeOf = (address: string): string =>
  parsePhoneNumberFromString(`+${address}`)?.countryCallingCode ?? '';

/** Whether a calling code before digits makes them a valid mobile number. */
export function isMobileBehind(code: string, digits: string): boolean {
  const number = `+${code}${digits}`;
  const read = parsePhoneNumberFromString(number);
  const type = read?.number === number ? read.getType() : undefined;
  return type === 'MOBILE' || type === 'FIXED_LINE_OR_MOBILE';
}

const withoutMexicanOne = (digits: string): string => digits.replace(/^521(?=\d{10}$)/, '52');
const isBrazilianWithoutNine = (digits: string): boolean => /^55[1-9]{2}[6-9]\d{7}$/.test(digits);
const withBrazilianNine = (digits: string): string => `${digits.slice(0, 4)}9${digits.slice(4)}`;

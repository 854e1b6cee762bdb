/**
 * Addresses of people in messengers: the one form in which each is stored, so that the same person is recognised. What is
 * stored is a phone number as libphonenumber writes it (digits with country code), a lower-case Telegram username, or, for
 * an account that hides both, the messenger's id of the chat (`id:…`).
 */
import type { AddressRefusal, AddressRefusalCode } from './addressRefusal.ts';
import { findAddresses } from './addressText.ts';
import type { ContactType } from './contract.ts';
import { readInternational, readTyped, readWithCountryCode, refused as refuse } from './phoneNumber.ts';
import { normaliseUsername } from './usernameText.ts';

/** An address, and the text that it was written as. */
export interface ReadAddress {
  readonly contact: string;
  readonly address: string;
}

const otherMessenger: AddressRefusalCode = 'other_messenger';
/** A word where a number is required may be anything. */
const noAddress: AddressRefusalCode = 'no_address';

/** Maximum length of a contact's text. */
const MAX_CONTACT = 200;

/**
 * Read all addresses of a cell, in order, each person's once, and what in it is refused. Invisible characters, digits of
 * other scripts, labels, names, links and extensions are understood. Without a plus, eleven digits beginning with 8 and
 * any ten digits not beginning with 0 are Russian; other numbers need their country code.
 */
export function readAddresses(
  type: ContactType,
  text: string,
): { readonly addresses: readonly ReadAddress[]; readonly refused: readonly AddressRefusal[] } {
  const { found, refused } = findAddresses(text);
  const usable = found.filter(({ kind }) => type === 'telegram' || kind === 'phone');
  const persons = new Map(usable.toReversed().map((one) => [personKey(one.address), one]));
  const first = usable.filter((one) => persons.get(personKey(one.address)) === one);
  const isWhole = found.length === 1 && refused.length === 0;
  return {
    addresses: first.map((one) => ({
      contact: (isWhole ? text.trim() : one.text).slice(0, MAX_CONTACT),
      address: one.address,
    })),
    refused: [
      ...refused.map((one) => (type === 'whatsapp' && one.code === 'maybe_a_name' ? { ...one, code: noAddress } : one)),
      ...found
        .filter((one) => !usable.includes(one))
        .map(({ text: number }) => ({ code: /\W/.test(number) ? otherMessenger : noAddress, number, country: null })),
    ],
  };
}

/** Read a text that must be exactly one address. */
export function readAddress(type: ContactType, text: string): { address: string } | { refusal: AddressRefusal } {
  const { addresses, refused } = readAddresses(type, text);
  const [first, ...others] = addresses;
  const several = { code: 'several', number: text.trim(), country: null } as const;
  if (first === undefined) return { refusal: refused[0] ?? { ...several, code: 'no_address' } };
  return others.length > 0 || refused.length > 0 ? { refusal: several } : { address: first.address };
}

/** Normalise a text that is one address; null if it is none, or more than one. */
export function normaliseAddress(type: ContactType, text: string): string | null {
  const read = readAddress(type, text);
  return 'address' in read ? read.address : null;
}

/**
 * Normalise an address from a vendor. Its digits are exact and always have the country code: they are kept as they came.
 * A messenger's suffix (`@c.us`) is not part of them. Null if it is neither a number nor a username.
 */
export function addressFromVendor(type: ContactType, raw: string): string | null {
  const digits = /^\+?(\d{5,20})(?:@(?:c\.us|s\.whatsapp\.net))?$/.exec(raw.trim())?.[1];
  if (digits !== undefined) return digits;
  return type === 'telegram' ? normaliseUsername(raw.trim().replace(/^@/, '')) : null;
}

/**
 * Convert a phone number from a vendor to the form in which a person would have to type it: ten digits and eleven
 * beginning with 8 get a plus, so that they are not taken for Russian, unless they can be nothing else. So do those of a new
 * range, which are refused without it.
 */
export function phoneFromVendor(digits: string): string {
  if (digits.length <= 10) return `+${digits}`;
  if (/^8\d{10}$/.test(digits)) {
    const read = readWithCountryCode(digits);
    const russian = `7${digits.slice(1)}`;
    return 'address' in read && read.address === russian ? russian : `+${digits}`;
  }
  if (!/^[1-9]\d{10}$/.test(digits)) return digits;
  const read = readTyped(digits);
  return 'refusal' in read && read.refusal.code === 'no_country_code' ? `+${digits}` : digits;
}

/**
 * Return why a stored phone number must not be written to first: it is not exactly the library's number. Null if it is
 * one, or if the address is no phone number.
 */
export function storedNumberRefusal(address: string): AddressRefusal | null {
  if (!/^\d+$/.test(address)) return null;
  const read = readInternational(address);
  if ('refusal' in read) return read.refusal;
  if (personKey(read.address) === personKey(address)) return null;
  return refuse('too_long', address).refusal;
}

/**
 * Return the key of the person behind a stored address: the same for the national variants under which a messenger may
 * know one number. Brazil: the 9 before a mobile number of eight digits; Mexico: the 1 after 52; Argentina: the 9 after
 * 54; Ivory Coast and Benin: the two digits put before numbers of eight digits in 2021 and 2024. The database function
 * `person_key` follows the same rules.
 */
export function personKey(address: string): string {
  return address
    .replace(/^(55[1-9]{2})9([6-9]\d{7})$/, '$1$2')
    .replace(/^521(\d{10})$/, '52$1')
    .replace(/^549(\d{10})$/, '54$1')
    .replace(/^225(?:0[157]|2[157])(\d{8})$/, '225$1')
    .replace(/^22901(\d{8})$/, '229$1');
}

/** Return every address that is the same person's as a stored one, that one first. */
export function addressVariants(address: string): string[] {
  const key = personKey(address);
  const variants = [
    key,
    key.replace(/^(55[1-9]{2})([6-9]\d{7})$/, '$19$2'),
    key.replace(/^52(\d{10})$/, '521$1'),
    key.replace(/^54(\d{10})$/, '549$1'),
    ...['01', '05', '07', '21', '25', '27'].map((operator) => key.replace(/^225(\d{8})$/, `225${operator}$1`)),
    key.replace(/^229(\d{8})$/, '22901$1'),
  ];
  return [...new Set([address, ...variants])];
}

/** Addresses: one way of writing each, so that the same person is recognised. */
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { ContactType } from './contract.ts';

const USERNAME = /^[a-z][a-z0-9_]{3,31}$/;

/**
 * The normal form of a contact as people write it: digits with country code, or a lower-case Telegram username; null when
 * it is neither. Without a plus, eleven digits that begin with 8 and any ten are Russian; a leading 0 is no number's own.
 */
export function normaliseAddress(type: ContactType, contact: string): string | null {
  const trimmed = contact.trim();
  if (type === 'telegram') {
    const username = trimmed
      .replace(/^https?:\/\/t\.me\//i, '')
      .replace(/^@/, '')
      .toLowerCase();
    if (USERNAME.test(username)) return username;
  }
  if (!/^\+?[\d\s().-]{7,25}$/.test(trimmed)) return null;
  let digits = trimmed.replace(/\D/g, '');
  if (!trimmed.startsWith('+')) digits = digits.replace(/^8(?=\d{10}$)/, '7').replace(/^(?=[1-9]\d{9}$)/, '7');
  const phone = parsePhoneNumberFromString(`+${digits}`);
  return phone?.isPossible() ? digits : null;
}

/**
 * A phone that a vendor tells, as somebody would have to write it. Vendors always give the country code and never a plus:
 * ten digits are Norwegian or Danish there, eleven that begin with 8 Vietnamese. Those get their plus, so that they are
 * not taken for Russian.
 */
export function phoneFromVendor(digits: string): string {
  const normalised = normaliseAddress('whatsapp', digits);
  return normalised === null || normalised === digits ? digits : `+${digits}`;
}

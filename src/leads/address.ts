/** Addresses: one normal form for each, so that the same lead is recognised. */
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { ContactType } from './contract.ts';

const USERNAME = /^[a-z][a-z0-9_]{3,31}$/;

/**
 * Normalise a contact as people type it: digits with country code, or a lower-case Telegram username; null when it is
 * neither. Without a plus, eleven digits beginning with 8 and any ten digits are treated as Russian; ten digits
 * beginning with 0 are not.
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
 * Convert a phone number from a vendor to the form in which a person would have to type it. Vendors always include the
 * country code and never a plus: ten digits are Norwegian or Danish, eleven beginning with 8 Vietnamese. Those get a
 * plus, so that they are not taken for Russian.
 */
export function phoneFromVendor(digits: string): string {
  // Only these are taken for Russian, and only if a phone may have them: asking the library takes 5 µs.
  const isAmbiguous = /^(?:8\d{10}|[1-9]\d{9})$/.test(digits) && normaliseAddress('whatsapp', digits) !== null;
  return isAmbiguous ? `+${digits}` : digits;
}

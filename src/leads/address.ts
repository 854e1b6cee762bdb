/** Addresses: one way of writing each, so that the same person is recognised. */
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { ContactType } from './contract.ts';

const USERNAME = /^[a-z][a-z0-9_]{3,31}$/;

/**
 * The normal form of a contact: digits with country code, or a lower-case Telegram username; null when it is neither.
 * Eleven digits that begin with 8, and ten that begin with 9, are Russian.
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
  if (/^8\d{10}$/.test(digits) && !trimmed.startsWith('+')) digits = `7${digits.slice(1)}`;
  else if (/^9\d{9}$/.test(digits) && !trimmed.startsWith('+')) digits = `7${digits}`;
  const phone = parsePhoneNumberFromString(`+${digits}`);
  return phone?.isPossible() ? digits : null;
}

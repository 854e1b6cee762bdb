/** One-time codes of an authenticator app: RFC 6238 with its defaults (SHA-1, 30 seconds, six digits). Pure. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const STEP_SECONDS = 30;
const DIGITS = 6;
/** The alphabet of RFC 4648. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encode bytes as base32 without padding, as apps expect a secret. */
export function base32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (char) => ALPHABET.indexOf(char).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}

/** Return the time step of an instant (Unix seconds). */
export const stepAt = (seconds: number): number => Math.floor(seconds / STEP_SECONDS);

/** Return the code of a time step. `secret` is base32. */
export function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/**
 * Return the time step of a code: the present one or its neighbours, because clocks differ. Returns null if there is
 * none, or if it is not later than `lastStep`.
 */
export function matchingStep({
  secret,
  code,
  present,
  lastStep,
}: {
  secret: string;
  code: string;
  present: number;
  lastStep: number | null;
}): number | null {
  let found: number | null = null;
  for (const step of [present - 1, present, present + 1]) {
    const same = timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code.padEnd(DIGITS).slice(0, DIGITS)));
    if (same && code.length === DIGITS && (lastStep === null || step > lastStep)) found = step;
  }
  return found;
}

/** Return the URI that an app reads from the QR code. */
export function authenticatorUri(secret: string, login: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(login)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

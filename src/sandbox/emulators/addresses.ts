/** Addresses of phones, and the vendor chat ids derived from them. */
import { createHash } from 'node:crypto';
import type { Transport } from './contract.ts';

/** Normalize to digits with country code, or to a lower-case username without `@`. */
export function normaliseAddress(raw: string): string {
  const trimmed = raw.trim();
  if (/^\+?\d[\d\s()-]*$/.test(trimmed)) return trimmed.replaceAll(/\D/g, '');
  return trimmed.replace(/^@/, '').toLowerCase();
}

export function isDigits(address: string): boolean {
  return /^\d{7,15}$/.test(address);
}

/** Return the `chatType` of a person on this transport (Wazzup24 fact sheet, section 3). */
export function personChatType(transport: Transport): string {
  if (transport === 'wapi') return 'whatsapp';
  if (transport === 'tgapi') return 'telegram';
  return transport;
}

export function groupChatType(transport: Transport): string | null {
  const person = personChatType(transport);
  if (person === 'whatsapp') return 'whatsgroup';
  if (person === 'telegram') return 'telegroup';
  return null;
}

/** Return whether this transport's chat ids reveal nothing about the person's phone or username. */
export function isOpaque(transport: Transport): boolean {
  return personChatType(transport) === 'telegram';
}

/** Return whether the transport is a bot, which cannot write to a person who has never written to it. */
export function isBot(transport: Transport): boolean {
  return transport === 'telegram';
}

/**
 * Return the opaque chat id of a person: ten digits, the same for an address on every channel and after every start,
 * like a messenger's own user ids.
 */
export function opaqueChatId(address: string): string {
  const digest = createHash('sha256')
    .update(`chat ${normaliseAddress(address)}`)
    .digest();
  return String(1_000_000_000 + (digest.readUInt32BE(0) % 9_000_000_000));
}

export function chatIdFor(transport: Transport, address: string): string {
  return isOpaque(transport) ? opaqueChatId(address) : normaliseAddress(address);
}

/** Return the privacy id under which WhatsApp shows a person whose number it hides. */
export const privacyIdFor = (address: string): string => `${opaqueChatId(`privacy id of ${address}`)}@lid`;

/** Addresses of phones, and how a vendor's chat ids follow from them. */
import { createHash } from 'node:crypto';
import type { Transport } from './contract.ts';

/** Digits with country code, or a lower-case username without `@`. */
export function normaliseAddress(raw: string): string {
  const trimmed = raw.trim();
  if (/^\+?\d[\d\s()-]*$/.test(trimmed)) return trimmed.replaceAll(/\D/g, '');
  return trimmed.replace(/^@/, '').toLowerCase();
}

export function isDigits(address: string): boolean {
  return /^\d{7,15}$/.test(address);
}

/** The `chatType` of a person on this transport (Wazzup24 fact sheet, section 3). */
export function personChatType(transport: Transport): string {
  if (transport === 'wapi') return 'whatsapp';
  if (transport === 'tgapi') return 'telegram';
  if (transport === 'maxbot') return 'max';
  return transport;
}

export function groupChatType(transport: Transport): string | null {
  const person = personChatType(transport);
  if (person === 'whatsapp') return 'whatsgroup';
  if (person === 'telegram') return 'telegroup';
  if (person === 'max') return 'maxgroup';
  return null;
}

/** Whether chat ids of this transport say nothing about the person's phone or username. */
export function isOpaque(transport: Transport): boolean {
  const person = personChatType(transport);
  return person === 'telegram' || person === 'max';
}

/** Bots cannot write to somebody who has never written to them. */
export function isBot(transport: Transport): boolean {
  return transport === 'telegram' || transport === 'maxbot';
}

/**
 * The opaque chat id of a person: ten digits, the same for the same address on every channel and at every start,
 * as a messenger's own user ids are.
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

/**
 * What a messenger's chat id says: which chat it is, whether it is surely one person's, and which other ids name the same
 * chat. Only a person's chat becomes a lead's; everything else is kept as an ignored item.
 */
import { addressFromVendor, addressVariants, normaliseAddress, phoneFromVendor } from '../leads/address.ts';
import { remembered } from '../platform/remembered.ts';
import type { ChannelType } from './contract.ts';

/** Why a chat is not surely one person's, or a message in it not surely that person's. */
export const notPersonReasons = [
  'group',
  'community',
  'broadcast',
  'story',
  'news_channel',
  'bot',
  'service',
  'own_number',
  'unknown_chat',
  'unknown_direction',
] as const;
export type NotPerson = (typeof notPersonReasons)[number];

/** A chat as a vendor's hook names it. */
export interface Chat {
  /** The id to answer to; null if the hook names none. */
  readonly chatId: string | null;
  /** Other ids that the hook proves to be the same chat: the phone of a privacy id, or the other way round. */
  readonly sameAs: readonly string[];
  /** Spellings of these ids under which the chat may be known: national variants of a phone number. */
  readonly variants: readonly string[];
  /** Phone (`phoneFromVendor`), username or `id:…` of the other party; null if there is no chat. */
  readonly address: string | null;
  /** Its username, where the hook names a phone as well. */
  readonly otherAddress: string | null;
  /** Null: it is surely one person's. */
  readonly notPerson: NotPerson | null;
}

/**
 * A WhatsApp id for businesses that are not shown the phone: country, `ENT.` for a parent company's, and the id; at most
 * 128 characters. It names a person for one business; a new number gives a new one.
 */
const BUSINESS_SCOPED = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;
/** WhatsApp's own numbers: its announcements, and its account for businesses. */
const WHATSAPP_SERVICES = new Set(['0', '16505361212']);
/** Numbers of WhatsApp's own assistants. */
const WHATSAPP_BOTS = /^(?:1313555\d{4}|131655500\d{2})$/;
/** Groups, communities and channels without their suffix: a creator's number with a time, or a number from 120363 on. */
const WHATSAPP_GROUPS = /^(?:\d{5,}-\d{5,}|120363\d{9,})$/;

/**
 * Telegram's own accounts: notifications and login codes (777000, 333000, 42777), verification codes (489000), replies,
 * anonymous admins, posts of channels, and the bots that guard against spam.
 */
const TELEGRAM_SERVICES = new Set([
  '42777',
  '333000',
  '489000',
  '708513',
  '777000',
  '136817688',
  '1087968824',
  '1271266957',
  '178220800',
  '5434988373',
]);

/** Chats whose addresses are remembered. */
const REMEMBERED = 10_000;
const typedForm = remembered(REMEMBERED, phoneFromVendor);

/**
 * Return the stored forms that an address from a vendor may have: its own and, of a phone, those of its national variants,
 * the library's first. A messenger may know a number in a form that is none. Every report names its chat: what the library
 * said of it is remembered [a tenth of the server's time for an exchange].
 */
export const addressesOf = remembered<readonly string[]>(REMEMBERED, findAddressesOf);

function findAddressesOf(address: string): readonly string[] {
  const digits = address.replace(/^\+/, '');
  const isNumber = /^\d+$/.test(digits);
  // A vendor's username is exact, even where a person who types it would have to write an @ before it.
  const username = isNumber ? null : addressFromVendor('telegram', address);
  if (username !== null) return [username];
  const spellings = isNumber ? addressVariants(digits).map(typedForm) : [];
  const stored = [address, ...spellings].flatMap((one) => normaliseAddress('telegram', one) ?? []);
  return [...new Set(stored.flatMap(addressVariants))];
}

/** What the id of a WhatsApp chat says by itself. `id`: without the suffix of a number, and without a device. */
function readWhatsappId(raw: string): { id: string; phone: string | null; notPerson: NotPerson | null } {
  const trimmed = raw.trim();
  const [, rawUser = trimmed, rawServer = null] = /^([^@]*)@(.*)$/.exec(trimmed) ?? [];
  const server = rawServer?.toLowerCase() ?? null;
  // A device (`:2`) or an agent (`_1`) is still the same person.
  const user = rawUser.replace(/^\+(?=\d)/, '').replace(/^(\d+)(?:_\d+)?(?::\d+)?$/, '$1');
  const ignored = (notPerson: NotPerson) => ({ id: trimmed, phone: null, notPerson });
  switch (server) {
    case null:
      if (BUSINESS_SCOPED.test(user)) return { id: user, phone: null, notPerson: null };
      break;
    case 'c.us':
    case 's.whatsapp.net':
    case 'hosted':
      if (user === 'server') return ignored('service');
      break;
    case 'lid':
    case 'hosted.lid':
      return /^\d{1,20}$/.test(user)
        ? { id: `${user}@${server}`, phone: null, notPerson: null }
        : ignored('unknown_chat');
    case 'g.us':
      return ignored('group');
    case 'broadcast':
      return ignored(user.toLowerCase() === 'status' ? 'story' : 'broadcast');
    case 'newsletter':
      return ignored('news_channel');
    case 'bot':
      return ignored('bot');
    default:
      return ignored('unknown_chat');
  }
  if (WHATSAPP_SERVICES.has(user)) return ignored('service');
  if (WHATSAPP_BOTS.test(user)) return ignored('bot');
  if (WHATSAPP_GROUPS.test(user)) return ignored('group');
  if (!/^\d{5,15}$/.test(user)) return ignored('unknown_chat');
  // Digits that are no phone number may be a privacy id without its suffix.
  return { id: user, phone: addressesOf(user).length === 0 ? null : user, notPerson: null };
}

/**
 * Read a WhatsApp chat. `phone`: the number that the hook names beside the id; `otherIds`: further ids that it names;
 * `isGroup`: the vendor calls it a group.
 */
export function readWhatsappChat(hook: {
  readonly chatId: string | null;
  readonly phone?: string | null | undefined;
  readonly otherIds?: readonly (string | null | undefined)[];
  readonly isGroup?: boolean;
}): Chat {
  const beside = digitsOf(hook.phone);
  const rawId = hook.chatId?.trim() || beside;
  if (!rawId) return NO_CHAT;
  const { id, phone: own, notPerson: reason } = readWhatsappId(rawId);
  // Whoever has a phone is a person, even under an id of a form that nobody knows yet.
  const isPerson = reason === 'unknown_chat' && beside !== null && readWhatsappId(beside).phone !== null;
  const notPerson = hook.isGroup ? 'group' : isPerson ? null : reason;
  if (notPerson !== null) return { ...NO_CHAT, chatId: id, notPerson };
  const others = [beside, ...(hook.otherIds ?? [])].flatMap((one) => {
    const other = one ? readWhatsappId(one) : null;
    return other && other.notPerson === null ? [other] : [];
  });
  // A chat id that is a phone number is the address; another number beside it is not the chat's.
  const phone = own ?? others.find((one) => one.phone !== null)?.phone ?? null;
  const sameAs = [...new Set(others.filter((one) => one.phone === null || one.phone === phone).map((one) => one.id))];
  const spellings = phone === null ? [] : [...addressVariants(phone), digitsOf(phone) ?? phone];
  return {
    chatId: id,
    sameAs: sameAs.filter((one) => one !== id),
    variants: [...new Set(spellings)].filter((one) => one !== phone),
    address: phone === null ? `id:${id}` : typedForm(phone),
    otherAddress: null,
    notPerson: null,
  };
}

/** Read a Telegram chat. `kind`: the vendor's word for the chat's kind, null if it has none. */
export function readTelegramChat(hook: {
  readonly chatId: string | null;
  readonly phone?: string | null | undefined;
  readonly username?: string | null | undefined;
  readonly kind?: string | null | undefined;
}): Chat {
  const chatId = hook.chatId?.trim() || null;
  if (chatId === null) return NO_CHAT;
  // An account that hides its phone has 0 for it.
  const digits = digitsOf(hook.phone);
  const phone = digits !== null && digits.length >= 5 ? digits : null;
  const username = hook.username?.trim().replace(/^@/, '').toLowerCase() || null;
  const notPerson =
    telegramKind(hook.kind) ??
    (chatId.startsWith('-')
      ? 'group'
      : TELEGRAM_SERVICES.has(chatId) || phone === '42777'
        ? 'service'
        : // `talbot` may be a user's. `person` and `private` only say that it is no group.
          username?.endsWith('bot') && hook.kind?.toLowerCase() !== 'user'
          ? 'bot'
          : null);
  return {
    chatId,
    sameAs: [],
    variants: [],
    address: phone === null ? (username ?? `id:${chatId}`) : typedForm(phone),
    otherAddress: phone === null ? null : username,
    notPerson,
  };
}

/** Return the digits of a vendor's phone, a Russian number with its country code; null if it has none. */
function digitsOf(phone: string | null | undefined): string | null {
  const digits = phone?.replace(/\D/g, '') || null;
  return digits === null ? null : typedForm(digits).replace(/^\+/, '');
}

/** Why a chat of this kind, in a vendor's word, is no person's; null if it is one. */
function telegramKind(kind: string | null | undefined): NotPerson | null {
  const word = kind?.toLowerCase() ?? 'person';
  if (['person', 'private', 'user', 'telegram'].includes(word)) return null;
  if (word.includes('group')) return 'group';
  if (word === 'community') return 'community';
  if (word === 'channel') return 'news_channel';
  return word === 'bot' ? 'bot' : 'unknown_chat';
}

const NO_CHAT: Chat = {
  chatId: null,
  sameAs: [],
  variants: [],
  address: null,
  otherAddress: null,
  notPerson: null,
};

/**
 * Return the kind of a chat id of which an account has only one in a messenger: another id of this kind is another
 * account. Null for phone numbers, which are reassigned.
 */
export function accountIdKind(type: ChannelType, chatId: string): string | null {
  if (type === 'telegram') return 'account';
  if (/@(?:hosted\.)?lid$/.test(chatId)) return 'lid';
  if (!BUSINESS_SCOPED.test(chatId)) return null;
  return chatId.includes('.ENT.') ? 'parent_business' : 'business';
}

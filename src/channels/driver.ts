/**
 * The interface of every messaging vendor's driver, in Rapport's terms. Vendor-specific details stay in the vendor's
 * folder.
 */
import { fingerprint } from '../platform/ids.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { NotPerson } from './chats.ts';
import type { ChannelType } from './contract.ts';
import type { Markup } from './markup.ts';

/** What a call to the vendor needs. */
export interface VendorCall {
  readonly outbound: Outbound;
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface SendRequest {
  readonly channelRef: string;
  readonly channelType: ChannelType;
  /** The vendor's id of the chat, once known. */
  readonly chatId: string | null;
  /** Normalised address of the contact: digits or username. */
  readonly address: string;
  readonly text: string;
  /** Our key of this message. Within the vendor's key window, the same key is the same message. */
  readonly key: string;
  /** Where the vendor may post the delivery status; null: it reports only by hook. */
  readonly callbackUrl: string | null;
  readonly timeoutMs: number;
}

/** What a refusal concerns, which decides who has to act. `passing` refusals are retried. */
export type RefusalAbout = 'message' | 'recipient' | 'channel' | 'account' | 'passing';

export type SendOutcome =
  /** `messageId` null: accepted earlier under this key; the vendor does not report the id. */
  | { readonly kind: 'accepted'; readonly messageId: string | null; readonly chatId: string | null }
  | {
      readonly kind: 'rejected';
      readonly about: RefusalAbout;
      readonly code: string;
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
    }
  /** It is unknown whether the vendor accepted the message. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** `edit`, `deletion`: of a message that was reported before, or will be. */
export type HookKind = 'message' | 'status' | 'channel' | 'edit' | 'deletion';

/** One item reported by a vendor's hook. */
export interface HookItem {
  readonly kind: HookKind;
  /** The vendor's reference of the channel; null where the vendor omits it (statuses). */
  readonly channelRef: string | null;
  /** The vendor's message id; for a channel's state, an id unique to the notice. */
  readonly extId: string;
  /**
   * For messages and statuses `inbound`, `sent`, `delivered`, `read` or `error`; for channels the vendor's state word;
   * for an edit a word that tells it from other edits of the message (`editStatus`).
   */
  readonly status: string;
  /** The messenger's own id of the chat: what an answer goes to. */
  readonly chatId: string | null;
  /** Other ids that the hook proves to be the same chat. */
  readonly sameAs?: readonly string[];
  /** Spellings under which the chat may be known: national variants of its phone number. */
  readonly variants?: readonly string[];
  /** The vendor's time, ISO-8601 UTC. */
  readonly occurredAt: string | null;
  /** The words of a message; of an edit, the new ones. */
  readonly text: string;
  /** What the person did: a `MessageKind`. */
  readonly mediaKind: string;
  readonly mediaUrl: string | null;
  /** Why the chat is not surely one person's: then it is ignored. Null: it is. */
  readonly notPerson: NotPerson | null;
  /** Name of the sender, as the messenger shows it. */
  readonly name: string | null;
  /** Phone (`phoneFromVendor`), username or `id:…` of the other party; null if only the chat id is known. */
  readonly address: string | null;
  /** Its username, where `address` is its phone. */
  readonly otherAddress?: string | null;
  /** Every address by which the other party may be known, normalised, the preferred one first. Set when it is stored. */
  readonly addresses?: readonly string[];
  readonly errorCode: string | null;
  readonly errorReason: string | null;
  /** Who has to act on the error; omitted where only the message is concerned. */
  readonly errorAbout?: RefusalAbout;
  /** For outgoing messages: whether a program sent it, ours or another. Omitted where the vendor does not report it. */
  readonly viaApi?: boolean;
  /** The key we gave the message, where the vendor repeats it. */
  readonly key?: string;
  /** The vendor's id of the message that a reply quotes or a reaction is for. */
  readonly refersTo?: string;
  /** Of an edit, and of a message that was edited before it was reported: the words before, null if not reported. */
  readonly textBefore?: string | null;
  /** Of an edit or deletion: whether the message is one of ours; omitted where the vendor does not say. */
  readonly isOurs?: boolean;
  /** The QR code to pair with, as a data URL. */
  readonly qr?: string;
}

/** Return the `status` of an edit: a repeated hook has the same, another edit of the message another one. */
export const editStatus = (edit: Pick<HookItem, 'text' | 'textBefore' | 'occurredAt'>): string =>
  `edited ${fingerprint(JSON.stringify([edit.text, edit.textBefore ?? null, edit.occurredAt]))
    .toString('hex')
    .slice(0, 32)}`;

/** The `status` of a channel notice that only reports a change: the account is read again. */
export const REFRESH_SESSIONS = 'ask again';

/** A vendor's answer to a poll for the status of one of our messages. */
export type DeliveryStatus = Pick<HookItem, 'errorCode' | 'errorReason' | 'errorAbout'> & {
  readonly status: 'sent' | 'delivered' | 'read' | 'error';
};

export interface VendorChannel {
  readonly ref: string;
  readonly title: string;
  readonly address: string | null;
  readonly state: string;
  /** The vendor's word for how the messenger is reached: a personal number, a bot. */
  readonly transport: string;
  /** Null: a messenger that Rapport does not support. */
  readonly type: ChannelType | null;
}

/** The properties of a channel that its vendor's rules depend on. */
export interface ChannelKind {
  readonly type: ChannelType;
  readonly ref: string;
  /** Its `transport` is the vendor's word, once the vendor has reported it. */
  readonly config: unknown;
}

/** An unsuccessful answer of a vendor; the reason may be shown to operators. */
export class VendorRefused extends Error {
  readonly code: string;
  constructor(code: string, reason: string) {
    super(reason);
    this.code = code;
  }
}

/**
 * How fast an account may send. `real`: one send per `everyMs`, with up to `burst` saved up, on the real clock.
 * `domain`: one send at a time; the next falls due after the configured interval on the domain clock.
 */
export type RateLimit =
  | { readonly clock: 'real'; readonly everyMs: number; readonly burst: number }
  | { readonly clock: 'domain'; readonly reason: string };

export interface Driver {
  readonly name: string;
  /** How long after the first use of a key the vendor is certain to recognise a repeat, milliseconds. */
  readonly keyWindowMs: number;
  /** How fast an account may send. */
  readonly rateLimit: RateLimit;
  /** Whether to poll the account's sessions, because the vendor does not report every change. */
  readonly pollsSessions: boolean;
  readonly reportsRead: boolean;
  /** Return the maximum length of one message, characters. */
  textLimit(type: ChannelType): number;
  /** Return the markup that a text sent through this vendor is shown with. */
  markupOf(type: ChannelType): Markup;
  /** Check whether such a channel can write to someone who never wrote to it. */
  canWriteFirst(channel: ChannelKind): boolean;
  send(call: VendorCall, request: SendRequest): Promise<SendOutcome>;
  /** Parse a hook's body leniently; unrecognised items are omitted. Never throws. */
  parseHook(body: unknown): HookItem[];
  /**
   * Return the registered hook address. If the vendor knows only one address, return that one; else return `ours` if
   * the vendor sends everything we need there, or null. Throws VendorRefused, or the network's error.
   */
  readHookAddress(call: VendorCall, ours: string): Promise<string | null>;
  /**
   * Register `address` for the vendor's hooks, in place of addresses that were ours before. Throws like
   * `readHookAddress`.
   */
  registerHook(call: VendorCall, address: string, isOurs: (address: string) => boolean): Promise<void>;
  /** List the account's channels. Throws like `readHookAddress`. */
  listChannels(call: VendorCall): Promise<VendorChannel[]>;
  /**
   * Poll the status of a message, for vendors that do not report all of it; null: no such message. Throws like
   * `readHookAddress`.
   */
  fetchDeliveryStatus?(call: VendorCall, messageId: string): Promise<DeliveryStatus | null>;
}

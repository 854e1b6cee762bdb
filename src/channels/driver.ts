/** What every messaging vendor's driver does, in our words. What is particular to a vendor stays in its own folder. */
import type { Outbound } from '../platform/outbound.ts';
import type { ChannelType } from './contract.ts';

/** With what a call to the vendor is made. */
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
  /** Ours on this message. Inside the vendor's key window the same key is the same message. */
  readonly key: string;
  /** Where the vendor may tell what became of it; null: it tells by its hook alone. */
  readonly callbackUrl: string | null;
  readonly timeoutMs: number;
}

/** What a refusal is about decides who has to act. `passing` ones are tried again. */
export type RefusalAbout = 'message' | 'recipient' | 'channel' | 'account' | 'passing';

export type SendOutcome =
  /** `messageId` null: accepted earlier under this key, the vendor does not say under which id. */
  | { readonly kind: 'accepted'; readonly messageId: string | null; readonly chatId: string | null }
  | {
      readonly kind: 'rejected';
      readonly about: RefusalAbout;
      readonly code: string;
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
    }
  /** Nobody can tell whether it was accepted. */
  | { readonly kind: 'unknown'; readonly reason: string };

export type HookKind = 'message' | 'status' | 'channel';

/** One thing that a vendor's hook said. */
export interface HookItem {
  readonly kind: HookKind;
  /** The vendor's reference of the channel; null where the vendor leaves it out (statuses). */
  readonly channelRef: string | null;
  /** The vendor's message id; for a channel's state something unique to the notice. */
  readonly extId: string;
  /** For messages and statuses `inbound`, `sent`, `delivered`, `read` or `error`; for channels the vendor's state word. */
  readonly status: string;
  readonly chatId: string | null;
  /** The vendor's time, ISO-8601 UTC. */
  readonly occurredAt: string | null;
  readonly text: string;
  /** `text`, or what stands in the brackets: `image`, `voice message`, … */
  readonly mediaKind: string;
  readonly mediaUrl: string | null;
  readonly isGroup: boolean;
  /** True when the bot has nothing to answer: system notices, missed calls. */
  readonly isSilent: boolean;
  /** Name of the writer, as the messenger shows it. */
  readonly name: string | null;
  /** Phone (`phoneFromVendor`), username or `id:…` of the other party; null where the chat id is all that there is. */
  readonly address: string | null;
  readonly errorCode: string | null;
  readonly errorReason: string | null;
  /** Who has to act on the error; left out where only the message is concerned. */
  readonly errorAbout?: RefusalAbout;
  /** For outgoing ones: whether a program sent it, ours or another. Left out where the vendor does not tell. */
  readonly viaApi?: boolean;
  /** The key that we gave the message, where the vendor repeats it. */
  readonly key?: string;
  /** A picture to pair with, as an address that holds it itself. */
  readonly qr?: string;
}

/** The `status` of a channel's notice that says only that something changed: the account is read anew. */
export const REFRESH_SESSIONS = 'ask again';

/** What a vendor answers when asked about one of our messages. */
export type DeliveryStatus = Pick<HookItem, 'errorCode' | 'errorReason' | 'errorAbout'> & {
  readonly status: 'sent' | 'delivered' | 'read' | 'error';
};

export interface VendorChannel {
  readonly ref: string;
  readonly title: string;
  readonly address: string | null;
  readonly state: string;
  /** The vendor's word for how the messenger is reached: a person's number, a bot. */
  readonly transport: string;
  /** Null: a messenger that we do not speak. */
  readonly type: ChannelType | null;
}

/** A channel as far as its vendor's rules depend on it. */
export interface ChannelKind {
  readonly type: ChannelType;
  readonly ref: string;
  /** Its `transport` is the vendor's word, once the vendor has told it. */
  readonly config: unknown;
}

/** A vendor's answer that was no success; the reason is fit to be shown. */
export class VendorRefused extends Error {
  readonly code: string;
  constructor(code: string, reason: string) {
    super(reason);
    this.code = code;
  }
}

/**
 * One send each `everyMs`, with so many saved up, on the real clock; or one at a time, and the next falls due as
 * much later on the domain clock as the settings say.
 */
export type RateLimit =
  | { readonly clock: 'real'; readonly everyMs: number; readonly burst: number }
  | { readonly clock: 'domain'; readonly reason: string };

export interface Driver {
  readonly name: string;
  /** How long after the first use of a key a repeat is still recognised for certain, milliseconds. */
  readonly keyWindowMs: number;
  /** Sends that may leave per account. */
  readonly rateLimit: RateLimit;
  /** Whether an account's sessions are asked for, since the vendor does not tell all that happens to them. */
  readonly pollsSessions: boolean;
  readonly reportsRead: boolean;
  /** Longest text in one message, characters. */
  textLimit(type: ChannelType): number;
  /** Whether such a channel can write to somebody who never wrote to it. */
  canWriteFirst(channel: ChannelKind): boolean;
  send(call: VendorCall, request: SendRequest): Promise<SendOutcome>;
  /** Reads a hook's body loosely; what is not understood is left out. Never throws. */
  parseHook(body: unknown): HookItem[];
  /**
   * The address the vendor sends hooks to where it knows only one; else `ours` when it sends all that we need there, or
   * null. Throws VendorRefused, or the network's error.
   */
  readHookAddress(call: VendorCall, ours: string): Promise<string | null>;
  /** Has the vendor send hooks to `address`. Throws like `readHookAddress`. */
  registerHook(call: VendorCall, address: string): Promise<void>;
  /** The account's channels. Throws like `readHookAddress`. */
  listChannels(call: VendorCall): Promise<VendorChannel[]>;
  /** What became of a message, for vendors that do not tell it all by themselves; null: no such message. Throws likewise. */
  fetchDeliveryStatus?(call: VendorCall, messageId: string): Promise<DeliveryStatus | null>;
}

/**
 * Shapes of the emulators' control API. Times named `at` are ISO-8601 UTC
 * on the domain clock; fields ending in `Ms` are milliseconds of real time.
 */
import { z } from 'zod';
import { faultKinds } from './faultKinds.ts';

export type { ModelFault, ModelVendor } from './faultKinds.ts';

/** Transports of Wazzup24 that the product knows (fact sheet, section 3). */
const transportSchema = z.enum(['whatsapp', 'wapi', 'tgapi', 'telegram']);
export type Transport = z.infer<typeof transportSchema>;

const channelSchema = z.object({
  channelId: z.string().min(1),
  transport: transportSchema,
  plainId: z.string(),
  name: z.string().default(''),
  state: z.string().default('active'),
});
export type Channel = z.infer<typeof channelSchema>;

export const accountSchema = z.object({ channels: z.array(channelSchema) });
export type AccountInput = z.input<typeof accountSchema>;

export const subscriptionsSchema = z.object({
  messagesAndStatuses: z.boolean().default(false),
  contactsAndDealsCreation: z.boolean().default(false),
  channelsUpdates: z.boolean().default(false),
  templateStatus: z.boolean().default(false),
});
export type Subscriptions = z.infer<typeof subscriptionsSchema>;

export interface AccountView {
  key: string;
  channels: Channel[];
  webhooksUri: string | null;
  subscriptions: Subscriptions;
}

const ms = z.number().min(0);
const count = z.int().min(1);

export const settingsSchema = z.object({
  statuses: z.object({ sentMs: ms.default(100), deliveredMs: ms.default(400), readMs: ms.default(900) }).prefault({}),
  /** How a message sent through the API returns as a `messages[]` item (fact sheet, 6.4). */
  echo: z.enum(['off', 'echo', 'plain']).default('echo'),
  key: z.object({ windowMs: ms.default(60_000), dedupe: z.boolean().default(true) }).prefault({}),
  rateLimit: z.object({ requests: count.default(500), perMs: count.default(5_000) }).prefault({}),
  hooks: z
    .object({ retries: z.int().min(0).default(3), pauseMs: ms.default(2_000), timeoutMs: count.default(30_000) })
    .prefault({}),
  llm: z.object({ msPerToken: ms.default(15), firstTokenMs: ms.default(0) }).prefault({}),
  amocrm: z
    .object({
      /** Pauses of the retry schedule of hooks, shortened. */
      pausesMs: z.array(ms).max(10).default([2_000, 4_000, 4_000, 8_000]),
      timeoutMs: count.default(2_000),
      /** Number of bad answers within two hours that disable an address. */
      offAfter: count.default(100),
    })
    .prefault({}),
  /** Milliseconds without use of the control API after which the emulators end; 0 means never. */
  idleMs: ms.default(600_000),
  /** Seed of all random choices, so that a run can be repeated. */
  seed: z.int().default(1),
});
type Settings = z.infer<typeof settingsSchema>;
/** Settings to change; the others are kept. */
export type SettingsPatch = {
  readonly [K in keyof Settings]?: Settings[K] extends object ? Partial<Settings[K]> : Settings[K];
};

export const faultSchema = z.strictObject({
  kind: z.enum(faultKinds),
  /** How many times it happens; unlimited if absent. */
  times: z.number().int().min(1).optional(),
  /** Probability of each occasion, 0 to 1; certain if absent. */
  probability: z.number().min(0).max(1).optional(),
  /** All given conditions must match. `text` is a part of the message's text, or of the last user message. */
  match: z
    .strictObject({
      account: z.string().optional(),
      channelId: z.string().optional(),
      to: z.string().optional(),
      text: z.string().optional(),
      model: z.string().optional(),
      route: z.enum(['message', 'channels', 'webhooks', 'fate']).optional(),
    })
    .optional(),
  ms: z.number().min(0).optional(),
  status: z.number().int().min(200).max(599).optional(),
  code: z.string().optional(),
  description: z.string().optional(),
  after: z.boolean().optional(),
  copies: z.number().int().min(1).max(100).optional(),
  size: z.number().int().min(2).max(1_000).optional(),
  afterTokens: z.number().int().min(0).optional(),
  /** Up to this many additional tokens, chosen at random. */
  spread: z.number().int().min(0).max(10_000).optional(),
  says: z.string().max(100_000).optional(),
  /** Tools that the model calls with `says`, whatever the request. */
  calls: z.array(z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
  retryAfterSeconds: z.number().min(0).optional(),
});
export type Fault = z.infer<typeof faultSchema>;
export type FaultKind = Fault['kind'];

export const contentKinds = [
  'text',
  'image',
  'audio',
  'video',
  'document',
  'vcard',
  'geo',
  'wapi_template',
  'unsupported',
  'missing_call',
  'system',
  'unknown',
] as const;

/** One bubble on a phone. `author`: the lead, our API, or a person at the business phone. */
export interface PhoneMessage {
  messageId: string;
  account: string;
  channelId: string;
  chatId: string;
  chatType: string;
  author: 'lead' | 'api' | 'operator';
  type: (typeof contentKinds)[number];
  text?: string | undefined;
  contentUri?: string | undefined;
  at: string;
  status: 'accepted' | 'sent' | 'delivered' | 'read' | 'error' | 'inbound';
  error?: string | undefined;
  crmMessageId?: string | undefined;
  callbackUrl?: string | undefined;
  edited: boolean;
  deleted: boolean;
}

export const writeSchema = z.strictObject({
  channelId: z.string(),
  name: z.string().optional(),
  text: z.string().optional(),
  type: z.enum(contentKinds).optional(),
  contentUri: z.string().optional(),
  /** The vendor's id; generated if absent. */
  messageId: z.string().optional(),
  /** When it was written, ISO-8601; now if absent. */
  at: z.iso.datetime().optional(),
  /** Whether ChatPush omits the lead's number. */
  hiddenPhone: z.boolean().optional(),
  /** Whether WhatsApp shows the lead under a privacy id; `hiddenPhone` omits the number beside it. */
  privacyId: z.boolean().optional(),
  /** Type of a group (`whatsgroup`, `telegroup`, `maxgroup`), with its own chat id. */
  chatType: z.string().optional(),
  /**
   * The chat, if it is not the lead's own or is known otherwise: a group's, a story's, a service's; a business-scoped id;
   * another national form of the number; another account.
   */
  chatId: z.string().optional(),
  /** The number or username that hooks show, if it was another lead's before. */
  shownAs: z.string().optional(),
});
export type Write = z.infer<typeof writeSchema>;

/** A message of a person at the business phone. */
export interface Typed {
  readonly channelId: string;
  readonly text: string;
  /** Whether it was written in the vendor's own chat window, not on the handset. */
  readonly sentFromApp?: boolean | undefined;
  /** False as Wazzup24 was seen to report some messages of the phone, against its documents. */
  readonly isEcho?: boolean | undefined;
  readonly authorName?: string | undefined;
  /** Whether another program with the same ChatPush account sent it. */
  readonly otherSystem?: boolean | undefined;
}

export interface Notice {
  readonly messageId: string;
  /** The new text; if absent, the message is deleted. */
  readonly text?: string | undefined;
}

export const channelStateSchema = z.object({ state: z.string() });
export type ChannelState = z.infer<typeof channelStateSchema>;

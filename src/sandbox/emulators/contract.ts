/**
 * Shapes of the emulators' control API. Times named `at` are ISO-8601 UTC
 * on the domain clock; fields ending in `Ms` are milliseconds of real time.
 */
import { z } from 'zod';
import { amocrmSettings, defaultAmocrm } from './amocrm/settings.ts';
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
  messagesAndStatuses: z.boolean(),
  contactsAndDealsCreation: z.boolean(),
  channelsUpdates: z.boolean(),
  templateStatus: z.boolean(),
});
export type Subscriptions = z.infer<typeof subscriptionsSchema>;

export interface AccountView {
  key: string;
  channels: Channel[];
  webhooksUri: string | null;
  subscriptions: Subscriptions;
}

export const settingsSchema = z.object({
  statuses: z.object({
    sentMs: z.number().min(0),
    deliveredMs: z.number().min(0),
    readMs: z.number().min(0),
    /** `auto`: read after `readMs`. */
    read: z.enum(['auto', 'never']),
  }),
  /** How a message sent through the API returns as a `messages[]` item (fact sheet, 6.4). */
  echo: z.enum(['off', 'echo', 'plain']),
  key: z.object({ windowMs: z.number().min(0), dedupe: z.boolean() }),
  rateLimit: z.object({ requests: z.number().int().min(1), perMs: z.number().min(1) }),
  hooks: z.object({
    retries: z.number().int().min(0),
    pauseMs: z.number().min(0),
    timeoutMs: z.number().min(1),
  }),
  llm: z.object({ msPerToken: z.number().min(0), firstTokenMs: z.number().min(0) }),
  /**
   * amoCRM's settings: lifetime of access tokens, calls per second, pauses of hooks, and whether the plan includes
   * hooks.
   */
  amocrm: amocrmSettings.default(defaultAmocrm),
  /** Milliseconds without use of the control API after which the emulators end; 0 means never. */
  idleMs: z.number().min(0),
  /** Seed of all random choices, so that a run can be repeated. */
  seed: z.number().int(),
});
export type Settings = z.infer<typeof settingsSchema>;

/** Settings to change; the others are kept. */
export type SettingsPatch = {
  readonly [K in keyof Settings]?: Settings[K] extends object ? Partial<Settings[K]> : Settings[K];
};

export const defaultSettings: Settings = {
  statuses: { sentMs: 100, deliveredMs: 400, readMs: 900, read: 'auto' },
  echo: 'echo',
  key: { windowMs: 60_000, dedupe: true },
  rateLimit: { requests: 500, perMs: 5_000 },
  hooks: { retries: 3, pauseMs: 2_000, timeoutMs: 30_000 },
  llm: { msPerToken: 15, firstTokenMs: 0 },
  amocrm: defaultAmocrm,
  idleMs: 600_000,
  seed: 1,
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

const written = z.strictObject({
  text: z.string().optional(),
  type: z.enum(contentKinds).optional(),
  contentUri: z.string().optional(),
  /** The vendor's id; generated if absent. */
  messageId: z.string().optional(),
  /** When it was written, ISO-8601; now if absent. */
  at: z.iso.datetime().optional(),
});

export const writeSchema = written.extend({
  channelId: z.string(),
  name: z.string().optional(),
  /** Several messages in one hook body; the fields of a single message must then be absent. */
  messages: z.array(written).min(1).max(500).optional(),
  /** Whether ChatPush omits the lead's number. */
  hiddenPhone: z.boolean().optional(),
  /** Type of a group (`whatsgroup`, `telegroup`, `maxgroup`), with its own chat id. */
  chatType: z.string().optional(),
  chatId: z.string().optional(),
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

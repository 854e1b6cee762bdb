/**
 * What crosses the emulators' control API: shapes shared by the server and by `controlClient`.
 * Times named `at` are ISO-8601 UTC on the domain clock; fields ending in `Ms` are milliseconds of real time.
 */
import { z } from 'zod';
import { amocrmSettings, crmFaults, defaultAmocrm } from './amocrm/settings.ts';

/** Transports of Wazzup24 that carry one person to one chat (fact sheet, section 3). */
const transportSchema = z.enum([
  'whatsapp',
  'wapi',
  'tgapi',
  'telegram',
  'max',
  'maxbot',
  'instagram',
  'vk',
  'avito',
  'viber',
]);
export type Transport = z.infer<typeof transportSchema>;

const channelSchema = z.object({
  channelId: z.string().min(1),
  transport: transportSchema,
  plainId: z.string(),
  name: z.string().default(''),
  state: z.string().default('active'),
});
export type Channel = z.infer<typeof channelSchema>;

export const accountSchema = z.object({
  channels: z.array(channelSchema),
  /** A sidecar key reaches channels, messages and hooks only; every other route is 403. */
  sidecar: z.boolean().default(false),
});
export type AccountInput = z.input<typeof accountSchema>;

export const subscriptionsSchema = z.object({
  messagesAndStatuses: z.boolean(),
  contactsAndDealsCreation: z.boolean(),
  channelsUpdates: z.boolean(),
  templateStatus: z.boolean(),
});
export type Subscriptions = z.infer<typeof subscriptionsSchema>;

export const accountViewSchema = z.object({
  key: z.string(),
  channels: z.array(channelSchema),
  sidecar: z.boolean(),
  webhooksUri: z.string().nullable(),
  subscriptions: subscriptionsSchema,
});
export type AccountView = z.infer<typeof accountViewSchema>;

export const settingsSchema = z.object({
  statuses: z.object({
    sentMs: z.number().min(0),
    deliveredMs: z.number().min(0),
    readMs: z.number().min(0),
    /** `auto`: read after `readMs`; `opened`: when the phone opens the chat; `never`. */
    read: z.enum(['auto', 'opened', 'never']),
  }),
  /** How a message sent through the API comes back as a `messages[]` item (fact sheet, 6.4). */
  echo: z.enum(['off', 'echo', 'plain']),
  key: z.object({ windowMs: z.number().min(0), dedupe: z.boolean() }),
  rateLimit: z.object({ requests: z.number().int().min(1), perMs: z.number().min(1) }),
  hooks: z.object({
    retries: z.number().int().min(0),
    pauseMs: z.number().min(0),
    timeoutMs: z.number().min(1),
  }),
  /** The name `GET /v3/webhooks` gives the template flag: as documented, or as seen live. */
  templateFlag: z.enum(['templateStatus', 'wabaTemplatesStatus']),
  llm: z.object({ msPerToken: z.number().min(0), firstTokenMs: z.number().min(0) }),
  /** Of amoCRM: how long an access token lives, calls a second, pauses of hooks, and whether the tariff has hooks. */
  amocrm: amocrmSettings.default(defaultAmocrm),
  /** The emulators end when nobody used their control API for so long; 0 = never. */
  idleMs: z.number().min(0),
  /** Seed of every choice made by chance, so that a run can be repeated. */
  seed: z.number().int(),
});
export type Settings = z.infer<typeof settingsSchema>;

export const settingsPatchSchema = z.strictObject({
  statuses: settingsSchema.shape.statuses.partial().strict().optional(),
  echo: settingsSchema.shape.echo.optional(),
  key: settingsSchema.shape.key.partial().strict().optional(),
  rateLimit: settingsSchema.shape.rateLimit.partial().strict().optional(),
  hooks: settingsSchema.shape.hooks.partial().strict().optional(),
  templateFlag: settingsSchema.shape.templateFlag.optional(),
  llm: settingsSchema.shape.llm.partial().strict().optional(),
  amocrm: amocrmSettings.partial().strict().optional(),
  idleMs: settingsSchema.shape.idleMs.optional(),
  seed: settingsSchema.shape.seed.optional(),
});
export type SettingsPatch = z.infer<typeof settingsPatchSchema>;

export const defaultSettings: Settings = {
  statuses: { sentMs: 100, deliveredMs: 400, readMs: 900, read: 'auto' },
  echo: 'echo',
  key: { windowMs: 60_000, dedupe: true },
  rateLimit: { requests: 500, perMs: 5_000 },
  hooks: { retries: 3, pauseMs: 2_000, timeoutMs: 30_000 },
  templateFlag: 'templateStatus',
  llm: { msPerToken: 15, firstTokenMs: 0 },
  amocrm: defaultAmocrm,
  idleMs: 600_000,
  seed: 1,
};

/** Faults of the messengers' vendor, with what their parameters mean to them. */
const messengerFaults = [
  /** Message accepted and delivered, then the socket is destroyed without an answer. */
  'wazzup24.lose_answer',
  /** 5xx (`status`, default 500) and nothing accepted. */
  'wazzup24.fail_before',
  /** Message accepted and delivered, then 5xx (`status`, default 500). */
  'wazzup24.fail_after',
  /** 429 and nothing accepted; `retryAfterSeconds` adds the header. */
  'wazzup24.rate_limited',
  /** The answer comes `ms` late; the message is accepted at once with `after`, else after the wait. */
  'wazzup24.delay',
  /** 200 with a body that is no JSON; the message is accepted with `after` only. */
  'wazzup24.rubbish',
  /** No answer ever; the message is accepted with `after` only. */
  'wazzup24.hang',
  /** Refused with `code` (default BAD_CONTACT), `description` and `status` (default 400). */
  'wazzup24.refuse',
  /** Accepted, never reaches the phone; status `error` with `code` (default BAD_CONTACT) follows. */
  'wazzup24.fail_later',
  /** The `sent` status hook is answered (or given 2 s) before the send is answered. */
  'wazzup24.status_first',
  /** Status hooks leave as read, delivered, sent. */
  'wazzup24.statuses_reordered',
  /** The channel says that it is connected, takes messages, and none of them ever arrives. */
  'wazzup24.dead_channel',
  /** Message accepted and delivered, then the socket is destroyed without an answer. */
  'chatpush.lose_answer',
  /** 5xx (`status`, default 500) and nothing accepted. */
  'chatpush.fail_before',
  /** Message accepted and delivered, then 5xx (`status`, default 500). */
  'chatpush.fail_after',
  /** 429 and nothing accepted; `retryAfterSeconds` adds the header. */
  'chatpush.rate_limited',
  /** The answer comes `ms` late; the message is accepted at once with `after`, else after the wait. */
  'chatpush.delay',
  /** 200 with a body that is no JSON; the message is accepted with `after` only. */
  'chatpush.rubbish',
  /** No answer ever; the message is accepted with `after` only. */
  'chatpush.hang',
  /** Refused: 422 (`status`) about the field `code` (default phone). */
  'chatpush.refuse',
  /** Refusals come with HTTP 200. */
  'chatpush.fail_as_200',
  /** Accepted, never reaches the phone; the status id `code` (default 44) follows. */
  'chatpush.fail_later',
  /** The first status is told before the send is answered. */
  'chatpush.status_first',
  /** Statuses are told as read, delivered, sent. */
  'chatpush.statuses_reordered',
  /** The session says that it is there, messages are taken, and none ever arrives. */
  'chatpush.dead_channel',
  /** What goes out by WhatsApp comes back as a message too, as it did until 2026-07. */
  'chatpush.echo',
  /** What goes out by Telegram does not come back. */
  'chatpush.no_echo',
  /** Callback addresses are told nothing. */
  'chatpush.no_callback',
  /** Callbacks leave `external_id` out. */
  'chatpush.callback_without_key',
  /** A second send with the same `external_id` is answered with the first. */
  'chatpush.same_for_key',
  /** Each hook is delivered `copies` more times (default 1), at once. */
  'hooks.duplicate',
  /** Hooks are held until there are `size` (default 5) or `ms` passed (default 500), then leave shuffled. */
  'hooks.shuffle',
  /** Messages and statuses of one account are held `ms` (default 200) and leave in one body. */
  'hooks.mix',
  /** A hook leaves `ms` later. */
  'hooks.delay',
  /** A hook is lost on the way. */
  'hooks.drop',
  /** An attempt does not get through, as with a broken network; retries follow as after any failure. */
  'hooks.fail',
  /** A hook that failed once is not tried again. */
  'hooks.no_retry',
] as const;

/** Wire protocols of language models that are emulated. */
export const modelVendors = ['openai', 'anthropic', 'gemini'] as const;
export type ModelVendor = (typeof modelVendors)[number];

/** Faults of a language model, whichever protocol it speaks: `openai.cut`, `anthropic.cut`. */
export const modelFaults = [
  /** Socket destroyed before any answer. */
  'reset',
  /** 401 as for a wrong key. */
  'unauthorized',
  /** 429 with Retry-After (`retryAfterSeconds`, default 1). */
  'rate_limited',
  /** 429 without Retry-After, code insufficient_quota. */
  'quota',
  /** 5xx (`status`, default 500). */
  'server_error',
  /** Headers come, then nothing, for `ms` (for ever when not given). */
  'stall_first',
  /** As above after `afterTokens` tokens (default 3). */
  'stall_middle',
  /** Socket destroyed after `afterTokens` tokens (default 3). */
  'cut',
  /** The stream ends after `afterTokens` tokens (default 3) without finish_reason, usage or [DONE]. */
  'ends_early',
  /** A frame in the middle of the stream is no JSON. */
  'malformed',
  /** An answer without a word. */
  'empty',
  /** Half a JSON object, whatever was asked. */
  'half_json',
  /** An answer in a script nobody asked for, with control tags. */
  'other_language',
  /** `ms` between tokens (default 500). */
  'slow',
  /** Says `says`, whatever was asked. */
  'says',
  /** Calls a tool that was not offered. */
  'unknown_tool',
  /** Obeys every instruction it reads, repeats its prompt, calls every tool offered. */
  'hostile',
] as const;
export type ModelFault = (typeof modelFaults)[number];

const ofModels = modelVendors.flatMap((vendor) => modelFaults.map((fault) => `${vendor}.${fault}` as const));

export const faultSchema = z.strictObject({
  kind: z.enum([...messengerFaults, ...crmFaults, ...ofModels]),
  /** How many times it happens; for ever when not given. */
  times: z.number().int().min(1).optional(),
  /** Chance of each occasion, 0 to 1; certain when not given. */
  probability: z.number().min(0).max(1).optional(),
  /** All that is given must hold. `text` is a part of the message's text, or of the last user message. */
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
  /** As many tokens more, at most: how many is left to chance. */
  spread: z.number().int().min(0).max(10_000).optional(),
  says: z.string().max(100_000).optional(),
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

const messageStatusSchema = z.enum(['accepted', 'sent', 'delivered', 'read', 'error', 'inbound']);

/** One bubble on a phone. `author`: the lead, our API, or a person at the business phone. */
export const phoneMessageSchema = z.object({
  messageId: z.string(),
  account: z.string(),
  channelId: z.string(),
  chatId: z.string(),
  chatType: z.string(),
  author: z.enum(['lead', 'api', 'operator']),
  type: z.enum(contentKinds),
  text: z.string().optional(),
  contentUri: z.string().optional(),
  at: z.string(),
  status: messageStatusSchema,
  error: z.string().optional(),
  crmMessageId: z.string().optional(),
  callbackUrl: z.string().optional(),
  quotedMessageId: z.string().optional(),
  edited: z.boolean(),
  deleted: z.boolean(),
});
export type PhoneMessage = z.infer<typeof phoneMessageSchema>;

export const phoneSchema = z.object({
  address: z.string(),
  name: z.string(),
  chats: z.array(
    z.object({
      channelId: z.string(),
      chatId: z.string(),
      messages: z.number().int(),
      unread: z.number().int(),
      lastAt: z.string().nullable(),
      lastText: z.string().nullable(),
    }),
  ),
});
export type Phone = z.infer<typeof phoneSchema>;

const written = z.strictObject({
  text: z.string().optional(),
  type: z.enum(contentKinds).optional(),
  contentUri: z.string().optional(),
  /** The vendor's id; minted when not given. */
  messageId: z.string().optional(),
  /** When it was written, ISO-8601; now when not given. */
  at: z.iso.datetime().optional(),
  quotedMessageId: z.string().optional(),
});

export const writeSchema = written.extend({
  channelId: z.string(),
  name: z.string().optional(),
  /** Several at once, all in one hook body; then the single message's fields stay away. */
  messages: z.array(written).min(1).max(500).optional(),
  /** ChatPush leaves the lead's number out. */
  hiddenPhone: z.boolean().optional(),
  /** A group's type (`whatsgroup`, `telegroup`, `maxgroup`) with its own chat id. */
  chatType: z.string().optional(),
  chatId: z.string().optional(),
});
export type Write = z.infer<typeof writeSchema>;

export const writtenSchema = z.object({
  messageIds: z.array(z.string()),
  chatId: z.string(),
  /** False when the account has no hook address or does not subscribe to messages: nobody will be told. */
  hooked: z.boolean(),
});

export const typedSchema = z.strictObject({
  channelId: z.string(),
  text: z.string().min(1),
  messageId: z.string().optional(),
  /** Written in the vendor's own chat window, not on the handset. */
  sentFromApp: z.boolean().optional(),
  authorName: z.string().optional(),
  /** Sent by another program with the same ChatPush account. */
  otherSystem: z.boolean().optional(),
  /** What the flag says; true in the Russian documents and live, false is seen too. */
  isEcho: z.boolean().optional(),
});
export type Typed = z.infer<typeof typedSchema>;

export const receiptSchema = z.strictObject({
  status: z.enum(['sent', 'delivered', 'read', 'error']),
  /** Which of our messages; all that stand lower when not given. */
  messageIds: z.array(z.string()).optional(),
  channelId: z.string().optional(),
  code: z.string().optional(),
});
export type Receipt = z.infer<typeof receiptSchema>;

export const noticeSchema = z.strictObject({
  messageId: z.string(),
  /** The new text; absent means that the message is taken back. */
  text: z.string().optional(),
});
export type Notice = z.infer<typeof noticeSchema>;

export const knownPhoneSchema = z.strictObject({ name: z.string() });

export const channelStateSchema = z.strictObject({
  state: z.string(),
  /** Adds a picture to pair with; implied by the state `qr`. */
  qr: z.boolean().optional(),
  tier: z.string().optional(),
});
export type ChannelState = z.infer<typeof channelStateSchema>;

export const clockSchema = z.object({ offset_ms: z.number(), now: z.string() });
export const quietSchema = z.object({
  quiet: z.boolean(),
  hooks: z.number().int(),
  timers: z.number().int(),
  streams: z.number().int(),
});
export const pingSchema = z.object({
  pid: z.number().int(),
  version: z.string(),
  startedAt: z.string(),
  seq: z.number().int(),
});
export const okSchema = z.object({ ok: z.literal(true) });
export const refusalSchema = z.object({ detail: z.string() });

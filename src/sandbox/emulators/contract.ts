/**
 * Shapes of the emulators' control API, shared by the server and by `controlClient`. Times named `at` are ISO-8601 UTC
 * on the domain clock; fields ending in `Ms` are milliseconds of real time.
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
  /** How a message sent through the API returns as a `messages[]` item (fact sheet, 6.4). */
  echo: z.enum(['off', 'echo', 'plain']),
  key: z.object({ windowMs: z.number().min(0), dedupe: z.boolean() }),
  rateLimit: z.object({ requests: z.number().int().min(1), perMs: z.number().min(1) }),
  hooks: z.object({
    retries: z.number().int().min(0),
    pauseMs: z.number().min(0),
    timeoutMs: z.number().min(1),
  }),
  /** Name of the template flag in `GET /v3/webhooks`: as documented, or as seen live. */
  templateFlag: z.enum(['templateStatus', 'wabaTemplatesStatus']),
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

/** Faults of the messengers' vendors, with the meaning of their parameters. */
const messengerFaults = [
  /** Accept and deliver the message, then close the socket without an answer. */
  'wazzup24.lose_answer',
  /** Answer 5xx (`status`, default 500) and accept nothing. */
  'wazzup24.fail_before',
  /** Accept and deliver the message, then answer 5xx (`status`, default 500). */
  'wazzup24.fail_after',
  /** Answer 429 and accept nothing; `retryAfterSeconds` adds the header. */
  'wazzup24.rate_limited',
  /** Delay the answer by `ms`; the message is accepted at once with `after`, otherwise after the wait. */
  'wazzup24.delay',
  /** Answer 200 with a body that is not JSON; the message is accepted with `after` only. */
  'wazzup24.rubbish',
  /** Never answer; the message is accepted with `after` only. */
  'wazzup24.hang',
  /** Refuse with `code` (default BAD_CONTACT), `description` and `status` (default 400). */
  'wazzup24.refuse',
  /** Accept the message but never deliver it; status `error` with `code` (default BAD_CONTACT) follows. */
  'wazzup24.fail_later',
  /** Send the `sent` status hook, and wait for its answer (at most 2 s), before answering the send. */
  'wazzup24.status_first',
  /** Send status hooks in the order read, delivered, sent. */
  'wazzup24.statuses_reordered',
  /** Report the channel as connected and accept messages, but never deliver them. */
  'wazzup24.dead_channel',
  /** Accept and deliver the message, then close the socket without an answer. */
  'chatpush.lose_answer',
  /** Answer 5xx (`status`, default 500) and accept nothing. */
  'chatpush.fail_before',
  /** Accept and deliver the message, then answer 5xx (`status`, default 500). */
  'chatpush.fail_after',
  /** Answer 429 and accept nothing; `retryAfterSeconds` adds the header. */
  'chatpush.rate_limited',
  /** Delay the answer by `ms`; the message is accepted at once with `after`, otherwise after the wait. */
  'chatpush.delay',
  /** Answer 200 with a body that is not JSON; the message is accepted with `after` only. */
  'chatpush.rubbish',
  /** Never answer; the message is accepted with `after` only. */
  'chatpush.hang',
  /** Refuse with 422 (`status`) about the field `code` (default phone). */
  'chatpush.refuse',
  /** Send refusals with HTTP 200. */
  'chatpush.fail_as_200',
  /** Accept the message but never deliver it; the status id `code` (default 44) follows. */
  'chatpush.fail_later',
  /** Report the first status before answering the send. */
  'chatpush.status_first',
  /** Report statuses in the order read, delivered, sent. */
  'chatpush.statuses_reordered',
  /** Report the session as signed in and accept messages, but never deliver them. */
  'chatpush.dead_channel',
  /** Report messages sent by WhatsApp as messages too, as the vendor did until 2026-07. */
  'chatpush.echo',
  /** Do not report messages sent by Telegram. */
  'chatpush.no_echo',
  /** Send nothing to callback addresses. */
  'chatpush.no_callback',
  /** Omit `external_id` from callbacks. */
  'chatpush.callback_without_key',
  /** Answer a second send with the same `external_id` with the first one. */
  'chatpush.same_for_key',
  /** Deliver each hook `copies` more times (default 1), at once. */
  'hooks.duplicate',
  /** Collect hooks until there are `size` (default 5) or `ms` passed (default 500), then send them shuffled. */
  'hooks.shuffle',
  /** Collect messages and statuses of one account for `ms` (default 200) and send them in one body. */
  'hooks.mix',
  /** Delay a hook by `ms`. */
  'hooks.delay',
  /** Lose a hook on the way. */
  'hooks.drop',
  /** Fail an attempt as with a broken network; retries follow as after any failure. */
  'hooks.fail',
  /** Do not retry a hook that failed once. */
  'hooks.no_retry',
] as const;

/** Emulated wire protocols of language models. */
export const modelVendors = ['openai', 'anthropic', 'gemini'] as const;
export type ModelVendor = (typeof modelVendors)[number];

/** Faults of a language model, for every protocol: `openai.cut`, `anthropic.cut`. */
export const modelFaults = [
  /** Close the socket before any answer. */
  'reset',
  /** Answer 401 as for a wrong key. */
  'unauthorized',
  /** Answer 429 with Retry-After (`retryAfterSeconds`, default 1). */
  'rate_limited',
  /** Answer 429 without Retry-After, code insufficient_quota. */
  'quota',
  /** Answer 5xx (`status`, default 500). */
  'server_error',
  /** Send the headers, then nothing for `ms` (without end if absent). */
  'stall_first',
  /** Stall as above after `afterTokens` tokens (default 3). */
  'stall_middle',
  /** Close the socket after `afterTokens` tokens (default 3). */
  'cut',
  /** End the stream after `afterTokens` tokens (default 3) without finish_reason, usage or [DONE]. */
  'ends_early',
  /** Send a frame that is not JSON in the middle of the stream. */
  'malformed',
  /** Answer without any text. */
  'empty',
  /** Answer with half a JSON object, whatever the request. */
  'half_json',
  /** Answer in an unexpected script, with control tags. */
  'other_language',
  /** Wait `ms` between tokens (default 500). */
  'slow',
  /** Answer with `says`, and call the tools of `calls`, whatever the request. */
  'says',
  /** Call a tool that was not offered. */
  'unknown_tool',
  /** Obey every instruction in the request, repeat the prompt, and call every offered tool. */
  'hostile',
] as const;
export type ModelFault = (typeof modelFaults)[number];

const ofModels = modelVendors.flatMap((vendor) => modelFaults.map((fault) => `${vendor}.${fault}` as const));

export const faultSchema = z.strictObject({
  kind: z.enum([...messengerFaults, ...crmFaults, ...ofModels]),
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
  /** The vendor's id; generated if absent. */
  messageId: z.string().optional(),
  /** When it was written, ISO-8601; now if absent. */
  at: z.iso.datetime().optional(),
  quotedMessageId: z.string().optional(),
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

export const writtenSchema = z.object({
  messageIds: z.array(z.string()),
  chatId: z.string(),
  /** False if the account has no hook address or does not subscribe to messages, so that no hook is sent. */
  hooked: z.boolean(),
});

export const typedSchema = z.strictObject({
  channelId: z.string(),
  text: z.string().min(1),
  messageId: z.string().optional(),
  /** Whether it was written in the vendor's own chat window, not on the handset. */
  sentFromApp: z.boolean().optional(),
  authorName: z.string().optional(),
  /** Whether another program with the same ChatPush account sent it. */
  otherSystem: z.boolean().optional(),
  /** Value of the flag: true in the Russian documentation and live; false was seen too. */
  isEcho: z.boolean().optional(),
});
export type Typed = z.infer<typeof typedSchema>;

export const receiptSchema = z.strictObject({
  status: z.enum(['sent', 'delivered', 'read', 'error']),
  /** Which of our messages; all with a lower status if absent. */
  messageIds: z.array(z.string()).optional(),
  channelId: z.string().optional(),
  code: z.string().optional(),
});
export type Receipt = z.infer<typeof receiptSchema>;

export const noticeSchema = z.strictObject({
  messageId: z.string(),
  /** The new text; if absent, the message is deleted. */
  text: z.string().optional(),
});
export type Notice = z.infer<typeof noticeSchema>;

export const knownPhoneSchema = z.strictObject({ name: z.string() });

export const channelStateSchema = z.strictObject({
  state: z.string(),
  /** Whether to add a pairing picture; implied by the state `qr`. */
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

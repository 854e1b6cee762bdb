/** The journal's entries: everything that changes the emulators' state, with their requests and answers. */
import { z } from 'zod';
import { changeSchema } from './amocrm/changes.ts';
import { chatpushAccountSchema } from './chatpush/contract.ts';
import {
  accountSchema,
  channelStateSchema,
  contentKinds,
  faultSchema,
  settingsSchema,
  subscriptionsSchema,
} from './contract.ts';
import { modelVendors } from './faultKinds.ts';

const base = { seq: z.number().int(), at: z.string(), real: z.number() };

const entry = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.object({ kind: z.literal(kind), ...base, ...shape });

const message = {
  vendor: z.enum(['wazzup24', 'chatpush']),
  account: z.string(),
  channelId: z.string(),
  chatType: z.string(),
  chatId: z.string(),
  messageId: z.string(),
  text: z.string().optional(),
  contentUri: z.string().optional(),
};

const sent = {
  ...message,
  /** Address of the phone: digits with country code, or a lower-case username. */
  to: z.string(),
  crmMessageId: z.string().optional(),
  callbackUrl: z.string().optional(),
};

const typed = { ...message, address: z.string(), type: z.enum(contentKinds), writtenAt: z.string() };

export const entrySchema = z.discriminatedUnion('kind', [
  /** A message sent through the API reached the lead's phone. */
  entry('reached', sent),
  /** A message was accepted and will never reach its phone. */
  entry('undeliverable', { ...sent, code: z.string() }),
  /** A call was refused without any effect. */
  entry('refused', {
    vendor: z.enum(['wazzup24', 'chatpush', ...modelVendors]),
    account: z.string(),
    route: z.string(),
    status: z.number().int(),
    code: z.string(),
    crmMessageId: z.string().optional(),
  }),
  /** The lead wrote. */
  entry('inbound', { ...typed, name: z.string() }),
  /** A person wrote at the business phone or in the vendor's window. */
  entry('typed', { ...typed, sentFromApp: z.boolean() }),
  entry('status', {
    messageId: z.string(),
    status: z.enum(['sent', 'delivered', 'read', 'error']),
    code: z.string().optional(),
  }),
  /** The customer polled the delivery status of a message. */
  entry('fate_told', { messageId: z.string(), status: z.string() }),
  entry('edited', { messageId: z.string(), text: z.string() }),
  entry('deleted', { messageId: z.string() }),
  entry('phone', { address: z.string(), name: z.string() }),
  entry('account', { key: z.string(), account: accountSchema }),
  entry('chatpush_account', { token: z.string(), account: chatpushAccountSchema }),
  /** Null if it is removed. */
  entry('chatpush_webhook', {
    token: z.string(),
    id: z.int(),
    webhook: z.object({ url: z.string(), types: z.array(z.string()) }).nullable(),
  }),
  entry('channel_state', { account: z.string(), channelId: z.string(), change: channelStateSchema }),
  entry('webhooks', { account: z.string(), webhooksUri: z.string().nullable(), subscriptions: subscriptionsSchema }),
  /** A hook was queued for the account's address. */
  entry('hook_queued', {
    hookId: z.string(),
    account: z.string(),
    lane: z.string(),
    body: z.record(z.string(), z.unknown()),
    /** Address, if it is not the account's only one, and the number of retries. */
    url: z.string().optional(),
    retries: z.number().int().optional(),
    copyOf: z.string().optional(),
  }),
  /** One attempt to deliver; `status` is null if there was no answer. */
  entry('hook_answered', {
    hookIds: z.array(z.string()),
    attempt: z.number().int(),
    status: z.number().int().nullable(),
    error: z.string().optional(),
    tookMs: z.number(),
    /** How the hook was settled; absent if another attempt follows. */
    settled: z.enum(['delivered', 'given_up', 'dropped']).optional(),
  }),
  /** A model answered a request. */
  entry('completion', {
    /** Key of the request. */
    account: z.string().default(''),
    id: z.string(),
    model: z.string(),
    stream: z.boolean(),
    messages: z.array(z.unknown()),
    answer: z.string(),
    toolCalls: z.array(z.string()),
    promptTokens: z.number().int(),
    completionTokens: z.number().int(),
    /** False if the stream was cut, by a fault or by the caller. */
    whole: z.boolean(),
  }),
  /** A change in amoCRM, or a call of its API. */
  entry('amocrm', { change: changeSchema }),
  /** A message for a browser reached its push service. */
  entry('push', {
    id: z.string(),
    status: z.int(),
    ttl: z.number(),
    urgency: z.string(),
    topic: z.string().optional(),
    /** As encrypted, base64. */
    body: z.string(),
  }),
  entry('settings', { settings: settingsSchema }),
  /** A fault of an earlier version that no longer exists is left out, so that its journal can be read. */
  entry('faults', {
    faults: z.array(faultSchema.nullable().catch(null)).transform((all) => all.filter((fault) => fault !== null)),
  }),
  entry('fault_fired', { index: z.number().int(), fault: z.string() }),
  entry('clock', { offset: z.number() }),
]);

export type Entry = z.infer<typeof entrySchema>;
export type EntryOf<K extends Entry['kind']> = Extract<Entry, { kind: K }>;
type Draft<E> = E extends Entry ? Omit<E, 'seq' | 'at' | 'real'> : never;
/** An entry before the journal has added its number and time. */
export type EntryDraft = Draft<Entry>;

/** Contract of dialogues and messages. */
import { z } from 'zod';
import { channelTypes, channelVendors } from '../channels/contract.ts';
import { markups } from '../channels/markup.ts';
import { contactTypes, lead, stages } from '../leads/contract.ts';
import { ownerReasonCodes } from '../leads/lead.ts';
import {
  endpoint,
  errorReply,
  externalId,
  instant,
  nameShape,
  reference,
  sendTime,
  smallCount,
  text,
  uncheckedId,
} from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';
import { attention, inboxStates } from './attentionContract.ts';
import { dialogueHandOver } from './handOverContract.ts';
import { messageChanges } from './messageChangeContract.ts';

// ---------------------------------------------------------------- messages

/** `user` is the lead; every message of ours, by the bot or an operator, is `bot`. */
export const sides = ['user', 'bot'] as const;
export const authors = ['lead', 'bot', 'operator', 'phone', 'other'] as const;
export type Author = (typeof authors)[number];

/**
 * The status of a message. Outbound messages go scheduled → sending → sent → delivered → read, or end in error,
 * cancelled or unconfirmed (may have been delivered; an operator settles it). Inbound messages are `inbound`.
 */
export const messageStatuses = [
  'scheduled',
  'sending',
  'sent',
  'delivered',
  'read',
  'error',
  'cancelled',
  'unconfirmed',
  'inbound',
] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** Kinds of messages that nobody asked for: outreach's, and the sentence that the lead gets with a hand-over by the bot. */
export const origins = ['first', 'ping', 'hand_over'] as const;
export type Origin = (typeof origins)[number];

export const message = z.object({
  id: z.int(),
  product_id: z.int(),
  contact_id: z.int(),
  dialogue_id: z.int(),
  /** Joined for lists. */
  lead_name: z.string(),
  message: z.string(),
  side: z.enum(sides),
  author: z.enum(authors),
  /** Login of the operator who wrote it. */
  operator: z.string().nullable(),
  status: z.enum(messageStatuses),
  sent: z.boolean(),
  is_failed: z.boolean(),
  /** Why it was cancelled, failed or deferred; a sentence. */
  reason: z.string().nullable(),
  /** The vendor's own error code, if it rejected the message. */
  error_code: z.string().nullable(),
  created_at: instant,
  /** The message's time in the thread: when the lead sent it, or when we did. */
  thread_at: instant,
  scheduled_at: instant.nullable(),
  sent_at: instant.nullable(),
  sent_confirmation_at: instant.nullable(),
  read_at: instant.nullable(),
  retry_count: z.int(),
  ext_id: z.string().nullable(),
  /** The console's own id of an optimistic bubble; the server's row replaces the bubble. */
  client_key: z.string().nullable(),
  prompt_id: z.int().nullable(),
  prompt_name: z.string().nullable(),
  prompt_version: z.int().nullable(),
  model_vendor: z.string().nullable(),
  model_name: z.string().nullable(),
  prepared_message_id: z.int().nullable(),
  ping_config_id: z.int().nullable(),
  ping_step_number: z.int().nullable(),
  /**
   * Set if outreach sent it (a first message or a follow-up), or the bot when it handed the dialogue over. Null for
   * replies, typed messages, and the later parts of a split text.
   */
  origin: z.enum(origins).nullable(),
  reply_on_msg_id: z.int().nullable(),
  rendered_prompt: z.string().nullable(),
  /** What it is: `text`, a medium (`image`, `voice message`, …) with its link, `sticker`, `reaction`, `order`, … */
  kind: z.string(),
  media_url: z.string().nullable(),
  ...messageChanges,
  /**
   * The trace id of this message in the logs, shared with the message it answers. Null if it is older than traces.
   */
  trace: z.string().nullable(),
  /**
   * Cost of the model runs behind it, US dollars; null if no price is known. Only in lists requested with
   * `with_cost`.
   */
  cost: z.number().nullable().optional(),
});
export type Message = z.output<typeof message>;

export const trueByDefault = z.boolean().default(true);
/** true: write although the person asked for no more messages, or may have; else that is refused (409). */
export const confirmOptedOut = z.boolean().default(false);
export const optionalId = (resource: string) => reference(resource).nullable().default(null);

export const sendPayload = z.strictObject({
  product_id: reference('product'),
  contact_id: reference('contact'),
  dialogue_id: optionalId('dialogue'),
  message: text.max(20_000),
  send_not_before: sendTime.nullable().default(null),
  /** As a read returns it: counts where `send_not_before` is null, so that a copy of a message is not sent earlier. */
  scheduled_at: sendTime.nullable().default(null),
  /** The message of the dialogue that this one answers. */
  reply_on_msg_id: optionalId('message'),
  prompt_id: optionalId('prompt'),
  rendered_prompt: z.string().max(200_000).nullable().default(null),
  prepared_message_id: optionalId('prepared_message'),
  ping_config_id: optionalId('ping_config'),
  ping_step_number: smallCount.nullable().default(null),
  delay_enabled: trueByDefault,
  schedule_enabled: trueByDefault,
  split: trueByDefault,
  /** true: with `reply_on_msg_id`, it is cancelled if the lead has written something newer when it is about to leave. */
  debounce_guard: trueByDefault,
  /** The console's own id of the bubble; a repeated key in a dialogue returns the existing message. */
  client_key: z.string().min(1).max(100).nullable().default(null),
  /** The run of a suggested reply (`suggest-reply`) that the text began as: the message names its prompt and model. */
  draft_run_id: optionalId('llm_run'),
  /** true: the bot keeps the dialogue and answers what the lead writes next. */
  keep_bot: z.boolean().default(false),
  /** The newest message that the operator saw: it is refused (409) if a colleague has answered since. */
  seen_message_id: uncheckedId.nullable().default(null),
  confirm_opted_out: confirmOptedOut,
});

export const acceptedMessages = z.object({ dialogue_id: z.int(), messages: z.array(message) });
export type AcceptedMessages = z.output<typeof acceptedMessages>;
nameShape('AcceptedMessages', acceptedMessages);

const declaredMessages = crud({
  resource: 'message',
  plural: 'messages',
  path: '/v1/messages/',
  item: message,
  create: sendPayload,
  update: z.strictObject({}),
  filters: {
    lead_id: reference('lead'),
    channel_id: reference('channel'),
    reply_on_msg_id: reference('message'),
    prompt_id: uncheckedId,
    prepared_message_id: uncheckedId,
    ping_config_id: uncheckedId,
  },
  orderBy: ['id', 'thread_at', 'created_at', 'scheduled_at', 'sent_at', 'status'],
  search: ['message'],
  optionalFields: ['cost'],
});
const { replace: _noReplacement, create: declaredCreate, ...messageCrud } = declaredMessages;

/** Messages are not replaced; `editMessage` changes a scheduled one. */
export const messages = {
  ...messageCrud,
  create: {
    ...declaredCreate,
    summary: 'Send a message by hand, now or later',
    replies: { 201: acceptedMessages, 404: errorReply, 409: errorReply },
  },
};

const messageParams = z.strictObject({ id: reference('message') });

export const editMessage = endpoint({
  operation: 'updateMessage',
  method: 'PATCH',
  path: '/v1/messages/{id}',
  access: 'session',
  summary: 'Change the text or the time of a scheduled message',
  params: messageParams,
  body: z.strictObject({ message: text.max(20_000).optional(), scheduled_at: sendTime.optional() }),
  replies: { 200: message, 404: errorReply, 409: errorReply },
});

export const sendNow = endpoint({
  operation: 'sendMessageNow',
  method: 'POST',
  path: '/v1/messages/{id}/send-now',
  access: 'session',
  summary: 'Send a scheduled message at once',
  params: messageParams,
  replies: { 200: message, 404: errorReply, 409: errorReply },
});

export const retryMessage = endpoint({
  operation: 'retryMessage',
  method: 'POST',
  path: '/v1/messages/{id}/retry',
  access: 'session',
  summary: 'Send a failed or unconfirmed message again',
  params: messageParams,
  replies: { 200: message, 404: errorReply, 409: errorReply },
});

export const markSent = endpoint({
  operation: 'markMessageSent',
  method: 'POST',
  path: '/v1/messages/{id}/mark-sent',
  access: 'session',
  summary: 'Mark an unconfirmed message as sent',
  params: messageParams,
  replies: { 200: message, 404: errorReply, 409: errorReply },
});

// ---------------------------------------------------------------- dialogues

export const owners = ['bot', 'human'] as const;
export type Owner = (typeof owners)[number];

export const dialogue = z.object({
  id: z.int(),
  product_id: z.int(),
  contact_id: z.int(),
  channel_id: z.int(),
  chat_id: z.string().nullable(),
  last_user_msg_id: z.int().nullable(),
  last_user_msg_at: instant.nullable(),
  last_bot_msg_id: z.int().nullable(),
  last_msg_created_at: instant.nullable(),
  skip_ping_for_msg_id: z.int().nullable(),
  is_main: z.boolean(),
  created_at: instant,
  owner: z.enum(owners),
  /** Who or what gave the dialogue to a human: a login, `phone`, `qualified`, `writes again`, a change of the CRM card. */
  owner_reason: z.string().nullable(),
  owner_reason_code: z.enum(ownerReasonCodes).nullable(),
  owner_since: instant.nullable(),
  /** When the bot will answer; null if there is nothing to answer. */
  turn_due_at: instant.nullable(),
  /** `No answer: …`, if the turn could not be answered. */
  no_answer: z.string().nullable(),
  /** Why the lead's last message needs no answer: `No answer needed: …`; null if it does, or was answered. */
  quiet_reason: z.string().nullable(),
  /** Joined for lists. */
  lead_id: z.int(),
  lead_name: z.string(),
  lead_stage: z.enum(stages),
  lead_is_active: z.boolean(),
  contact: z.string(),
  channel_name: z.string(),
  /** Preview of the last message that was sent or received; if there is none, of the last one that failed. */
  last_message: z.string().nullable(),
  /** Set if `last_message` is a message that did not go out. */
  last_message_trouble: z.enum(['error', 'unconfirmed']).nullable(),
  /** What it needs from people; null: nothing. */
  attention: attention.nullable(),
  inbox_state: z.enum(inboxStates),
  /** Its place in the views of the inbox. */
  inbox_at: instant,
  /** The operator who sees to it. */
  assignee_id: z.int().nullable(),
  assignee: z.string().nullable(),
  snoozed_until: instant.nullable(),
  /** Whether the snooze ends when the lead writes. */
  snoozed_until_reply: z.boolean(),
  done_at: instant.nullable(),
  /** When the bot gets it back; null: never, or the bot has it. */
  return_at: instant.nullable(),
  /** Cost of its model runs, US dollars; null if no price is known. Only in lists requested with `with_cost`. */
  cost: z.number().nullable().optional(),
  /** In a search: an excerpt of the matching message; null if the match is in another field. */
  found: z.string().nullable().optional(),
  version: rowVersion,
});
export type Dialogue = z.output<typeof dialogue>;

const dialogueInput = z.strictObject({
  product_id: reference('product'),
  contact_id: reference('contact'),
  channel_id: reference('channel'),
  chat_id: externalId(z.string().trim().min(1).max(200)).nullable().default(null),
  skip_ping_for_msg_id: reference('message').nullable().default(null),
  is_main: z.boolean().default(true),
});

export const dialogues = crud({
  resource: 'dialogue',
  plural: 'dialogues',
  path: '/v1/dialogues/',
  item: dialogue,
  create: dialogueInput,
  update: dialogueInput,
  filters: {
    last_user_msg_id: reference('message'),
    last_bot_msg_id: reference('message'),
    skip_ping_for_msg_id: reference('message'),
    assignee_id: uncheckedId,
    /** true: only dialogues whose last turn could not be answered. */
    unanswered: z.boolean(),
    /** true: only dialogues whose last turn could not be classified. */
    unclassified: z.boolean(),
    /** true: only dialogues with a message in the last 7 days. */
    recent: z.boolean(),
  },
  orderBy: ['last_msg_created_at', 'id', 'created_at', 'last_user_msg_at'],
  search: ['lead_name', 'contact', 'messages'],
  optionalFields: ['cost'],
});

const dialogueParams = z.strictObject({ id: reference('dialogue') });

export const leadOfDialogue = endpoint({
  operation: 'getLeadOfDialogue',
  method: 'GET',
  path: '/v1/dialogues/{id}/lead',
  access: 'session',
  summary: 'The lead of a dialogue',
  params: dialogueParams,
  replies: { 200: lead, 404: errorReply },
});

/** Everything the chat page shows around the thread. */
export const dialogueView = z.object({
  dialogue,
  lead,
  contact: z.object({ id: z.int(), contact: z.string(), contact_type: z.enum(contactTypes) }),
  channel: z.object({
    id: z.int(),
    name: z.string(),
    vendor: z.enum(channelVendors),
    channel_type: z.enum(channelTypes),
    is_session_active: z.boolean(),
    state: z.string().nullable(),
    /** Whether this channel reports when a message was read. */
    reports_read: z.boolean(),
    /** Longest text the vendor accepts in one message, characters. */
    text_limit: z.int(),
    /** What the messenger makes of the signs in a text: `whatsapp`, its own markup (`*bold*`), or `plain`, nothing. */
    markup: z.enum(markups),
  }),
  /** The time zone of working hours: the lead's, else the schedule's, else UTC. */
  lead_timezone: z.string(),
  /** Whether models that write to the lead get the notes about the dialogue. */
  bot_reads_notes: z.boolean(),
  /** The newest hand-over by the bot or by stage detection; null if there was none. */
  hand_over: dialogueHandOver.nullable(),
});
export type DialogueView = z.output<typeof dialogueView>;
nameShape('DialogueView', dialogueView);

export const viewDialogue = endpoint({
  operation: 'getDialogueView',
  method: 'GET',
  path: '/v1/dialogues/{id}/view',
  access: 'session',
  summary: 'A dialogue with its lead, contact and channel',
  params: dialogueParams,
  replies: { 200: dialogueView, 404: errorReply },
});

/**
 * One page of a thread, oldest first. Scheduled messages come last in a page that ends with the newest message, and in
 * one around a message: their place is known when they leave.
 */
const threadPage = z.object({
  items: z.array(message),
  has_more: z.boolean().describe('Whether there are older messages'),
  has_newer: z.boolean().describe('Whether there are newer messages between this page and the scheduled ones'),
});
export type ThreadPage = z.output<typeof threadPage>;
nameShape('ThreadPage', threadPage);

export const readThread = endpoint({
  operation: 'getDialogueThread',
  method: 'GET',
  path: '/v1/dialogues/{id}/thread',
  access: 'session',
  summary: 'The messages of a dialogue in the order of the conversation; by default the newest page',
  params: dialogueParams,
  query: z
    .strictObject({
      before: uncheckedId.optional().describe('Message id: the page ends just before it'),
      after: uncheckedId.optional().describe('Message id: the page begins just after it'),
      around: uncheckedId.optional().describe('Message id: the page has it in its middle'),
      limit: z.int().positive().max(200).default(50),
    })
    .refine((query) => [query.before, query.after, query.around].filter(Boolean).length <= 1, {
      message: 'Give one of before, after and around',
      path: ['around'],
    }),
  replies: { 200: threadPage, 404: errorReply },
});

export const setOwner = endpoint({
  operation: 'setDialogueOwner',
  method: 'POST',
  path: '/v1/dialogues/{id}/owner',
  access: 'session',
  summary: 'Hand a dialogue over to a human, or back to the bot, which answers what waits unless it is to stay silent',
  params: dialogueParams,
  /** `stay_silent`, with owner `bot`: what the lead has written gets no answer, the next message does. Without it, the bot answers what is younger than 24 hours. */
  body: z.strictObject({ owner: z.enum(owners), stay_silent: z.boolean().default(false) }),
  replies: { 200: dialogue, 404: errorReply, 409: errorReply },
});

/** The emulators' state, folded from the journal's entries; nothing else changes it. */
import { isBot, isOpaque, opaqueChatId } from './addresses.ts';
import { type AmoState, applyAmo, emptyAmoState } from './amocrm/state.ts';
import { type ChatpushView } from './chatpush/contract.ts';
import {
  type AccountView,
  type Channel,
  defaultSettings,
  type Fault,
  type PhoneMessage,
  type Settings,
  type Subscriptions,
} from './contract.ts';
import type { Entry, EntryOf } from './entries.ts';

interface PhoneState {
  address: string;
  name: string;
  messages: PhoneMessage[];
}

export interface PendingHook {
  hookId: string;
  account: string;
  lane: string;
  body: Record<string, unknown>;
  url?: string | undefined;
  retries?: number | undefined;
  attempts: number;
}

/** A fault and how often it may still happen. */
interface ArmedFault {
  fault: Fault;
  remaining: number;
}

export interface State {
  accounts: Map<string, AccountView>;
  chatpush: Map<string, ChatpushView>;
  channels: Map<string, { account: string; vendor: 'wazzup24' | 'chatpush'; channel: Channel }>;
  /** ChatPush deliveries so far; the next number follows from it. */
  deliveries: number;
  chatpushWebhooks: number;
  phones: Map<string, PhoneState>;
  messages: Map<string, { address: string; message: PhoneMessage }>;
  /** Real time at which an account's idempotency key was last accepted. */
  acceptedKeys: Map<string, number>;
  /** Address by opaque chat id. */
  chats: Map<string, string>;
  /** Bots' chats in which the lead has written, so that the bot may write. */
  openedChats: Set<string>;
  pendingHooks: Map<string, PendingHook>;
  amocrm: AmoState;
  faults: ArmedFault[];
  settings: Settings;
  clockOffset: number;
}

const noSubscriptions: Subscriptions = {
  messagesAndStatuses: false,
  contactsAndDealsCreation: false,
  channelsUpdates: false,
  templateStatus: false,
};

export function emptyState(): State {
  return {
    accounts: new Map(),
    chatpush: new Map(),
    deliveries: 0,
    chatpushWebhooks: 0,
    channels: new Map(),
    phones: new Map(),
    messages: new Map(),
    acceptedKeys: new Map(),
    chats: new Map(),
    openedChats: new Set(),
    pendingHooks: new Map(),
    amocrm: emptyAmoState(),
    faults: [],
    settings: defaultSettings,
    clockOffset: 0,
  };
}

export function acceptedKey(account: string, crmMessageId: string): string {
  return `${account} ${crmMessageId}`;
}

export function applyEntry(state: State, entry: Entry): void {
  switch (entry.kind) {
    case 'reached':
    case 'undeliverable':
      return applySend(state, entry);
    case 'inbound':
    case 'typed':
      return applyPhoneSide(state, entry);
    case 'status': {
      const existing = state.messages.get(entry.messageId);
      if (existing === undefined || !isStatusAdvance(existing.message.status, entry.status)) return;
      existing.message.status = entry.status;
      if (entry.code !== undefined) existing.message.error = entry.code;
      return;
    }
    case 'edited': {
      const existing = state.messages.get(entry.messageId);
      if (existing === undefined) return;
      existing.message.text = entry.text;
      existing.message.edited = true;
      return;
    }
    case 'deleted': {
      const existing = state.messages.get(entry.messageId);
      if (existing !== undefined) existing.message.deleted = true;
      return;
    }
    case 'phone':
      phoneOf(state, entry.address).name = entry.name;
      state.chats.set(opaqueChatId(entry.address), entry.address);
      return;
    case 'account':
      return applyAccount(state, entry);
    case 'chatpush_account':
      return applyChatpush(state, entry);
    case 'chatpush_webhook': {
      const account = state.chatpush.get(entry.token);
      if (account === undefined) return;
      state.chatpushWebhooks = Math.max(state.chatpushWebhooks, entry.id);
      account.webhooks = account.webhooks.filter(({ id }) => id !== entry.id);
      if (entry.webhook !== null) account.webhooks.push({ id: entry.id, ...entry.webhook });
      return;
    }
    case 'channel_state': {
      const existing = state.channels.get(entry.channelId);
      if (existing !== undefined) existing.channel.state = entry.change.state;
      return;
    }
    case 'webhooks': {
      const account = state.accounts.get(entry.account);
      if (account === undefined) return;
      account.webhooksUri = entry.webhooksUri;
      account.subscriptions = entry.subscriptions;
      return;
    }
    case 'hook_queued': {
      const { hookId, account, lane, body, url, retries } = entry;
      state.pendingHooks.set(hookId, { hookId, account, lane, body, url, retries, attempts: 0 });
      return;
    }
    case 'hook_answered':
      for (const hookId of entry.hookIds) {
        const hook = state.pendingHooks.get(hookId);
        if (entry.settled !== undefined) state.pendingHooks.delete(hookId);
        else if (hook !== undefined) hook.attempts = entry.attempt;
      }
      return;
    case 'amocrm':
      return applyAmo(state.amocrm, entry.change);
    case 'settings':
      state.settings = entry.settings;
      return;
    case 'faults':
      state.faults = entry.faults.map((fault) => ({ fault, remaining: fault.times ?? Number.POSITIVE_INFINITY }));
      return;
    case 'fault_fired': {
      const armed = state.faults[entry.index];
      if (armed !== undefined) armed.remaining -= 1;
      return;
    }
    case 'clock':
      state.clockOffset = entry.offset;
      return;
    case 'refused':
    case 'fate_told':
    case 'completion':
      return;
    default:
      entry satisfies never;
  }
}

const rank = { accepted: 0, sent: 1, delivered: 2, read: 3, error: 2, inbound: 9 } as const;

/** Return whether a status may replace another: statuses only advance, and an error counts until delivered. */
export function isStatusAdvance(from: PhoneMessage['status'], to: PhoneMessage['status']): boolean {
  return from !== 'error' && rank[to] > rank[from];
}

export function phoneOf(state: State, address: string): PhoneState {
  const existing = state.phones.get(address);
  if (existing !== undefined) return existing;
  const fresh: PhoneState = { address, name: address, messages: [] };
  state.phones.set(address, fresh);
  return fresh;
}

function applySend(state: State, entry: EntryOf<'reached' | 'undeliverable'>): void {
  const { account, channelId, chatId, chatType, messageId, text, contentUri, crmMessageId, quotedMessageId } = entry;
  if (entry.vendor === 'chatpush') state.deliveries += 1;
  rememberChat(state, channelId, chatId, entry.to);
  const message: PhoneMessage = {
    messageId,
    account,
    channelId,
    chatId,
    chatType,
    author: 'api',
    type: contentUri === undefined ? 'text' : 'document',
    text,
    contentUri,
    at: entry.at,
    status: 'accepted',
    error: entry.kind === 'undeliverable' ? entry.code : undefined,
    crmMessageId,
    callbackUrl: entry.callbackUrl,
    quotedMessageId,
    edited: false,
    deleted: false,
  };
  state.messages.set(messageId, { address: entry.to, message });
  if (entry.kind === 'reached') phoneOf(state, entry.to).messages.push(message);
  if (crmMessageId !== undefined) state.acceptedKeys.set(acceptedKey(account, crmMessageId), entry.real);
}

function applyPhoneSide(state: State, entry: EntryOf<'inbound' | 'typed'>): void {
  const { account, channelId, chatId, chatType, messageId, type, text, contentUri, quotedMessageId } = entry;
  rememberChat(state, channelId, chatId, entry.address);
  const owner = phoneOf(state, entry.address);
  if (entry.kind === 'inbound') {
    owner.name = entry.name;
    state.openedChats.add(`${channelId} ${chatId}`);
  }
  const message: PhoneMessage = {
    messageId,
    account,
    channelId,
    chatId,
    chatType,
    author: entry.kind === 'inbound' ? 'lead' : 'operator',
    type,
    text,
    contentUri,
    at: entry.writtenAt,
    status: entry.kind === 'inbound' ? 'inbound' : 'sent',
    quotedMessageId,
    edited: false,
    deleted: false,
  };
  state.messages.set(messageId, { address: entry.address, message });
  owner.messages.push(message);
}

function rememberChat(state: State, channelId: string, chatId: string, address: string): void {
  const transport = state.channels.get(channelId)?.channel.transport;
  if (transport !== undefined && isOpaque(transport)) state.chats.set(chatId, address);
}

function applyAccount(state: State, entry: EntryOf<'account'>): void {
  const existing = state.accounts.get(entry.key);
  for (const channel of existing?.channels ?? []) state.channels.delete(channel.channelId);
  const account: AccountView = {
    key: entry.key,
    channels: entry.account.channels,
    sidecar: entry.account.sidecar,
    webhooksUri: existing?.webhooksUri ?? null,
    subscriptions: existing?.subscriptions ?? noSubscriptions,
  };
  state.accounts.set(entry.key, account);
  for (const channel of account.channels) {
    state.channels.set(channel.channelId, { account: entry.key, vendor: 'wazzup24', channel });
  }
}

/** Apply an account's entry: each of its messengers becomes a channel like other vendors'. */
function applyChatpush(state: State, entry: EntryOf<'chatpush_account'>): void {
  const { token, account } = entry;
  const existing = state.chatpush.get(token);
  state.chatpush.set(token, { ...account, token, webhooks: existing?.webhooks ?? [] });
  const messengers = [
    ['whatsapp', 'whatsapp', account.whatsapp !== null],
    ['tdlib', 'tgapi', account.tdlib !== null],
    ['telegram', 'telegram', account.bot],
  ] as const;
  for (const [routing, transport, there] of messengers) {
    const channelId = `${account.customerId}:${routing}`;
    if (!there) state.channels.delete(channelId);
    else {
      const channel = { channelId, transport, plainId: '', name: '', state: 'active' };
      state.channels.set(channelId, { account: token, vendor: 'chatpush', channel });
    }
  }
}

/** Return whether a bot may write in this chat: only after the lead has. */
export function isWritingAllowed(state: State, channel: Channel, chatId: string): boolean {
  return !isBot(channel.transport) || state.openedChats.has(`${channel.channelId} ${chatId}`);
}

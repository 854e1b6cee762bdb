/** The emulators' state, folded from the journal's entries; nothing else changes it. */
import { isBot, isOpaque, opaqueChatId, privacyIdFor } from './addresses.ts';
import { applyAmo, emptyAmoState } from './amocrm/state.ts';
import { type ChatpushView } from './chatpush/contract.ts';
import {
  type AccountView,
  type Channel,
  type Fault,
  type PhoneMessage,
  settingsSchema,
  subscriptionsSchema,
} from './contract.ts';
import type { Entry, EntryOf } from './entries.ts';
import { messageOf } from './messages.ts';

interface PhoneState {
  address: string;
  name: string;
  messages: PhoneMessage[];
}

/** A fault and how often it may still happen. */
interface ArmedFault {
  fault: Fault;
  remaining: number;
}

export const emptyState = () => ({
  accounts: new Map<string, AccountView>(),
  chatpush: new Map<string, ChatpushView>(),
  channels: new Map<string, { account: string; vendor: 'wazzup24' | 'chatpush'; channel: Channel }>(),
  /** ChatPush deliveries so far; the next number follows from it. */
  deliveries: 0,
  chatpushWebhooks: 0,
  phones: new Map<string, PhoneState>(),
  messages: new Map<string, { address: string; message: PhoneMessage }>(),
  /** Real time at which an account's idempotency key was last accepted. */
  acceptedKeys: new Map<string, number>(),
  /** Address by chat id, where that is opaque or the phone has written under it. */
  chats: new Map<string, string>(),
  /** Bots' chats in which the lead has written, so that the bot may write. */
  openedChats: new Set<string>(),
  pendingHooks: new Map<string, EntryOf<'hook_queued'> & { attempts: number }>(),
  amocrm: emptyAmoState(),
  faults: Array<ArmedFault>(),
  settings: settingsSchema.parse({}),
});
export type State = ReturnType<typeof emptyState>;

export function acceptedKey(account: string, crmMessageId: string): string {
  return `${account} ${crmMessageId}`;
}

type Appliers = { readonly [K in Entry['kind']]: (state: State, entry: EntryOf<K>) => void };

const nothing = (): void => undefined;

/** The effect of each kind of entry. */
const APPLIERS: Appliers = {
  reached: applySend,
  undeliverable: applySend,
  inbound: applyPhoneSide,
  typed: applyPhoneSide,
  status: (state, { messageId, status, code }) => {
    const message = state.messages.get(messageId)?.message;
    if (message === undefined || !isStatusAdvance(message.status, status)) return;
    Object.assign(message, { status, ...(code === undefined ? {} : { error: code }) });
  },
  edited: (state, { messageId, text }) =>
    void Object.assign(state.messages.get(messageId)?.message ?? {}, { text, edited: true }),
  deleted: (state, { messageId }) =>
    void Object.assign(state.messages.get(messageId)?.message ?? {}, { deleted: true }),
  phone: (state, { address, name }) => {
    phoneOf(state, address).name = name;
    state.chats.set(opaqueChatId(address), address);
  },
  account: applyAccount,
  webhooks: (state, { account, webhooksUri, subscriptions }) =>
    void Object.assign(state.accounts.get(account) ?? {}, { webhooksUri, subscriptions }),
  chatpush_account: applyChatpush,
  chatpush_webhook: (state, { token, id, webhook }) => {
    const account = state.chatpush.get(token);
    if (account === undefined) return;
    state.chatpushWebhooks = Math.max(state.chatpushWebhooks, id);
    account.webhooks = account.webhooks.filter((one) => one.id !== id);
    if (webhook !== null) account.webhooks.push({ id, ...webhook });
  },
  channel_state: (state, { channelId, change }) =>
    void Object.assign(state.channels.get(channelId)?.channel ?? {}, change),
  hook_queued: (state, entry) => void state.pendingHooks.set(entry.hookId, { ...entry, attempts: 0 }),
  hook_answered: (state, { hookIds, attempt, settled }) => {
    for (const hookId of hookIds) {
      const hook = state.pendingHooks.get(hookId);
      if (settled !== undefined) state.pendingHooks.delete(hookId);
      else if (hook !== undefined) hook.attempts = attempt;
    }
  },
  amocrm: (state, { change }) => applyAmo(state.amocrm, change),
  settings: (state, { settings }) => void Object.assign(state, { settings }),
  faults: (state, { faults }) => {
    state.faults = faults.map((fault) => ({ fault, remaining: fault.times ?? Number.POSITIVE_INFINITY }));
  },
  fault_fired: (state, { index }) => {
    const armed = state.faults[index];
    if (armed !== undefined) armed.remaining -= 1;
  },
  // The world sets its clock itself; the others only record what happened.
  clock: nothing,
  refused: nothing,
  fate_told: nothing,
  completion: nothing,
  push: nothing,
};

export function applyEntry<K extends Entry['kind']>(state: State, entry: Entry & EntryOf<K>): void {
  const apply = APPLIERS[entry.kind];
  apply(state, entry);
}

const rank = { accepted: 0, sent: 1, delivered: 2, read: 3, error: 2, inbound: 9 } as const;

/** Return whether a status may replace another: statuses only advance, and an error counts until delivered. */
export function isStatusAdvance(from: PhoneMessage['status'], to: PhoneMessage['status']): boolean {
  return from !== 'error' && rank[to] > rank[from];
}

function phoneOf(state: State, address: string): PhoneState {
  const existing = state.phones.get(address);
  if (existing !== undefined) return existing;
  const fresh: PhoneState = { address, name: address, messages: [] };
  state.phones.set(address, fresh);
  return fresh;
}

function applySend(state: State, entry: EntryOf<'reached' | 'undeliverable'>): void {
  const { account, crmMessageId, to } = entry;
  if (entry.vendor === 'chatpush') state.deliveries += 1;
  const message = remember(state, entry, to);
  if (entry.kind === 'reached') phoneOf(state, to).messages.push(message);
  if (crmMessageId !== undefined) state.acceptedKeys.set(acceptedKey(account, crmMessageId), entry.real);
}

function applyPhoneSide(state: State, entry: EntryOf<'inbound' | 'typed'>): void {
  const { channelId, chatId, address } = entry;
  const owner = phoneOf(state, address);
  if (entry.kind === 'inbound') {
    owner.name = entry.name;
    state.openedChats.add(`${channelId} ${chatId}`);
  }
  owner.messages.push(remember(state, entry, address));
}

/** Store the message, and whose its chat is. */
function remember(state: State, entry: EntryOf<'reached' | 'undeliverable' | 'inbound' | 'typed'>, address: string) {
  const transport = state.channels.get(entry.channelId)?.channel.transport;
  const isOwn = entry.kind === 'inbound' || (transport !== undefined && isOpaque(transport));
  if (isOwn && !entry.chatType.endsWith('group')) state.chats.set(entry.chatId, address);
  state.chats.set(privacyIdFor(address), address);
  const message = messageOf(entry, entry.at);
  state.messages.set(entry.messageId, { address, message });
  return message;
}

function applyAccount(state: State, entry: EntryOf<'account'>): void {
  const existing = state.accounts.get(entry.key);
  for (const channel of existing?.channels ?? []) state.channels.delete(channel.channelId);
  const { key, account } = entry;
  const { webhooksUri = null, subscriptions = subscriptionsSchema.parse({}) } = existing ?? {};
  state.accounts.set(key, { key, channels: account.channels, webhooksUri, subscriptions });
  for (const channel of account.channels)
    state.channels.set(channel.channelId, { account: key, vendor: 'wazzup24', channel });
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

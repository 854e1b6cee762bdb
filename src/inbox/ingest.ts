/** Stores what a vendor told us. Everything else happens later, from the stored rows. */
import { type ChannelVendor, MAX_HOOK_ITEMS } from '../channels/contract.ts';
import type { HookItem } from '../channels/driver.ts';
import { driverOf } from '../channels/drivers.ts';
import { readChannel } from '../channels/publicApi.ts';
import { conversationRefusals } from '../conversations/refusals.ts';
import type { AppContext } from '../platform/appContext.ts';
import { batchWrites } from '../platform/batchWrites.ts';
import { isTooSlow, isUnavailable } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { WebhookPayload } from './chatbotContract.ts';
import { type IncomingHook, type StoredItem, storeHooks } from './store/items.ts';

/** Hooks written in one transaction at most. */
const MAX_HOOKS_PER_WRITE = 100;
/** When a vendor may bring a hook again that could not be written. */
const RETRY_SECONDS = 2;

const batchWriters = new WeakMap<AppContext, (hook: IncomingHook) => Promise<readonly StoredItem[] | null>>();

/** Stores one hook, together with others that arrive at the same time: one commit for all of them. */
async function storeHook(context: AppContext, vendor: ChannelVendor | 'webhook', hook: IncomingHook): Promise<number> {
  let write = batchWriters.get(context);
  if (!write) {
    write = batchWrites((hooks) => storeAndLog(context, hooks), MAX_HOOKS_PER_WRITE, {
      isFatal: (error) => isUnavailable(error) || isTooSlow(error),
      timeoutMs: context.config.databaseWaitSeconds * 1000,
      onTimeout: () => refuse(commonRefusals, 'overloaded', {}, RETRY_SECONDS),
    });
    batchWriters.set(context, write);
  }
  const stored = await write(hook).catch((error: unknown) => {
    context.metrics.hooks.inc({ vendor, outcome: 'failed' });
    throw error;
  });
  failpoint('hook.afterStore');
  if (stored === null) {
    context.metrics.hooks.inc({ vendor, outcome: 'unknown' });
    throw refuse(commonRefusals, 'not_found', { noun: 'address' });
  }
  context.metrics.hooks.inc({ vendor, outcome: stored.length > 0 ? 'stored' : 'nothing_new' });
  for (const { kind } of stored) context.metrics.hookItems.inc({ vendor, kind });
  return stored.length;
}

/** An instant of the years 1 to 9999, as ISO writes it: of others PostgreSQL understands another spelling only. */
const SUPPORTED_YEAR = /^(?!0000)\d{4}-/;

/**
 * An item whose fields say something or nothing: a time no message can have is none, and a blank chat or address is none.
 * A file under the name of a text is a document.
 */
function normalizeItem(item: HookItem): HookItem {
  const { occurredAt, chatId, address, mediaKind, mediaUrl, text } = item;
  return {
    ...item,
    mediaKind: mediaKind === 'text' && mediaUrl && text.trim() === '' ? 'document' : mediaKind,
    occurredAt: occurredAt !== null && SUPPORTED_YEAR.test(occurredAt) ? occurredAt : null,
    chatId: chatId?.trim() || null,
    address: address?.trim() || null,
  };
}

/** How many items a vendor's hook lists, before any of them is read. */
const countListedItems = (body: unknown): number =>
  Object.values(body ?? {}).reduce((sum: number, element) => sum + (Array.isArray(element) ? element.length : 0), 0);

/**
 * One line for all that one write stored. [A line for each of 32 hooks at once: 0.99 of the bare handler's hooks a second
 * instead of 1.37.]
 */
async function storeAndLog(
  context: AppContext,
  hooks: readonly IncomingHook[],
): Promise<(readonly StoredItem[] | null)[]> {
  const stored = await storeHooks(context.hookPool, hooks);
  const items = stored.flatMap((hookItems) => hookItems ?? []);
  if (items.length > 0) context.log.info({ items }, 'hooks stored');
  return stored;
}

/** Takes a vendor's own hook. Answers how many items were new; throws `not_found` for a secret that is nobody's. */
export async function ingestVendorHook(
  context: AppContext,
  vendor: ChannelVendor,
  secret: string,
  body: unknown,
): Promise<number> {
  if (countListedItems(body) > MAX_HOOK_ITEMS) {
    context.metrics.hooks.inc({ vendor, outcome: 'too_long' });
    throw refuse(conversationRefusals, 'hook.too_long', { most: MAX_HOOK_ITEMS });
  }
  const items = driverOf(vendor).parseHook(body).map(normalizeItem);
  return storeHook(context, vendor, { account: { vendor, secretHash: fingerprint(secret) }, items });
}

/** Takes messages and statuses in our own words, for one channel; `accountId` restricts to that account's channels. */
export async function ingestPayload(
  context: AppContext,
  payload: WebhookPayload,
  accountId: number | null,
): Promise<number> {
  const channel =
    typeof payload.channel_id === 'number' ? await readChannel(context.reader, payload.channel_id) : undefined;
  const channelRef =
    channel ??
    (typeof payload.channel_id === 'string' && accountId !== null
      ? { account_id: accountId, vendor_ref: payload.channel_id }
      : undefined);
  if (!channelRef || (accountId !== null && channelRef.account_id !== accountId)) {
    throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
  }
  const items = payload.messages.map((message): HookItem => {
    const inbound = message.status === 'inbound' && !message.is_echo;
    // A status without a text is about a message that we know; with one it is the message itself.
    const isMessage = inbound || message.message !== null;
    return {
      kind: isMessage ? 'message' : 'status',
      channelRef: channelRef.vendor_ref,
      extId: message.message_id,
      status: inbound ? 'inbound' : message.status === 'inbound' ? 'sent' : message.status,
      chatId: message.chat_id,
      occurredAt: message.sent_at === null ? null : new Date(message.sent_at).toISOString(),
      text: message.message ?? '',
      mediaKind: 'text',
      mediaUrl: null,
      isGroup: false,
      isSilent: !isMessage,
      name: null,
      address: null,
      errorCode: null,
      errorReason: null,
    };
  });
  if (items.length === 0) return 0;
  return storeHook(context, 'webhook', { account: channelRef.account_id, items: items.map(normalizeItem) });
}

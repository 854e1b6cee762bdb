/** Stores what a vendor's hook contains. All processing happens later, from the stored rows. */

import { type ChannelVendor, MAX_HOOK_ITEMS } from '../channels/contract.ts';
import type { HookItem } from '../channels/driver.ts';
import { driverOf } from '../channels/drivers.ts';
import { findChannel } from '../channels/store.ts';
import { conversationRefusals } from '../conversations/refusals.ts';
import type { AppContext } from '../platform/appContext.ts';
import { batchWrites } from '../platform/batchWrites.ts';
import { isTooSlow, isUnavailable } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { WebhookPayload } from './chatbotContract.ts';
import { type IncomingHook, type StoredItem, storeHooks } from './store/items.ts';

/** Most hooks written in one transaction. */
const MAX_HOOKS_PER_WRITE = 100;
/** After how many seconds a vendor may retry a hook that could not be stored. */
const RETRY_SECONDS = 2;

const batchWriters = new WeakMap<AppContext, (hook: IncomingHook) => Promise<readonly StoredItem[] | null>>();

/** Store one hook together with others that arrive at the same time: one commit for all of them. */
async function storeHook(context: AppContext, vendor: ChannelVendor | 'webhook', hook: IncomingHook): Promise<number> {
  let write = batchWriters.get(context);
  if (!write) {
    // One line for each write: with one for each of 32 concurrent hooks, throughput was 0.99 times that of the bare
    // handler instead of 1.37 times.
    const storeAndLog = async (hooks: readonly IncomingHook[]) => {
      const stored = await storeHooks(context.hookPool, hooks);
      const items = stored.flatMap((hookItems) => hookItems ?? []);
      if (items.length > 0) context.log.info({ items }, 'hooks stored');
      return stored;
    };
    write = batchWrites(storeAndLog, MAX_HOOKS_PER_WRITE, {
      isFatal: (error) => isUnavailable(error) || isTooSlow(error),
      timeoutMs: context.config.databaseWaitSeconds * 1000,
      onTimeout: () => refuse(commonRefusals, 'overloaded', { retryAfter: RETRY_SECONDS }),
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

/** Years 1 to 9999 in ISO format: PostgreSQL spells other years differently. */
const SUPPORTED_YEAR = /^(?!0000)\d{4}-/;

/**
 * Normalise an item's fields to a value or null: an impossible time, a blank chat id or a blank address becomes null.
 * A file labelled as text becomes a document.
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

/** Count the items listed in a vendor's hook before any of them is parsed. */
const countListedItems = (body: unknown): number =>
  Object.values(body ?? {}).reduce((sum: number, element) => sum + (Array.isArray(element) ? element.length : 0), 0);

/** Ingest a vendor's hook. Returns how many items were new; throws `not_found` for an unknown secret. */
export async function ingestVendorHook(
  context: AppContext,
  { vendor, secret, body }: { vendor: ChannelVendor; secret: string; body: unknown },
): Promise<number> {
  if (countListedItems(body) > MAX_HOOK_ITEMS) {
    context.metrics.hooks.inc({ vendor, outcome: 'too_long' });
    throw refuse(conversationRefusals, 'hook.too_long', { most: MAX_HOOK_ITEMS });
  }
  const items = driverOf(vendor).parseHook(body).map(normalizeItem);
  return storeHook(context, vendor, { account: { vendor, secretHash: fingerprint(secret) }, items });
}

/**
 * Ingest messages and statuses in our own format, for one channel; `accountId` restricts it to that account's
 * channels.
 */
export async function ingestPayload(
  context: AppContext,
  payload: WebhookPayload,
  accountId: number | null,
): Promise<number> {
  const channel =
    typeof payload.channel_id === 'number' ? await findChannel(context.reader, payload.channel_id) : undefined;
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
    // Without a text it is a status of a known message; with a text it is the message itself.
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

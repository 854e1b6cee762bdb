/** Stores what a vendor's hook contains. All processing happens later, from the stored rows. */

import { addressesOf } from '../channels/chats.ts';
import { type ChannelVendor, MAX_HOOK_ITEMS } from '../channels/contract.ts';
import type { HookItem } from '../channels/driver.ts';
import { driverOf } from '../channels/drivers.ts';
import { findChannel, findChannelByRef } from '../channels/store.ts';
import { conversationRefusals } from '../conversations/refusals.ts';
import type { AppContext } from '../platform/appContext.ts';
import { batchWrites } from '../platform/batchWrites.ts';
import { isTooSlow, isUnavailable } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { WebhookItem, WebhookPayload } from './chatbotContract.ts';
import { toHookItem } from './readWebhookItem.ts';
import { type IncomingHook, type StoredItem, storeHooks } from './store/items.ts';

/** Most hooks written in one transaction. */
const MAX_HOOKS_PER_WRITE = 100;
/** After how many seconds a vendor may retry a hook that could not be stored. */
const RETRY_SECONDS = 2;

const batchWriters = new WeakMap<AppContext, (hook: IncomingHook) => Promise<readonly StoredItem[] | null>>();

/**
 * Store one hook together with others that arrive at the same time: one commit for all of them. Returns how many items
 * were new; null if no account accepts the secret.
 */
async function storeHook(
  context: AppContext,
  vendor: ChannelVendor | 'webhook',
  hook: IncomingHook,
): Promise<number | null> {
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
    return null;
  }
  context.metrics.hooks.inc({ vendor, outcome: stored.length > 0 ? 'stored' : 'nothing_new' });
  for (const { kind } of stored) context.metrics.hookItems.inc({ vendor, kind });
  return stored.length;
}

/** Years 1 to 9999 in ISO format: PostgreSQL spells other years differently. */
const SUPPORTED_YEAR = /^(?!0000)\d{4}-/;

/**
 * Normalise an item's fields to a value or null: an impossible time, a blank chat id or a blank address becomes null.
 * A text without words becomes a document if it has a file, else an empty message: whoever sent it did something. What a
 * messenger's own account writes is not stored: it may be a login code.
 */
export function normalizeItem(item: HookItem): HookItem {
  const { kind, occurredAt, chatId, address, mediaKind, mediaUrl, text } = item;
  const isBlank = kind === 'message' && mediaKind === 'text' && text.trim() === '';
  return {
    ...item,
    ...(item.notPerson === 'service' ? { text: '' } : {}),
    ...(item.kind === 'message' && item.notPerson === null ? { addresses: allAddressesOf(item) } : {}),
    mediaKind: isBlank ? (mediaUrl ? 'document' : 'empty') : mediaKind,
    occurredAt: occurredAt !== null && SUPPORTED_YEAR.test(occurredAt) ? occurredAt : null,
    chatId: chatId?.trim() || null,
    address: address?.trim() || null,
  };
}

/** Return every address by which the other party may be known, the preferred one first, with national variants. */
function allAddressesOf({ chatId, address, otherAddress }: HookItem): string[] {
  const named = [address, otherAddress].flatMap((one) => (one ? addressesOf(one) : []));
  return [...new Set(chatId ? [...named, `id:${chatId}`] : named)];
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
  const stored = await storeHook(context, vendor, { account: { vendor, secretHash: fingerprint(secret) }, items });
  if (stored === null) throw refuse(commonRefusals, 'not_found', { noun: 'address' });
  return stored;
}

/** An account, and the secret that a program has shown for it. */
export interface SecretBearer {
  readonly accountId: number;
  readonly vendor: ChannelVendor;
  readonly secretHash: Buffer;
}

/**
 * Ingest messages and statuses in our own format, for one channel; a bearer is restricted to its account's channels.
 * Returns how many items were new; throws `unauthorized` if the bearer's secret has ended meanwhile.
 */
export async function ingestItems(
  context: AppContext,
  { channel_id, items }: { channel_id: WebhookPayload['channel_id']; items: readonly WebhookItem[] },
  bearer: SecretBearer | null,
): Promise<number> {
  const channel = typeof channel_id === 'number' ? await findChannel(context.reader, channel_id) : undefined;
  const channelRef =
    channel ??
    (typeof channel_id === 'string' && bearer ? { account_id: bearer.accountId, vendor_ref: channel_id } : undefined);
  if (!channelRef || (bearer && channelRef.account_id !== bearer.accountId))
    throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
  const { account_id: accountId, vendor_ref: ref } = channelRef;
  const type = channel?.channel_type ?? (await findChannelByRef(context.reader, accountId, ref))?.channel_type;
  if (items.length === 0) return 0;
  const stored = await storeHook(context, 'webhook', {
    account: bearer ?? accountId,
    items: items.map((item) => normalizeItem(toHookItem(item, { ref, type }))),
  });
  if (stored === null) throw refuse(commonRefusals, 'unauthorized');
  return stored;
}

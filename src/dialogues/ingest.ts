/** Stores what a vendor told us. Everything else happens later, from the stored rows. */
import { type ChannelVendor, MOST_HOOK_ITEMS } from '../channels/contract.ts';
import type { HookItem } from '../channels/driver.ts';
import { driverOf } from '../channels/drivers.ts';
import { readChannel } from '../channels/known.ts';
import { isTooSlow, isUnavailable } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { gather } from '../platform/gather.ts';
import type { Ground } from '../platform/ground.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { WebhookPayload } from './chatbotContract.ts';
import { dialogueRefusals } from './refusals.ts';
import { type Stored, storeHooks, type Told } from './store/inbox.ts';

/** Hooks written in one transaction at most. */
const MOST_HOOKS = 100;
/** When a vendor may bring a hook again that could not be written. */
const RETRY_SECONDS = 2;

const writers = new WeakMap<Ground, (told: Told) => Promise<readonly Stored[] | null>>();

/** Stores one hook, together with others that arrive at the same time: one commit for all of them. */
async function store(ground: Ground, vendor: ChannelVendor | 'webhook', told: Told): Promise<number> {
  let write = writers.get(ground);
  if (!write) {
    write = gather((hooks) => storeAndTell(ground, hooks), MOST_HOOKS, {
      isHopeless: (error) => isUnavailable(error) || isTooSlow(error),
      patienceMs: ground.config.databaseWaitSeconds * 1000,
      impatient: () => refuse(commonRefusals, 'overloaded', {}, RETRY_SECONDS),
    });
    writers.set(ground, write);
  }
  const stored = await write(told).catch((error: unknown) => {
    ground.metrics.hooks.inc({ vendor, outcome: 'failed' });
    throw error;
  });
  failpoint('hook.afterStore');
  if (stored === null) {
    ground.metrics.hooks.inc({ vendor, outcome: 'unknown' });
    throw refuse(commonRefusals, 'not_found', { noun: 'address' });
  }
  ground.metrics.hooks.inc({ vendor, outcome: stored.length > 0 ? 'stored' : 'nothing_new' });
  for (const { kind } of stored) ground.metrics.hookItems.inc({ vendor, kind });
  return stored.length;
}

/** An instant of the years 1 to 9999, as ISO writes it: of others PostgreSQL understands another spelling only. */
const INSTANT = /^(?!0000)\d{4}-/;

/**
 * An item whose fields say something or nothing: a time no message can have is none, and a blank chat or address is none.
 * A file under the name of a text is a document.
 */
function sound(item: HookItem): HookItem {
  const { occurredAt, chatId, address, mediaKind, mediaUrl, text } = item;
  return {
    ...item,
    mediaKind: mediaKind === 'text' && mediaUrl && text.trim() === '' ? 'document' : mediaKind,
    occurredAt: occurredAt !== null && INSTANT.test(occurredAt) ? occurredAt : null,
    chatId: chatId?.trim() || null,
    address: address?.trim() || null,
  };
}

/** How many items a vendor's hook lists, before any of them is read. */
const listed = (body: unknown): number =>
  Object.values(body ?? {}).reduce((sum: number, one) => sum + (Array.isArray(one) ? one.length : 0), 0);

/**
 * One line for all that one write stored. [A line for each of 32 hooks at once: 0.99 of the bare handler's hooks a second
 * instead of 1.37.]
 */
async function storeAndTell(ground: Ground, hooks: readonly Told[]): Promise<(readonly Stored[] | null)[]> {
  const stored = await storeHooks(ground.intake, hooks);
  const items = stored.flatMap((of) => of ?? []);
  if (items.length > 0) ground.log.info({ items }, 'hooks stored');
  return stored;
}

/** Takes a vendor's own hook. Answers how many items were new; throws `not_found` for a secret that is nobody's. */
export async function ingestVendorHook(
  ground: Ground,
  vendor: ChannelVendor,
  secret: string,
  body: unknown,
): Promise<number> {
  if (listed(body) > MOST_HOOK_ITEMS) {
    ground.metrics.hooks.inc({ vendor, outcome: 'too_long' });
    throw refuse(dialogueRefusals, 'hook.too_long', { most: MOST_HOOK_ITEMS });
  }
  const items = driverOf(vendor).parseHook(body).map(sound);
  return store(ground, vendor, { account: { vendor, secretHash: fingerprint(secret) }, items });
}

/** Takes messages and statuses in our own words, for one channel; `accountId` restricts to that account's channels. */
export async function ingestPayload(
  ground: Ground,
  payload: WebhookPayload,
  accountId: number | null,
): Promise<number> {
  const channel =
    typeof payload.channel_id === 'number' ? await readChannel(ground.reader, payload.channel_id) : undefined;
  const byRef =
    channel ??
    (typeof payload.channel_id === 'string' && accountId !== null
      ? { account_id: accountId, vendor_ref: payload.channel_id }
      : undefined);
  if (!byRef || (accountId !== null && byRef.account_id !== accountId)) {
    throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
  }
  const items = payload.messages.map((one): HookItem => {
    const inbound = one.status === 'inbound' && !one.is_echo;
    // A status without a text is about a message that we know; with one it is the message itself.
    const isMessage = inbound || one.message !== null;
    return {
      kind: isMessage ? 'message' : 'status',
      channelRef: byRef.vendor_ref,
      extId: one.message_id,
      status: inbound ? 'inbound' : one.status === 'inbound' ? 'sent' : one.status,
      chatId: one.chat_id,
      occurredAt: one.sent_at === null ? null : new Date(one.sent_at).toISOString(),
      text: one.message ?? '',
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
  return store(ground, 'webhook', { account: byRef.account_id, items: items.map(sound) });
}

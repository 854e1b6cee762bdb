/** Stores what a vendor told us. Everything else happens later, from the stored rows. */
import { accountOfSecret } from '../channels/account.ts';
import { type ChannelVendor } from '../channels/contract.ts';
import type { HookItem } from '../channels/driver.ts';
import { findDriver } from '../channels/drivers.ts';
import { readChannel } from '../channels/known.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { WebhookPayload } from './chatbotContract.ts';
import { storeItems } from './store/inbox.ts';

/** Takes a vendor's own hook. Answers how many items were new; throws `not_found` for a secret that is nobody's. */
export async function ingestVendorHook(
  ground: Ground,
  vendor: ChannelVendor,
  secret: string,
  body: unknown,
): Promise<number> {
  const account = await accountOfSecret(ground.reader, secret);
  const driver = findDriver(vendor);
  if (!account || account.vendor !== vendor || !driver) throw refuse(commonRefusals, 'not_found', { noun: 'address' });
  const items = driver.parseHook(body);
  if (items.length === 0) return 0;
  const stored = await storeItems(ground.pool, account.id, items);
  failpoint('hook.afterStore');
  return stored;
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
  const stored = await storeItems(ground.pool, byRef.account_id, items);
  failpoint('hook.afterStore');
  return stored;
}

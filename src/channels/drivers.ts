import type { AppContext } from '../platform/appContext.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { chatpush } from './chatpush/driver.ts';
import { type ChannelVendor, channelVendors } from './contract.ts';
import type { Driver, VendorCall } from './driver.ts';
import { deferAccountSend, findChannel, reserveAccountSends } from './store.ts';
import { wazzup24 } from './wazzup24/driver.ts';

const drivers: Readonly<Record<ChannelVendor, Driver>> = { wazzup24, chatpush };

export function driverOf(vendor: ChannelVendor): Driver {
  return drivers[vendor];
}

/** Vendors whose accounts' sessions are polled. */
export const polledVendors: readonly ChannelVendor[] = channelVendors.filter((one) => drivers[one].pollsSessions);

/** Build what calls to a vendor's account need. */
export function vendorCall(context: AppContext, vendor: ChannelVendor, apiKey: string): VendorCall {
  return { outbound: context.outbound, baseUrl: context.config.vendorUrls[vendor], apiKey };
}

/** Return the rate limit of a channel's account on the real clock; null if that clock does not limit it. */
export async function readAccountRateLimit(
  reader: Reader,
  channelId: number,
): Promise<{ accountId: number; everyMs: number; burst: number } | null> {
  const channel = await findChannel(reader, channelId);
  const rateLimit = channel ? driverOf(channel.vendor).rateLimit : null;
  return channel && rateLimit?.clock === 'real' ? { accountId: channel.account_id, ...rateLimit } : null;
}

interface Account {
  readonly account_id: number;
  readonly vendor: ChannelVendor;
}

/**
 * Reserve the account's next send, where the vendor's rate limit is a due time on the domain clock. Runs in the
 * transaction that claims the message. Returns false if it is too early; nothing is reserved then.
 */
export async function reserveSend(context: AppContext, tx: Tx, account: Account): Promise<boolean> {
  if (driverOf(account.vendor).rateLimit.clock === 'real') return true;
  const { account_id: id } = account;
  return (await reserveAccountSends(tx, [id], context.config.chatpushIntervalSeconds)).has(id);
}

/**
 * Restart the interval after the vendor has answered a send. The vendor counts from when the call arrived, and a call
 * may take long or have to be repeated.
 */
export async function restartSendInterval(context: AppContext, tx: Tx, account: Account): Promise<void> {
  if (driverOf(account.vendor).rateLimit.clock === 'real') return;
  await deferAccountSend(tx, account.account_id, context.config.chatpushIntervalSeconds);
}

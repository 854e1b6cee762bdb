import type { AppContext } from '../platform/appContext.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { chatpush } from './chatpush/driver.ts';
import { type ChannelVendor, channelVendors } from './contract.ts';
import type { Driver, VendorCall } from './driver.ts';
import { deferAccountSend, findChannel, reserveAccountSend } from './store.ts';
import { wazzup24 } from './wazzup24/driver.ts';

const drivers: Readonly<Record<ChannelVendor, Driver>> = { wazzup24, chatpush };

export function driverOf(vendor: ChannelVendor): Driver {
  return drivers[vendor];
}

/** The vendors whose accounts' sessions are asked for. */
export const polledVendors: readonly ChannelVendor[] = channelVendors.filter((one) => drivers[one].pollsSessions);

/** How calls to a vendor's account are made. */
export function vendorCall(context: AppContext, vendor: ChannelVendor, apiKey: string): VendorCall {
  return { outbound: context.outbound, baseUrl: context.config.vendorUrls[vendor], apiKey };
}

/** How fast sends may leave a channel's account by the real clock; null: not by that one. */
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
 * The account's turn to send, where the vendor's pace is a due time on the domain clock: taken in the transaction that
 * claims the message. False: not yet, and nothing was taken.
 */
export async function reserveSend(context: AppContext, tx: Tx, account: Account): Promise<boolean> {
  if (driverOf(account.vendor).rateLimit.clock === 'real') return true;
  return reserveAccountSend(tx, account.account_id, context.config.chatpushIntervalSeconds);
}

/**
 * The vendor has answered a send, and counts from when it came: a call may have been long on its way, or had to be
 * repeated.
 */
export async function restartSendInterval(context: AppContext, tx: Tx, account: Account): Promise<void> {
  if (driverOf(account.vendor).rateLimit.clock === 'real') return;
  await deferAccountSend(tx, account.account_id, context.config.chatpushIntervalSeconds);
}

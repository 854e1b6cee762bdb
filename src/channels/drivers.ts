import type { Reader, Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { chatpush } from './chatpush/driver.ts';
import { type ChannelVendor, channelVendors } from './contract.ts';
import type { Driver, VendorCall } from './driver.ts';
import { findChannel, postponeTurn, takeTurn } from './store.ts';
import { wazzup24 } from './wazzup24/driver.ts';

const drivers: Readonly<Record<ChannelVendor, Driver>> = { wazzup24, chatpush };

export function driverOf(vendor: ChannelVendor): Driver {
  return drivers[vendor];
}

/** The vendors whose accounts' sessions are asked for. */
export const askedVendors: readonly ChannelVendor[] = channelVendors.filter((one) => drivers[one].asksSessions);

/** How calls to a vendor's account are made. */
export function callOf(ground: Ground, vendor: ChannelVendor, apiKey: string): VendorCall {
  return { outbound: ground.outbound, baseUrl: ground.config.vendorUrls[vendor], apiKey };
}

/** How fast sends may leave a channel's account by the real clock; null: not by that one. */
export async function accountPace(
  reader: Reader,
  channelId: number,
): Promise<{ accountId: number; everyMs: number; burst: number } | null> {
  const channel = await findChannel(reader, channelId);
  const pace = channel ? driverOf(channel.vendor).pace : null;
  return channel && pace?.clock === 'real' ? { accountId: channel.account_id, ...pace } : null;
}

interface Account {
  readonly account_id: number;
  readonly vendor: ChannelVendor;
}

/**
 * The account's turn to send, where the vendor's pace is a due time on the domain clock: taken in the transaction that
 * claims the message. False: not yet, and nothing was taken.
 */
export async function takeAccountTurn(ground: Ground, tx: Tx, account: Account): Promise<boolean> {
  if (driverOf(account.vendor).pace.clock === 'real') return true;
  return takeTurn(tx, account.account_id, ground.config.chatpushPaceSeconds);
}

/**
 * The vendor has answered a send, and counts from when it came: a call may have been long on its way, or had to be
 * repeated.
 */
export async function countTurnFromNow(ground: Ground, tx: Tx, account: Account): Promise<void> {
  if (driverOf(account.vendor).pace.clock === 'real') return;
  await postponeTurn(tx, account.account_id, ground.config.chatpushPaceSeconds);
}

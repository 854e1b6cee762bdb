import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { chatpush } from './chatpush/driver.ts';
import { type ChannelVendor, channelVendors } from './contract.ts';
import type { Driver, VendorCall } from './driver.ts';
import { deferAccountSend } from './store.ts';
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

interface Account {
  readonly account_id: number;
  readonly vendor: ChannelVendor;
}

/**
 * Restart the interval after the vendor has answered a send. The vendor counts from when the call arrived, and a call
 * may take long or have to be repeated.
 */
export async function restartSendInterval(context: AppContext, tx: Tx, account: Account): Promise<void> {
  if (driverOf(account.vendor).rateLimit.clock === 'real') return;
  await deferAccountSend(tx, account.account_id, context.config.chatpushIntervalSeconds);
}

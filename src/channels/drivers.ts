import type { Reader } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { refuse } from '../platform/refuse.ts';
import { type ChannelVendor, channelRefusals } from './contract.ts';
import type { Driver, VendorCall } from './driver.ts';
import { findChannel } from './store.ts';
import { wazzup24 } from './wazzup24/driver.ts';

const drivers: Partial<Record<ChannelVendor, Driver>> = { wazzup24 };

/** The driver of a vendor, or undefined. */
export function findDriver(vendor: ChannelVendor): Driver | undefined {
  return drivers[vendor];
}

/** The driver of a vendor. Throws `channel.no_driver`. */
export function driverOf(vendor: ChannelVendor): Driver {
  const driver = drivers[vendor];
  if (!driver) throw refuse(channelRefusals, 'channel.no_driver', { vendor });
  return driver;
}

/** How calls to a vendor's account are made. */
export function callOf(ground: Ground, vendor: ChannelVendor, apiKey: string): VendorCall {
  if (vendor !== 'wazzup24') throw refuse(channelRefusals, 'channel.no_driver', { vendor });
  return { outbound: ground.outbound, baseUrl: ground.config.vendorUrls[vendor], apiKey };
}

/** How fast sends may leave a channel's account. */
export async function accountPace(
  reader: Reader,
  channelId: number,
): Promise<{ accountId: number; everyMs: number; burst: number } | null> {
  const channel = await findChannel(reader, channelId);
  return channel ? { accountId: channel.account_id, ...driverOf(channel.vendor).pace } : null;
}

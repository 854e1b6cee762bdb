/** The sessions of an account's channels, as its vendor tells them when asked. */
import type { Ground } from '../platform/ground.ts';
import { announce } from '../platform/live.ts';
import { apiKeyOf } from './account.ts';
import type { VendorChannel } from './driver.ts';
import { callOf, driverOf } from './drivers.ts';
import { channelsOfAccount, findAccount, inboundProduct, noteTransport, setChannelState } from './store.ts';

/** A channel that the vendor does not name any more. */
const GONE = 'gone';

/** Asks the vendor and keeps what it says. Throws VendorRefused, or the network's error. */
export async function readSessions(ground: Ground, accountId: number): Promise<VendorChannel[]> {
  const account = await findAccount(ground.reader, accountId);
  if (!account) return [];
  const call = callOf(ground, account.vendor, await apiKeyOf(ground, accountId));
  const told = await driverOf(account.vendor).listChannels(call);
  await ground.transact(async (tx) => {
    for (const channel of await channelsOfAccount(tx, accountId)) {
      const listed = told.find((one) => one.ref === channel.vendor_ref);
      if (listed) await noteTransport(tx, channel.id, listed.transport);
      const state = listed?.state ?? GONE;
      if (state === channel.state && channel.is_session_active === (state.toLowerCase() === 'active')) continue;
      await setChannelState(tx, channel.id, state, null);
      const product = await inboundProduct(tx, channel.id);
      if (product) announce(tx, 'channel', product.id, [channel.id]);
    }
  });
  return told;
}

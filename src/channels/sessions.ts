/** Polls the vendor for the sessions of an account's channels. */
import type { AppContext } from '../platform/appContext.ts';
import { notify } from '../platform/notifications.ts';
import { readApiKey } from './account.ts';
import type { VendorChannel } from './driver.ts';
import { driverOf, vendorCall } from './drivers.ts';
import { findAccount, findChannelsOfAccount, saveTransport, selectInboundProduct, setChannelState } from './store.ts';

/** State of a channel that the vendor does not list any more. */
const NOT_FOUND_STATE = 'gone';

/** Poll the vendor and save the states it reports. Throws VendorRefused, or the network's error. */
export async function readSessions(context: AppContext, accountId: number): Promise<VendorChannel[]> {
  const account = await findAccount(context.reader, accountId);
  if (!account) return [];
  const call = vendorCall(context, account.vendor, await readApiKey(context, accountId));
  const vendorChannels = await driverOf(account.vendor).listChannels(call);
  await context.transact(async (tx) => {
    for (const channel of await findChannelsOfAccount(tx, accountId)) {
      const vendorChannel = vendorChannels.find((one) => one.ref === channel.vendor_ref);
      if (vendorChannel) await saveTransport(tx, channel.id, vendorChannel.transport);
      const state = vendorChannel?.state ?? NOT_FOUND_STATE;
      if (state === channel.state && channel.is_session_active === (state.toLowerCase() === 'active')) continue;
      await setChannelState(tx, { channelId: channel.id, state, qr: null });
      const product = await selectInboundProduct(tx, channel.id);
      if (product) notify(tx, { topic: 'channel', product: product.id, ids: [channel.id] });
    }
  });
  return vendorChannels;
}

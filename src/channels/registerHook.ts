/** Registers our webhook with a vendor. */
import type { AppContext } from '../platform/appContext.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { hookAddress, readApiKey } from './account.ts';
import { channelRefusals } from './contract.ts';
import { driverOf, vendorCall } from './drivers.ts';
import { findChannel, markHookRegistered, saveTransport, setChannelState } from './store.ts';
import { refuseVendorErrors } from './vendorErrors.ts';

/**
 * Register our address with the channel's vendor. One key has one address, so another's is only replaced with
 * `replace`. Returns whether ours was registered already. Also saves the channel's state.
 */
export async function registerChannelHook(
  context: AppContext,
  channelId: number,
  replace: boolean,
): Promise<{ isRegistered: boolean }> {
  const channel = await findChannel(context.reader, channelId);
  if (!channel) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
  const driver = driverOf(channel.vendor);
  const call = vendorCall(context, channel.vendor, await readApiKey(context, channel.account_id));
  const address = await hookAddress(context, channel.account_id);
  return refuseVendorErrors(async () => {
    const registered = await driver.readHookAddress(call, address);
    if (registered !== null && registered !== address && !replace) {
      throw refuse(channelRefusals, 'channel.hook_elsewhere', { address: registered.slice(0, 200) });
    }
    if (registered !== address) await driver.registerHook(call, address);
    const vendorChannel = (await driver.listChannels(call)).find((one) => one.ref === channel.vendor_ref);
    await context.transact(async (tx) => {
      await markHookRegistered(tx, channel.account_id);
      if (!vendorChannel) return;
      await saveTransport(tx, channel.id, vendorChannel.transport);
      await setChannelState(tx, { channelId: channel.id, state: vendorChannel.state, qr: null });
    });
    return { isRegistered: registered === address };
  });
}

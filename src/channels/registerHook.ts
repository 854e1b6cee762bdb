/** Has a vendor send its hooks to us. */
import type { Ground } from '../platform/ground.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { apiKeyOf, hookAddress } from './account.ts';
import { askingVendor } from './askVendor.ts';
import { channelRefusals } from './contract.ts';
import { callOf, driverOf } from './drivers.ts';
import { findChannel, markHookRegistered, noteTransport, setChannelState } from './store.ts';

/**
 * Registers our address with the channel's vendor; one key has one address, so another's is only taken over with
 * `replace`. Answers whether it was there already. Reads the channel's state on the way.
 */
export async function registerChannelHook(
  ground: Ground,
  channelId: number,
  replace: boolean,
): Promise<{ already: boolean }> {
  const channel = await findChannel(ground.reader, channelId);
  if (!channel) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
  const driver = driverOf(channel.vendor);
  const call = callOf(ground, channel.vendor, await apiKeyOf(ground, channel.account_id));
  const address = await hookAddress(ground, channel.account_id);
  return askingVendor(async () => {
    const registered = await driver.readHookAddress(call, address);
    if (registered !== null && registered !== address && !replace) {
      throw refuse(channelRefusals, 'channel.hook_elsewhere', { address: registered.slice(0, 200) });
    }
    if (registered !== address) await driver.registerHook(call, address);
    const listed = (await driver.listChannels(call)).find((one) => one.ref === channel.vendor_ref);
    await ground.transact(async (tx) => {
      await markHookRegistered(tx, channel.account_id);
      if (!listed) return;
      await noteTransport(tx, channel.id, listed.transport);
      await setChannelState(tx, channel.id, listed.state, null);
    });
    return { already: registered === address };
  });
}

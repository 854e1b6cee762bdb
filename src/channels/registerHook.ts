/** Registers our webhook with a vendor. */
import type { AppContext } from '../platform/appContext.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { hookAddress, readApiKey } from './account.ts';
import { channelRefusals } from './contract.ts';
import type { VendorCall } from './driver.ts';
import { driverOf, vendorCall } from './drivers.ts';
import { confirmHookSecret, hashesOfAccount } from './store/hookSecrets.ts';
import { type ChannelRow, findChannel, saveTransport, setChannelState } from './store.ts';
import { refuseVendorErrors } from './vendorErrors.ts';

/** Find a channel; throws `not_found`. */
export async function findChannelOrRefuse(context: AppContext, id: number): Promise<ChannelRow> {
  const channel = await findChannel(context.reader, id);
  if (!channel) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
  return channel;
}

/**
 * Register our address with the channel's vendor. One key has one address, so another's is only replaced with
 * `replace`. Returns whether ours was registered already. Also saves the channel's state.
 */
export async function registerChannelHook(
  context: AppContext,
  channelId: number,
  replace: boolean,
): Promise<{ isRegistered: boolean }> {
  const channel = await findChannelOrRefuse(context, channelId);
  const vendor = vendorCall(context, channel.vendor, await readApiKey(context, channel.account_id));
  const { isRegistered } = await readRegistration(context, { channel, vendor, replace });
  const isConfirmed = isRegistered && (await confirmRegistration(context, channel));
  if (!isConfirmed) await registerPresentAddress(context, channel, vendor);
  return refuseVendorErrors(async () => {
    const channels = await driverOf(channel.vendor).listChannels(vendor);
    const vendorChannel = channels.find((one) => one.ref === channel.vendor_ref);
    await context.transact(async (tx) => {
      if (!vendorChannel) return;
      await saveTransport(tx, channel.id, vendorChannel.transport);
      await setChannelState(tx, { channelId: channel.id, state: vendorChannel.state, qr: null });
    });
    return { isRegistered };
  });
}

/**
 * Ask the vendor whether our present address is registered. Throws if it is that of another program, unless `replace`;
 * former addresses of ours are not.
 */
export async function readRegistration(
  context: AppContext,
  { channel, vendor, replace }: { channel: ChannelRow; vendor: VendorCall; replace: boolean },
): Promise<{ isRegistered: boolean }> {
  const address = await hookAddress(context, channel.account_id);
  const registered = await refuseVendorErrors(() => driverOf(channel.vendor).readHookAddress(vendor, address));
  if (registered === null || registered === address) return { isRegistered: registered === address };
  const isOurs = await createOwnAddressCheck(context, channel.account_id);
  if (!replace && !isOurs(registered))
    throw refuse(channelRefusals, 'channel.hook_elsewhere', { address: registered.slice(0, 200) });
  return { isRegistered: false };
}

/**
 * Register the account's present address, also when the secret is renewed meanwhile: of two calls that overlap, the
 * later may reach the vendor first. Returns until when former addresses are accepted. Throws refusals.
 */
export async function registerPresentAddress(
  context: AppContext,
  channel: ChannelRow,
  vendor: VendorCall,
): Promise<{ formerUntil: string | null }> {
  const isOurs = await createOwnAddressCheck(context, channel.account_id);
  for (;;) {
    const address = await hookAddress(context, channel.account_id);
    await refuseVendorErrors(() => driverOf(channel.vendor).registerHook(vendor, address, isOurs));
    const confirmed = await confirmRegistration(context, channel, address);
    if (confirmed) return confirmed;
  }
}

async function confirmRegistration(
  context: AppContext,
  { account_id: accountId }: ChannelRow,
  address?: string,
): Promise<{ formerUntil: string | null } | false> {
  const hash = fingerprint(secretOf(address ?? (await hookAddress(context, accountId))));
  return context.transact((tx) => confirmHookSecret(tx, { accountId, hash }));
}

const secretOf = (address: string): string => address.split('/').at(-1) ?? '';

/** Create the check whether an address has a secret that the account has or had, at whatever host. */
async function createOwnAddressCheck(context: AppContext, accountId: number): Promise<(address: string) => boolean> {
  const hashes = await hashesOfAccount(context.reader, accountId);
  return (address) => {
    const hash = fingerprint(secretOf(address));
    return hashes.some((one) => one.equals(hash));
  };
}

/** Asks a vendor what became of our messages, where it does not tell by itself; what it answers is stored like a hook. */
import { apiKeyOf } from '../channels/account.ts';
import type { ChannelVendor } from '../channels/contract.ts';
import { type HookItem, VendorRefused } from '../channels/driver.ts';
import { callOf, driverOf } from '../channels/drivers.ts';
import type { Ground } from '../platform/ground.ts';
import { takeToAsk } from './store/fates.ts';
import { storeHooks } from './store/inbox.ts';

/** Asks about the account's messages that are due for it, a few at a time. */
export async function askFates(ground: Ground, accountId: number, vendor: ChannelVendor): Promise<void> {
  const driver = driverOf(vendor);
  if (!driver.askFate) return;
  const asked = await takeToAsk(ground.reader, accountId, ground.config.askVendorSeconds);
  if (asked.length === 0) return;
  const call = callOf(ground, vendor, await apiKeyOf(ground, accountId));
  for (const { extId } of asked) {
    try {
      const fate = await driver.askFate(call, extId);
      if (fate !== null && fate.status !== 'sent')
        await storeHooks(ground.pool, [{ account: accountId, items: [itemOf(extId, fate)] }]);
    } catch (error) {
      // Asked again later, with the others.
      if (error instanceof VendorRefused || isSilence(error)) return;
      throw error;
    }
  }
}

const isSilence = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');

function itemOf(extId: string, fate: Pick<HookItem, 'status' | 'errorCode' | 'errorReason' | 'errorAbout'>): HookItem {
  return {
    kind: 'status',
    channelRef: null,
    extId,
    chatId: null,
    occurredAt: null,
    text: '',
    mediaKind: 'text',
    mediaUrl: null,
    isGroup: false,
    isSilent: true,
    name: null,
    address: null,
    ...fate,
  };
}

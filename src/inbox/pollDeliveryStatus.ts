/** Polls a vendor for the status of our messages if it does not report it. Responses are stored like hooks. */
import { readApiKey } from '../channels/account.ts';
import type { ChannelVendor } from '../channels/contract.ts';
import { type HookItem, VendorRefused } from '../channels/driver.ts';
import { driverOf, vendorCall } from '../channels/drivers.ts';
import type { AppContext } from '../platform/appContext.ts';
import { claimMessagesToPoll } from './store/deliveryPolling.ts';
import { storeHooks } from './store/items.ts';

/** Poll the account's messages that are due, a few at a time. */
export async function pollDeliveryStatus(context: AppContext, accountId: number, vendor: ChannelVendor): Promise<void> {
  const driver = driverOf(vendor);
  if (!driver.fetchDeliveryStatus) return;
  const dueMessages = await claimMessagesToPoll(context.reader, accountId, context.config.vendorPollSeconds);
  if (dueMessages.length === 0) return;
  const call = vendorCall(context, vendor, await readApiKey(context, accountId));
  for (const { extId } of dueMessages) {
    try {
      const report = await driver.fetchDeliveryStatus(call, extId);
      if (report !== null && report.status !== 'sent')
        await storeHooks(context.pool, [{ account: accountId, items: [toHookItem(extId, report)] }]);
    } catch (error) {
      // Polled again later, with the others.
      if (error instanceof VendorRefused || isNoResponse(error)) return;
      throw error;
    }
  }
}

const isNoResponse = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');

function toHookItem(
  extId: string,
  report: Pick<HookItem, 'status' | 'errorCode' | 'errorReason' | 'errorAbout'>,
): HookItem {
  return {
    kind: 'status',
    channelRef: null,
    extId,
    chatId: null,
    occurredAt: null,
    text: '',
    mediaKind: 'text',
    mediaUrl: null,
    notPerson: null,
    name: null,
    address: null,
    ...report,
  };
}

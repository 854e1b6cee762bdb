/** Turns a vendor's refusals and timeouts into refusals of ours, for calls that an operator waits for. */
import { failureReason, NoAnswer, NotSent } from '../platform/outbound.ts';
import { refuse } from '../platform/refuse.ts';
import { channelRefusals } from './contract.ts';
import { VendorRefused } from './driver.ts';

/** Run a vendor call. Throws `channel.vendor_refused` with the vendor's reason, or `channel.vendor_silent`. */
export async function refuseVendorErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof VendorRefused)
      throw refuse(channelRefusals, 'channel.vendor_refused', { reason: error.message });
    if (error instanceof NoAnswer || error instanceof NotSent)
      throw refuse(channelRefusals, 'channel.vendor_silent', { reason: failureReason(error) });
    throw error;
  }
}

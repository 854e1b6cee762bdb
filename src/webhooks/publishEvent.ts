/** Publishes events to the webhooks that want them. */
import type { Tx } from '../platform/db.ts';
import { wakeSweep } from '../platform/notifications.ts';
import { DELIVERIES_SWEEP, type PublishedEvent } from './event.ts';
import { insertDeliveries } from './store/deliveries.ts';

/** Store an event for every active webhook that wants it, in the transaction of its change. Returns how many do. */
export async function publishEvent(tx: Tx, event: PublishedEvent): Promise<number> {
  const count = await insertDeliveries(tx, event);
  if (count > 0) wakeSweep(tx, DELIVERIES_SWEEP);
  return count;
}

/** Notices: alerts of what has happened to a product, for everybody who may see it. */
import type { Notice } from '../../live/contract.ts';
import type { Tx } from '../../platform/db.ts';
import { notify, wakeSweep } from '../../platform/notifications.ts';
import { ALERTS_SWEEP } from './sendPushes.ts';
import { endOpenNotice, insertNotice } from './store/alerts.ts';

/** Raise a notice, once for each key, in the transaction of what it tells. It is over after seven days. */
export async function raiseNotice(
  tx: Tx,
  { productId, key, ...notice }: Notice & { readonly productId: number; readonly key: string },
): Promise<void> {
  const id = await insertNotice(tx, { productId, key, notice });
  if (id !== null) announce(tx, { id, product: productId });
}

/** Withdraw a notice that somebody has acted on. */
export async function endNotice(tx: Tx, key: string): Promise<void> {
  const ended = await endOpenNotice(tx, key);
  if (ended) announce(tx, { id: ended.id, product: ended.product_id });
}

function announce(tx: Tx, { id, product }: { readonly id: number; readonly product: number }): void {
  notify(tx, { topic: 'alert', product, ids: [id] });
  wakeSweep(tx, ALERTS_SWEEP);
}

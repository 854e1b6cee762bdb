/** Sends batch after batch until the server says that was all. */
import { type RetryCount, retryMessages } from '../../outbox/deliveryFailureContract.ts';
import type { BodyInput } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';

export type Which = Pick<BodyInput<typeof retryMessages>, 'narrowing' | 'ids'>;

export interface Sent {
  readonly again: number;
  readonly skipped: number;
  /** Where the next batch begins. */
  readonly after: number;
}

export const NOTHING_SENT: Sent = { again: 0, skipped: 0, after: 0 };

/** Begins after `so`, which a broken connection may have left; tells after each batch how far it is. */
export async function retryOn(
  which: Which,
  { counted_at }: Pick<RetryCount, 'counted_at'>,
  includeUnconfirmed: boolean,
  so: Sent,
  onProgress: (sent: Sent) => void,
): Promise<Sent> {
  let sent = so;
  for (;;) {
    const batch = await call(retryMessages, {
      body: { ...which, counted_at, doubtful: includeUnconfirmed, after: sent.after },
    });
    sent = {
      again: sent.again + batch.same_key + batch.new_key + batch.doubtful,
      skipped: sent.skipped + batch.left,
      after: batch.next ?? sent.after,
    };
    onProgress(sent);
    if (batch.next === null) return sent;
  }
}

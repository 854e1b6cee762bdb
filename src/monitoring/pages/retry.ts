/** Sends messages again, batch after batch, until the server reports the last one. */
import { type RetryCount, retryMessages } from '../../outbox/deliveryFailureContract.ts';
import type { BodyInput } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';

export type Which = Pick<BodyInput<typeof retryMessages>, 'narrowing' | 'ids'>;

export interface Sent {
  readonly again: number;
  readonly skipped: number;
  /** Id after which the next batch starts. */
  readonly after: number;
}

export const NOTHING_SENT: Sent = { again: 0, skipped: 0, after: 0 };

/** Continue after `so`, which an interrupted run may have left, and report the progress after each batch. */
export async function retryOn({
  which,
  count: { counted_at },
  includeUnconfirmed,
  so,
  onProgress,
}: {
  which: Which;
  count: Pick<RetryCount, 'counted_at'>;
  includeUnconfirmed: boolean;
  so: Sent;
  onProgress: (sent: Sent) => void;
}): Promise<Sent> {
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

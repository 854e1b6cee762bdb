/** Sends batch after batch until the server says that was all. */
import { type RetryCount, retryMany } from '../../../dialogues/troubleContract.ts';
import { call } from '../../../kit/api.ts';
import type { BodyInput } from '../../../platform/contract.ts';

export type Which = Pick<BodyInput<typeof retryMany>, 'narrowing' | 'ids'>;

export interface Sent {
  readonly again: number;
  readonly left: number;
  /** Where the next batch begins. */
  readonly after: number;
}

export const NOTHING_SENT: Sent = { again: 0, left: 0, after: 0 };

/** Begins after `so`, which a broken connection may have left; tells after each batch how far it is. */
export async function retryOn(
  which: Which,
  { counted_at }: Pick<RetryCount, 'counted_at'>,
  doubtful: boolean,
  so: Sent,
  tell: (sent: Sent) => void,
): Promise<Sent> {
  let sent = so;
  for (;;) {
    const batch = await call(retryMany, { body: { ...which, counted_at, doubtful, after: sent.after } });
    sent = {
      again: sent.again + batch.same_key + batch.new_key + batch.doubtful,
      left: sent.left + batch.left,
      after: batch.next ?? sent.after,
    };
    tell(sent);
    if (batch.next === null) return sent;
  }
}

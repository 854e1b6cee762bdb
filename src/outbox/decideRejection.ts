/** Decides what a vendor's rejection of a send does to the message, its channel and its account. Pure. */
import type { RefusalAbout } from '../channels/driver.ts';

const MAX_ATTEMPTS = 5;

export interface RejectionEffects {
  /** `requeued`: it is tried again. */
  readonly message: 'failed' | 'unconfirmed' | 'requeued';
  /** Whether the attempt counts, and the next one waits. */
  readonly counts: boolean;
  /** Replies are retried after the pause; first messages stop until the channel reports again. */
  readonly pausesChannel: boolean;
  readonly rejectsKey: boolean;
}

/** Decide about a rejected message. `attempts` includes this one; `maybeDelivered`: an earlier try may have arrived. */
export function decideRejection(
  about: RefusalAbout,
  { attempts, maybeDelivered }: { attempts: number; maybeDelivered: boolean },
): RejectionEffects {
  const isFinal = about === 'message' || about === 'recipient' || (about === 'passing' && attempts >= MAX_ATTEMPTS);
  // If an earlier try may have arrived, only a rejection that says the address has no recipient is certain.
  const isCertain = !maybeDelivered || about === 'recipient';
  return {
    message: !isCertain ? 'unconfirmed' : isFinal ? 'failed' : 'requeued',
    counts: about === 'passing',
    pausesChannel: about === 'channel',
    rejectsKey: about === 'account',
  };
}

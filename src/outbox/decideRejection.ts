/** Decides what a vendor's rejection of a send does to the message, its channel and its account. Pure. */
import type { RefusalAbout } from '../channels/driver.ts';

const MAX_ATTEMPTS = 5;
const CHANNEL_PAUSE_SECONDS = 300;

interface RejectionEffects {
  /** `requeued`: it is tried again. */
  readonly message: 'failed' | 'unconfirmed' | 'requeued';
  /** Whether the attempt counts, and the next one waits. */
  readonly counts: boolean;
  /** Replies are retried after the pause; first messages stop until the channel reports again. Null: no pause. */
  readonly channelPauseSeconds: number | null;
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
    channelPauseSeconds: about === 'channel' ? CHANNEL_PAUSE_SECONDS : null,
    rejectsKey: about === 'account',
  };
}

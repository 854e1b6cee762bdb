/** What a vendor's rejection of a send means to the message, its channel and its account. */

/** What a rejection concerns, which decides who has to act. `passing` rejections are retried. */
export type RejectedAbout = 'message' | 'recipient' | 'channel' | 'account' | 'passing';

export interface Rejection {
  readonly about: RejectedAbout;
  readonly reason: string;
  readonly code: string;
  /** Whether a try before may have arrived. */
  readonly maybeDelivered: boolean;
}

const MAX_ATTEMPTS = 5;
/** How long a channel rests that could not send. */
export const CHANNEL_PAUSE_SECONDS = 300;

export interface RejectionEffects {
  /** `requeued`: it is tried again. */
  readonly message: 'failed' | 'unconfirmed' | 'requeued';
  /** Whether the attempt counts, and the next one waits. */
  readonly counts: boolean;
  /** Replies are retried after the pause; first messages stop until the channel reports again. Null: no pause. */
  readonly channelPauseSeconds: number | null;
  readonly rejectsKey: boolean;
}

/** Decide about a rejected message. `attempts` includes this one. */
export function decideRejection(
  { about, maybeDelivered }: Pick<Rejection, 'about' | 'maybeDelivered'>,
  attempts: number,
): RejectionEffects {
  const isFinal = about === 'message' || about === 'recipient' || (about === 'passing' && attempts >= MAX_ATTEMPTS);
  // If a try before may have arrived, only a rejection that says the address has no recipient is certain.
  const isCertain = !maybeDelivered || about === 'recipient';
  return {
    message: !isCertain ? 'unconfirmed' : isFinal ? 'failed' : 'requeued',
    counts: about === 'passing',
    channelPauseSeconds: about === 'channel' ? CHANNEL_PAUSE_SECONDS : null,
    rejectsKey: about === 'account',
  };
}

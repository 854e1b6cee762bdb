/** What a messenger's refusal of a send does: to the message, its channel, its account. */
import type { SendOutcome } from '../channels/driver.ts';
import { noteDeadKey, restChannel, stopFirstsOf } from '../channels/known.ts';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import type { Surroundings } from './store/dialogues.ts';
import { markFailed, postponeMessage } from './store/messages.ts';
import type { MessageRow } from './store/tables.ts';

const MAX_TRIES = 5;
const LONGEST_PAUSE_SECONDS = 300;
const CHANNEL_REST_SECONDS = 300;

type Rejected = Extract<SendOutcome, { kind: 'rejected' }>;

/** What a refusal means for the message itself, the channel and the account. */
export async function reject(tx: Tx, message: MessageRow, around: Surroundings, outcome: Rejected): Promise<void> {
  switch (outcome.about) {
    case 'message':
    case 'recipient':
      return markFailed(tx, message.id, outcome.reason, outcome.code);
    case 'channel':
      await restChannel(tx, message.channel_id, CHANNEL_REST_SECONDS, outcome.reason);
      // Replies are tried again after the rest; strangers are left alone until the channel is heard of.
      await stopFirstsOf(tx, message.channel_id, outcome.reason);
      return;
    case 'account':
      return noteDeadKey(tx, around.account_id, outcome.reason);
    case 'passing':
      return message.tries < MAX_TRIES ? undefined : markFailed(tx, message.id, outcome.reason, outcome.code);
    default:
      outcome.about satisfies never;
  }
}

/** Back among what waits, unless it has failed. */
export async function putBack(ground: Ground, tx: Tx, message: MessageRow, outcome: Rejected): Promise<void> {
  const { about, reason, code, retryAfterSeconds } = outcome;
  if (about !== 'passing') return postponeMessage(tx, message.id, 0, reason, code, false);
  const backoff = ground.config.retryBaseSeconds * 2 ** (message.tries - 1) * (0.75 + Math.random() / 2);
  const seconds = Math.max(retryAfterSeconds ?? 0, Math.min(backoff, LONGEST_PAUSE_SECONDS));
  return postponeMessage(tx, message.id, seconds, reason, code, true);
}

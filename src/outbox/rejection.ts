/** Applies a vendor's rejection of a send to the message, its channel and its account. */

import type { SendOutcome } from '../channels/driver.ts';
import { pauseChannel, rejectAccountKey, stopChannelFirstMessages } from '../channels/store.ts';
import type { DialogueContext } from '../conversations/store/dialogues.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import type { Tx } from '../platform/db.ts';
import { deferMessage, markFailed } from './store/delivery.ts';

const MAX_ATTEMPTS = 5;
const CHANNEL_PAUSE_SECONDS = 300;

type RejectedOutcome = Extract<SendOutcome, { kind: 'rejected' }>;

/** Apply a rejection to the message, the channel or the account, whichever it is about. */
export async function applyRejection(
  tx: Tx,
  {
    message,
    dialogueContext,
    outcome,
  }: { message: MessageRow; dialogueContext: DialogueContext; outcome: RejectedOutcome },
): Promise<void> {
  switch (outcome.about) {
    case 'message':
    case 'recipient':
      return markFailed(tx, { id: message.id, reason: outcome.reason, code: outcome.code });
    case 'channel':
      await pauseChannel(tx, { channelId: message.channel_id, seconds: CHANNEL_PAUSE_SECONDS, reason: outcome.reason });
      // Replies are retried after the pause; first messages stop until the channel reports again.
      await stopChannelFirstMessages(tx, message.channel_id, outcome.reason);
      return;
    case 'account':
      return rejectAccountKey(tx, dialogueContext.account_id, outcome.reason);
    case 'passing':
      return message.attempts < MAX_ATTEMPTS
        ? undefined
        : markFailed(tx, { id: message.id, reason: outcome.reason, code: outcome.code });
    default:
      outcome.about satisfies never;
  }
}

/** Return the message to the queue, unless it has failed. */
export async function requeue(
  context: AppContext,
  tx: Tx,
  { message, outcome }: { message: MessageRow; outcome: RejectedOutcome },
): Promise<void> {
  const { about, reason, code, retryAfterSeconds } = outcome;
  if (about !== 'passing') return deferMessage(tx, { id: message.id, seconds: 0, reason, code, counts: false });
  const seconds = Math.max(retryAfterSeconds ?? 0, retryDelaySeconds(context, message.attempts - 1));
  return deferMessage(tx, { id: message.id, seconds, reason, code, counts: true });
}

/** Applies a vendor's rejection of a send to the message, its channel and its account. */

import type { SendOutcome } from '../channels/driver.ts';
import { pauseChannel, rejectAccountKey, stopChannelFirstMessages } from '../channels/store.ts';
import type { DialogueContext } from '../conversations/store/dialogues.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import type { Tx } from '../platform/db.ts';
import { decideRejection } from './decideRejection.ts';
import { deferMessage, markFailed, markUnconfirmed } from './store/delivery.ts';

interface RejectedMessage {
  readonly message: MessageRow;
  readonly dialogueContext: DialogueContext;
  readonly outcome: Extract<SendOutcome, { kind: 'rejected' }>;
  readonly maybeDelivered: boolean;
}

/** Apply a rejection to the message, the channel or the account, whichever it is about. */
export async function applyRejection(
  context: AppContext,
  tx: Tx,
  { message, dialogueContext, outcome, maybeDelivered }: RejectedMessage,
): Promise<void> {
  const { id, channel_id: channelId, attempts } = message;
  const { about, reason, code, retryAfterSeconds } = outcome;
  const effects = decideRejection(about, { attempts, maybeDelivered });
  // Each changes only a message that is still sending.
  if (effects.message === 'unconfirmed') await markUnconfirmed(tx, [id], reason);
  if (effects.message === 'failed') await markFailed(tx, { id, reason, code });
  if (effects.channelPauseSeconds !== null) {
    await pauseChannel(tx, { channelId, seconds: effects.channelPauseSeconds, reason });
    await stopChannelFirstMessages(tx, channelId, reason);
  }
  if (effects.rejectsKey) await rejectAccountKey(tx, dialogueContext.account_id, reason);
  if (effects.message !== 'requeued') return;
  const { counts } = effects;
  const seconds = counts ? Math.max(retryAfterSeconds ?? 0, retryDelaySeconds(context, attempts - 1)) : 0;
  await deferMessage(tx, { id, seconds, reason, code, counts });
}

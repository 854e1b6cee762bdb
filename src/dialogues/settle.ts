/** What comes of a send: accepted, refused, or nobody can tell. */
import type { SendOutcome } from '../channels/driver.ts';
import { countTurnFromNow, driverOf } from '../channels/drivers.ts';
import { logAfter } from '../platform/afterCommit.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { announce } from '../platform/live.ts';
import type { Gate } from './gate.ts';
import { previewOf } from './message.ts';
import { putBack, reject } from './refused.ts';
import { applyHeld } from './statuses.ts';
import { findDialogue, learnChatId, noteOutbound, type Surroundings } from './store/dialogues.ts';
import { askFateSoon } from './store/fates.ts';
import { heldEchoOf, lockExtId } from './store/inbox.ts';
import {
  dropDoppelganger,
  learnExtId,
  lockMessage,
  markAccepted,
  markUnconfirmed,
  statusOf,
} from './store/messages.ts';
import type { MessageRow } from './store/tables.ts';

/** How a refused message stands afterwards, in the words of the gate. */
const BECAME: Readonly<Record<string, 'refusedForGood' | 'unknown'>> = {
  error: 'refusedForGood',
  unconfirmed: 'unknown',
};

/** What a vendor has said of a send. */
export interface Spoken {
  readonly message: MessageRow;
  readonly around: Surroundings;
  readonly outcome: SendOutcome;
  /** An earlier try may have arrived. */
  readonly doubtful: boolean;
}

/** Settles what came of a send, once: the message, its channel and account, its lead. */
export async function settle(
  ground: Ground,
  gate: Gate,
  { message, around, outcome, doubtful }: Spoken,
): Promise<void> {
  await ground.transact(async (tx) => {
    await gate.settling(tx, message, around.lead_id);
    const now = outcome.kind === 'accepted' ? undefined : await lockMessage(tx, message.id);
    // In the hand of who inherited it: what that one is told counts.
    if (now?.status === 'sending' && now.claimed_by !== ground.life) return;
    let standing: string | undefined;
    switch (outcome.kind) {
      case 'accepted': {
        const isMarked = await accept(tx, message, around, outcome.messageId, outcome.chatId);
        if (driverOf(around.vendor).askFate && outcome.messageId !== null)
          await askFateSoon(tx, message.id, ground.config.askVendorSeconds);
        // The vendor may have told that nobody is there before it answered.
        const isLost = !isMarked && (await statusOf(tx, message.id)) === 'error';
        await gate.settled(tx, message, around.lead_id, isLost ? 'unknown' : 'accepted');
        break;
      }
      case 'unknown':
        await markUnconfirmed(tx, message.id, outcome.reason);
        await gate.settled(tx, message, around.lead_id, 'unknown');
        break;
      case 'rejected': {
        // Where an earlier try may have arrived, only that nobody has that address is believed.
        const isBelieved = !doubtful || outcome.about === 'recipient';
        if (!isBelieved) await markUnconfirmed(tx, message.id, outcome.reason);
        // Both touch only what is still in hand.
        await reject(tx, message, around, outcome);
        await putBack(ground, tx, message, outcome);
        standing = await statusOf(tx, message.id);
        const became = BECAME[standing ?? ''] ?? 'refused';
        await gate.settled(tx, message, around.lead_id, became);
        break;
      }
      default:
        outcome satisfies never;
    }
    await countTurnFromNow(ground, tx, around);
    logAfter(tx, { message: message.id, outcome: outcome.kind, ...(standing ? { status: standing } : {}) }, 'settled');
    failpoint('send.beforeSettleCommit');
    announce(tx, 'message', message.product_id, [message.id]);
    announce(tx, 'dialogue', message.product_id, [message.dialogue_id]);
  });
}

/** False: something has settled it before. */
export async function accept(
  tx: Tx,
  message: MessageRow,
  around: Surroundings,
  messageId: string | null,
  chatId: string | null,
): Promise<boolean> {
  // Accepted earlier under this key: perhaps the vendor has reported it meanwhile, with its id.
  const echo =
    messageId === null
      ? await heldEchoOf(tx, message.channel_id, chatId ?? (await chatOf(tx, message)), message.message)
      : null;
  const extId = messageId ?? echo?.ext_id ?? null;
  if (extId !== null) await lockExtId(tx, around.account_id, extId);
  if (extId !== null) await dropDoppelganger(tx, message.channel_id, extId, message.id);
  const isMarked = await markAccepted(tx, message.id, extId);
  // A status may have come first and moved it on: the id is what was missing.
  if (!isMarked && extId !== null) await learnExtId(tx, message.id, extId);
  if (chatId !== null) await learnChatId(tx, message.dialogue_id, message.channel_id, chatId);
  await noteOutbound(tx, message.dialogue_id, message.id, previewOf(message.message));
  if (extId !== null) await applyHeld(tx, around.account_id, message, extId);
  return isMarked;
}

/** The chat that a message is for, where it is known. */
export async function chatOf(tx: Tx, message: MessageRow): Promise<string | null> {
  return (await findDialogue(tx, message.dialogue_id))?.chat_id ?? null;
}

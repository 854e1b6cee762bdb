/**
 * The outbox at work: claim the first due message of a dialogue, hand it to the vendor, settle what came of it. One at a
 * time within a dialogue; the claim is a transaction of its own, so no lock is held while the vendor thinks.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { apiKeyOf, hookAddress } from '../channels/account.ts';
import type { SendOutcome } from '../channels/driver.ts';
import { callOf, countTurnFromNow, driverOf, takeAccountTurn } from '../channels/drivers.ts';
import { bookSlot } from '../jobs/pace.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { announce } from '../platform/live.ts';
import { traced } from '../platform/trace.ts';
import type { Gate, Hold } from './gate.ts';
import { insist } from './insist.ts';
import { dialogueName, messageName } from './lost.ts';
import { botObstacle, isTakenBack, queueReason, restReason } from './obstacles.ts';
import { cancelParts } from './parts.ts';
import { accept, chatOf, settle } from './settle.ts';
import { cancelMessage } from './store/cancel.ts';
import { lockDialogue, type Surroundings, surroundings } from './store/dialogues.ts';
import { hasUnreadInbound, heldEchoOf } from './store/inbox.ts';
import {
  claimMessage,
  firstDue,
  hasDue,
  inHand,
  inheritMessage,
  isHeld,
  keyAgeMs,
  markUnconfirmed,
  moveMessage,
  readMessage,
  statusOf,
  updateMessage,
} from './store/messages.ts';
import type { MessageRow } from './store/tables.ts';

/** A repeat must reach the vendor while the key's window, cut by ten seconds, still covers it. */
const REPEAT_TIMEOUT_MS = 8000;

interface Claimed {
  readonly message: MessageRow;
  readonly around: Surroundings;
  /** A life that ended may have handed it to the vendor. */
  readonly inherited?: boolean;
}

/** Sends what is due in a dialogue, in order, until nothing is. */
export function deliver(ground: Ground, gate: Gate, dialogueId: number): Promise<void> {
  return ground.hand.hold(dialogueName(dialogueId), () => deliverDue(ground, gate, dialogueId));
}

async function deliverDue(ground: Ground, gate: Gate, dialogueId: number): Promise<void> {
  for (;;) {
    const next = await peek(ground, dialogueId);
    if (!next) return;
    const { pace } = driverOf(next.vendor);
    if (pace.clock === 'real') {
      const wait = await bookSlot(ground, `send ${next.account_id}`, pace.everyMs, pace.burst);
      if (wait > 0) await pause(wait);
    }
    const claimed = await claim(ground, gate, dialogueId);
    if (claimed === 'again') continue;
    if (!claimed) return;
    failpoint('send.afterClaim');
    await send(ground, gate, claimed);
  }
}

/** Sends a message that was stored already claimed by this life, and then whatever is due behind it. */
export function sendClaimed(ground: Ground, gate: Gate, messageId: number): Promise<void> {
  return ground.hand.hold(messageName(messageId), async () => {
    const message = await insist(ground, () => readMessage(ground.reader, messageId));
    const around = message && (await insist(ground, () => surroundings(ground.reader, message.dialogue_id)));
    if (message?.status !== 'sending' || message.claimed_by !== ground.life || !around) return;
    failpoint('send.afterClaim');
    await send(ground, gate, { message, around });
    await deliver(ground, gate, message.dialogue_id);
  });
}

/** Whether anything may be due, without a lock: spares a vendor's slot where nothing is. */
async function peek(ground: Ground, dialogueId: number): Promise<Surroundings | null> {
  return (await hasDue(ground.reader, dialogueId)) ? surroundings(ground.reader, dialogueId) : null;
}

/** Another dialogue of the account was quicker: what the claim did is undone. */
class NotItsTurn extends Error {}

async function claim(ground: Ground, gate: Gate, dialogueId: number): Promise<Claimed | 'again' | null> {
  try {
    return await claimFirstDue(ground, gate, dialogueId);
  } catch (error) {
    // Looked at again, it says why it waits.
    if (error instanceof NotItsTurn) return 'again';
    throw error;
  }
}

async function claimFirstDue(ground: Ground, gate: Gate, dialogueId: number): Promise<Claimed | 'again' | null> {
  return ground.transact(async (tx) => {
    const dialogue = await lockDialogue(tx, dialogueId);
    if (!dialogue || (await isHeld(tx, dialogueId))) return null;
    const message = await firstDue(tx, dialogueId);
    if (!message?.ready) return null;
    const around = await surroundings(tx, dialogueId);
    if (!around) return null;
    const rest = restReason(around) ?? (await queueReason(tx, around, message));
    if (rest !== null) {
      if (message.reason !== rest) {
        await updateMessage(tx, message.id, { reason: rest });
        announce(tx, 'message', message.product_id, [message.id]);
      }
      return null;
    }
    if (message.author === 'bot') {
      // Stored but not yet read: what the lead wrote decides first.
      if (await hasUnreadInbound(tx, dialogue.channel_id, dialogue.chat_id)) return null;
      const obstacle = await botObstacle(tx, dialogue, message, around.lead_id);
      if (obstacle !== null) {
        await cancelMessage(tx, message.id, obstacle);
        announce(tx, 'message', message.product_id, [message.id]);
        return 'again';
      }
    }
    if (await isTakenBack(tx, message, around)) return 'again';
    const hold = await gate.check(tx, message, around.lead_id);
    if (hold !== null) return put(tx, message, hold);
    // Again: the gate may have waited for others for as long as the vendor knows a key.
    if (await isTakenBack(tx, message, around)) return 'again';
    // Last of all, so that whoever shares the account is held up for a moment only.
    if (!(await takeAccountTurn(ground, tx, around))) throw new NotItsTurn();
    const claimed = await claimMessage(tx, message.id, ground.life, driverOf(around.vendor).keyWindowMs);
    announce(tx, 'message', message.product_id, [message.id]);
    return { message: claimed, around };
  });
}

/** Not now: moved with the parts that follow it, or cancelled. What is moved holds nobody. */
async function put(tx: Tx, message: MessageRow, hold: Hold): Promise<'again'> {
  if (hold.kind === 'cancel') {
    await cancelMessage(tx, message.id, hold.reason);
    announce(tx, 'message', message.product_id, [message.id]);
    await cancelParts(tx, message, hold.reason);
    return 'again';
  }
  announce(tx, 'message', message.product_id, await moveMessage(tx, message, hold.until, hold.reason));
  return 'again';
}

/** Calls the vendor and settles; an unknown outcome is repeated under the same key while the vendor's window is open. */
function send(ground: Ground, gate: Gate, claimed: Claimed): Promise<void> {
  return traced(claimed.message.trace, () => handOver(ground, gate, claimed));
}

async function handOver(ground: Ground, gate: Gate, { message, around, inherited = false }: Claimed): Promise<void> {
  const driver = driverOf(around.vendor);
  // Claimed already: what is needed must be had, or nobody would send it.
  const apiKey = await insist(ground, () => apiKeyOf(ground, around.account_id));
  const call = callOf(ground, around.vendor, apiKey);
  const callbackUrl = driver.askFate ? await insist(ground, () => hookAddress(ground, around.account_id)) : null;
  const firstMs = ground.config.sendTimeoutSeconds * 1000;
  const repeatMs = Math.min(firstMs, REPEAT_TIMEOUT_MS);
  let timeoutMs = message.tries > 1 ? repeatMs : firstMs;
  // Sent again by hand under the key of a try that may have arrived.
  let doubtful = inherited || message.unconfirmed_at !== null;
  for (let repeat = 0; ; repeat++) {
    const asked = performance.now();
    const hand = await insist(ground, () => inHand(ground.reader, message.id));
    // Whoever inherited it while this node was cut off sends it.
    if (hand?.status === 'sending' && hand.claimed_by !== ground.life) return;
    const age = (hand?.key_age_ms ?? 0) + performance.now() - asked;
    if (hand?.status !== 'sending' || ((doubtful || repeat > 0) && age + REPEAT_TIMEOUT_MS / 4 >= driver.keyWindowMs)) {
      // Told by a status meanwhile; or the database was away for so long that the vendor may have forgotten the key.
      const outcome = { kind: 'unknown', reason: 'Nobody can tell whether it arrived' } as const;
      return insist(ground, () => settle(ground, gate, { message, around, outcome, doubtful }));
    }
    ground.log.info({ message: message.id, dialogue: message.dialogue_id, tries: message.tries, repeat }, 'sending');
    failpoint('send.beforeVendor');
    const measured = ground.metrics.sendSeconds.startTimer({ vendor: around.vendor });
    const told = await driver.send(call, {
      channelRef: around.vendor_ref,
      channelType: around.channel_type,
      chatId: hand.chat_id,
      address: hand.address,
      text: message.message,
      key: message.send_key,
      callbackUrl,
      timeoutMs,
    });
    failpoint('send.afterVendorAnswer');
    ground.metrics.sends.inc({ vendor: around.vendor, outcome: told.kind });
    measured({ outcome: told.kind });
    const outcome = doubtful ? inDoubt(told) : told;
    if (outcome.kind === 'unknown' && !(await isAnswered(ground, message.id))) {
      doubtful = true;
      const wanted = told.kind === 'rejected' ? (told.retryAfterSeconds ?? 0) : 0;
      const seconds = Math.max(wanted, Math.min(ground.config.retryBaseSeconds * 2 ** repeat, 10));
      const past = await insist(ground, () => keyAgeMs(ground.reader, message.id));
      if (past + seconds * 1000 + REPEAT_TIMEOUT_MS / 4 < driver.keyWindowMs) {
        await pause(seconds * 1000);
        timeoutMs = repeatMs;
        continue;
      }
    }
    // The vendor has spoken: that must not be forgotten while the database is away.
    await insist(ground, () => settle(ground, gate, { message, around, outcome, doubtful }));
    failpoint('send.afterSettle');
    return;
  }
}

/**
 * Of a message that may have arrived with an earlier try: that the vendor has no time now says nothing of that try. As a
 * refusal it would give back what the message took, and later send it under a new key.
 */
function inDoubt(outcome: SendOutcome): SendOutcome {
  if (outcome.kind !== 'rejected' || outcome.about !== 'passing') return outcome;
  return { kind: 'unknown', reason: outcome.reason };
}

/** Whether a status of the vendor has meanwhile settled the message. */
async function isAnswered(ground: Ground, id: number): Promise<boolean> {
  return (await insist(ground, () => statusOf(ground.reader, id))) !== 'sending';
}

/** A message in the hand of a dead life: repeated under its key while the window is open, else unconfirmed. */
export function inherit(ground: Ground, gate: Gate, messageId: number): Promise<void> {
  return ground.hand.hold(messageName(messageId), () => takeOver(ground, gate, messageId));
}

async function takeOver(ground: Ground, gate: Gate, messageId: number): Promise<void> {
  const inherited = await ground.transact(async (tx) => {
    const message = await inheritMessage(tx, messageId, ground.life);
    if (!message) return null;
    const around = await surroundings(tx, message.dialogue_id);
    if (!around) return null;
    await gate.settling(tx, message, around.lead_id);
    const echo = await heldEchoOf(tx, message.channel_id, await chatOf(tx, message), message.message);
    if (echo) {
      await accept(tx, message, around, echo.ext_id, null);
      await gate.settled(tx, message, around.lead_id, 'accepted');
      announce(tx, 'message', message.product_id, [message.id]);
      return null;
    }
    const late = message.key_age_ms + REPEAT_TIMEOUT_MS / 4 >= driverOf(around.vendor).keyWindowMs;
    if (late || !(await gate.mayRepeat(tx, message))) {
      await markUnconfirmed(tx, message.id, 'Rapport was interrupted while sending; the vendor may or may not have it');
      await gate.settled(tx, message, around.lead_id, 'unknown');
      await countTurnFromNow(ground, tx, around);
      announce(tx, 'message', message.product_id, [message.id]);
      return null;
    }
    return { message, around, inherited: true };
  });
  if (!inherited) return;
  await send(ground, gate, inherited);
  await deliver(ground, gate, inherited.message.dialogue_id);
}

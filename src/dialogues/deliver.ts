/**
 * The outbox at work: claim the first due message of a dialogue, hand it to the vendor, settle what came of it. One at a
 * time within a dialogue; the claim is a transaction of its own, so no lock is held while the vendor thinks.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { apiKeyOf } from '../channels/account.ts';
import type { SendOutcome } from '../channels/driver.ts';
import { callOf, driverOf } from '../channels/drivers.ts';
import { noteDeadKey, restChannel, stopFirstsOf } from '../channels/known.ts';
import { bookSlot } from '../jobs/pace.ts';
import { steadyLead } from '../leads/known.ts';
import { isSilenced } from '../leads/lead.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { announce } from '../platform/live.ts';
import { readProduct } from '../products/product.ts';
import type { Gate, Hold } from './gate.ts';
import { insist } from './insist.ts';
import { previewOf } from './message.ts';
import { applyHeld } from './statuses.ts';
import {
  findDialogue,
  learnChatId,
  lockDialogue,
  noteOutbound,
  type Surroundings,
  surroundings,
} from './store/dialogues.ts';
import { hasUnreadInbound, heldEchoOf, lockExtId } from './store/inbox.ts';
import {
  cancelMessage,
  claimMessage,
  dropDoppelganger,
  firstDue,
  hasDue,
  inheritMessage,
  isHeld,
  keyAgeMs,
  learnExtId,
  markAccepted,
  markFailed,
  markUnconfirmed,
  moveMessage,
  postponeMessage,
  readMessage,
  statusOf,
  updateMessage,
} from './store/messages.ts';
import type { DialogueRow, MessageRow } from './store/tables.ts';

/** A repeat must reach the vendor while the key's window, cut by ten seconds, still covers it. */
const REPEAT_TIMEOUT_MS = 8000;
const MAX_TRIES = 5;
const LONGEST_PAUSE_SECONDS = 300;
const CHANNEL_REST_SECONDS = 300;

interface Claimed {
  readonly message: MessageRow;
  readonly around: Surroundings;
}

/** Sends what is due in a dialogue, in order, until nothing is. */
export async function deliver(ground: Ground, gate: Gate, dialogueId: number): Promise<void> {
  for (;;) {
    const next = await peek(ground, dialogueId);
    if (!next) return;
    const { pace } = driverOf(next.vendor);
    const wait = await bookSlot(ground, `send ${next.account_id}`, pace.everyMs, pace.burst);
    if (wait > 0) await pause(wait);
    const claimed = await claim(ground, gate, dialogueId);
    if (claimed === 'again') continue;
    if (!claimed) return;
    failpoint('send.afterClaim');
    await send(ground, gate, claimed);
  }
}

/** Sends a message that was stored already claimed by this life, and then whatever is due behind it. */
export async function sendClaimed(ground: Ground, gate: Gate, messageId: number): Promise<void> {
  const message = await readMessage(ground.reader, messageId);
  const around = message ? await surroundings(ground.reader, message.dialogue_id) : null;
  if (message?.status !== 'sending' || message.claimed_by !== ground.life || !around) return;
  failpoint('send.afterClaim');
  await send(ground, gate, { message, around });
  await deliver(ground, gate, message.dialogue_id);
}

/** Whether anything may be due, without a lock: spares a vendor's slot where nothing is. */
async function peek(ground: Ground, dialogueId: number): Promise<Surroundings | null> {
  return (await hasDue(ground.reader, dialogueId)) ? surroundings(ground.reader, dialogueId) : null;
}

async function claim(ground: Ground, gate: Gate, dialogueId: number): Promise<Claimed | 'again' | null> {
  return ground.transact(async (tx) => {
    const dialogue = await lockDialogue(tx, dialogueId);
    if (!dialogue || (await isHeld(tx, dialogueId))) return null;
    const message = await firstDue(tx, dialogueId);
    if (!message?.ready) return null;
    const around = await surroundings(tx, dialogueId);
    if (!around) return null;
    const rest = restReason(around);
    if (rest !== null) {
      if (message.reason !== rest) {
        await updateMessage(tx, message.id, { reason: rest });
        await announce(tx, 'message', message.product_id, [message.id]);
      }
      return null;
    }
    if (message.author === 'bot') {
      // Stored but not yet read: what the lead wrote decides first.
      if (await hasUnreadInbound(tx, dialogue.channel_id, dialogue.chat_id)) return null;
      const obstacle = await botObstacle(tx, dialogue, message, around.lead_id);
      if (obstacle !== null) {
        await cancelMessage(tx, message.id, obstacle);
        await announce(tx, 'message', message.product_id, [message.id]);
        return 'again';
      }
    }
    const hold = await gate.check(tx, message, around.lead_id);
    if (hold !== null) return put(tx, message, hold);
    const claimed = await claimMessage(tx, message.id, ground.life, driverOf(around.vendor).keyWindowMs);
    await announce(tx, 'message', message.product_id, [message.id]);
    return { message: claimed, around };
  });
}

/** Not now: moved with the parts that follow it, or cancelled. What is moved holds nobody. */
async function put(tx: Tx, message: MessageRow, hold: Hold): Promise<'again'> {
  if (hold.kind === 'cancel') {
    await cancelMessage(tx, message.id, hold.reason);
    await announce(tx, 'message', message.product_id, [message.id]);
    return 'again';
  }
  await announce(tx, 'message', message.product_id, await moveMessage(tx, message, hold.until, hold.reason));
  return 'again';
}

function restReason(around: Surroundings): string | null {
  if (!around.channel_active) return 'The channel is switched off';
  if (around.dead_reason !== null) return around.dead_reason;
  return around.channel_rests ? (around.rest_reason ?? 'The channel rests') : null;
}

/** Why the bot may not send this now; these checks bind the bot, an operator's message passes them. */
async function botObstacle(tx: Tx, dialogue: DialogueRow, message: MessageRow, leadId: number): Promise<string | null> {
  if (dialogue.owner !== 'bot') return `A human took over (${dialogue.owner_reason ?? 'by hand'})`;
  // Held, so that a deactivation or stage change either is seen here or comes after the claim.
  const lead = await steadyLead(tx, leadId);
  if (!lead?.is_active)
    return lead?.recognized_deactivation_request ? 'The lead asked to be left alone' : 'The lead is deactivated';
  if (isSilenced(lead.stage)) return `The lead is in stage ${lead.stage}`;
  const product = await readProduct(tx, dialogue.product_id);
  if (!product?.is_active) return 'The product is switched off';
  if (message.debounce_guard && message.turn !== null && message.turn !== dialogue.turn)
    return 'The lead wrote again before it left';
  return null;
}

/** Calls the vendor and settles; an unknown outcome is repeated under the same key while the vendor's window is open. */
async function send(ground: Ground, gate: Gate, { message, around }: Claimed): Promise<void> {
  const driver = driverOf(around.vendor);
  const apiKey = await apiKeyOf(ground, around.account_id);
  const call = callOf(ground, around.vendor, apiKey);
  const firstMs = ground.config.sendTimeoutSeconds * 1000;
  const repeatMs = Math.min(firstMs, REPEAT_TIMEOUT_MS);
  let timeoutMs = message.tries > 1 ? repeatMs : firstMs;
  for (let repeat = 0; ; repeat++) {
    const dialogue = await findDialogue(ground.reader, message.dialogue_id);
    failpoint('send.beforeVendor');
    const outcome = await driver.send(call, {
      channelRef: around.vendor_ref,
      channelType: around.channel_type,
      chatId: dialogue?.chat_id ?? null,
      address: dialogue?.address ?? '',
      text: message.message,
      key: message.send_key,
      timeoutMs,
    });
    failpoint('send.afterVendorAnswer');
    ground.metrics.sends.inc({ vendor: around.vendor, outcome: outcome.kind });
    if (outcome.kind === 'unknown' && !(await isAnswered(ground, message.id))) {
      const seconds = Math.min(ground.config.retryBaseSeconds * 2 ** repeat, 10);
      const age = await insist(ground, () => keyAgeMs(ground.reader, message.id));
      if (age + seconds * 1000 + REPEAT_TIMEOUT_MS / 4 < driver.keyWindowMs) {
        await pause(seconds * 1000);
        timeoutMs = repeatMs;
        continue;
      }
    }
    // The vendor has spoken: that must not be forgotten while the database is away.
    await insist(ground, () => settle(ground, gate, message, around, outcome));
    failpoint('send.afterSettle');
    return;
  }
}

/** Whether a status of the vendor has meanwhile settled the message. */
async function isAnswered(ground: Ground, id: number): Promise<boolean> {
  return (await insist(ground, () => statusOf(ground.reader, id))) !== 'sending';
}

async function settle(
  ground: Ground,
  gate: Gate,
  message: MessageRow,
  around: Surroundings,
  outcome: SendOutcome,
): Promise<void> {
  await ground.transact(async (tx) => {
    await gate.settling(tx, message);
    switch (outcome.kind) {
      case 'accepted':
        await accept(tx, message, around, outcome.messageId, outcome.chatId);
        await gate.settled(tx, message, around.lead_id, 'accepted');
        break;
      case 'unknown':
        await markUnconfirmed(tx, message.id, outcome.reason);
        await gate.settled(tx, message, around.lead_id, 'unknown');
        break;
      case 'rejected': {
        await reject(ground, tx, message, around, outcome);
        const forGood = (await statusOf(tx, message.id)) === 'error';
        await gate.settled(tx, message, around.lead_id, forGood ? 'refusedForGood' : 'refused');
        break;
      }
      default:
        outcome satisfies never;
    }
    failpoint('send.beforeSettleCommit');
    await announce(tx, 'message', message.product_id, [message.id]);
    await announce(tx, 'dialogue', message.product_id, [message.dialogue_id]);
  });
}

async function accept(
  tx: Tx,
  message: MessageRow,
  around: Surroundings,
  messageId: string | null,
  chatId: string | null,
): Promise<void> {
  // Accepted earlier under this key: perhaps the vendor has reported it meanwhile, with its id.
  const echo =
    messageId === null
      ? await heldEchoOf(tx, message.channel_id, chatId ?? (await chatOf(tx, message)), message.message)
      : null;
  const extId = messageId ?? echo?.ext_id ?? null;
  if (extId !== null) await lockExtId(tx, around.account_id, extId);
  if (extId !== null) await dropDoppelganger(tx, message.channel_id, extId, message.id);
  await markAccepted(tx, message.id, extId);
  // A status may have come first and moved it on: the id is what was missing.
  if (extId !== null) await learnExtId(tx, message.id, extId);
  if (chatId !== null) await learnChatId(tx, message.dialogue_id, message.channel_id, chatId);
  await noteOutbound(tx, message.dialogue_id, message.id, previewOf(message.message));
  if (extId !== null) await applyHeld(tx, around.account_id, message, extId);
}

async function chatOf(tx: Tx, message: MessageRow): Promise<string | null> {
  return (await findDialogue(tx, message.dialogue_id))?.chat_id ?? null;
}

async function reject(
  ground: Ground,
  tx: Tx,
  message: MessageRow,
  around: Surroundings,
  outcome: Extract<SendOutcome, { kind: 'rejected' }>,
): Promise<void> {
  switch (outcome.about) {
    case 'message':
    case 'recipient':
      return markFailed(tx, message.id, outcome.reason, outcome.code);
    case 'channel':
      await restChannel(tx, message.channel_id, CHANNEL_REST_SECONDS, outcome.reason);
      // Replies are tried again after the rest; strangers are left alone until the channel is heard of.
      await stopFirstsOf(tx, message.channel_id, outcome.reason);
      return postponeMessage(tx, message.id, 0, outcome.reason, outcome.code, false);
    case 'account':
      await noteDeadKey(tx, around.account_id, outcome.reason);
      return postponeMessage(tx, message.id, 0, outcome.reason, outcome.code, false);
    case 'passing': {
      if (message.tries >= MAX_TRIES) return markFailed(tx, message.id, outcome.reason, outcome.code);
      const backoff = ground.config.retryBaseSeconds * 2 ** (message.tries - 1) * (0.75 + Math.random() / 2);
      const seconds = Math.max(outcome.retryAfterSeconds ?? 0, Math.min(backoff, LONGEST_PAUSE_SECONDS));
      return postponeMessage(tx, message.id, seconds, outcome.reason, outcome.code, true);
    }
    default:
      outcome.about satisfies never;
  }
}

/** A message in the hand of a dead life: repeated under its key while the window is open, else unconfirmed. */
export async function inherit(ground: Ground, gate: Gate, messageId: number): Promise<void> {
  const inherited = await ground.transact(async (tx) => {
    const message = await inheritMessage(tx, messageId, ground.life);
    if (!message) return null;
    await gate.settling(tx, message);
    const around = await surroundings(tx, message.dialogue_id);
    if (!around) return null;
    const echo = await heldEchoOf(tx, message.channel_id, await chatOf(tx, message), message.message);
    if (echo) {
      await accept(tx, message, around, echo.ext_id, null);
      await gate.settled(tx, message, around.lead_id, 'accepted');
      await announce(tx, 'message', message.product_id, [message.id]);
      return null;
    }
    const late = message.key_age_ms + REPEAT_TIMEOUT_MS / 4 >= driverOf(around.vendor).keyWindowMs;
    if (late || !(await gate.mayRepeat(tx, message))) {
      await markUnconfirmed(tx, message.id, 'Rapport was interrupted while sending; the vendor may or may not have it');
      await gate.settled(tx, message, around.lead_id, 'unknown');
      await announce(tx, 'message', message.product_id, [message.id]);
      return null;
    }
    return { message, around };
  });
  if (!inherited) return;
  await send(ground, gate, inherited);
  await deliver(ground, gate, inherited.message.dialogue_id);
}

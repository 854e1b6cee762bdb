/** Sends claimed messages: the call to the vendor, its repeats under the same key, and the outcome. */

import { setTimeout as pause } from 'node:timers/promises';
import { openApiKey, openHookAddress } from '../channels/account.ts';
import type { SendOutcome } from '../channels/driver.ts';
import { driverOf, restartSendInterval, vendorCall } from '../channels/drivers.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import { type DialogueContext, findDialogueContext } from '../conversations/store/dialogues.ts';
import { findMessage } from '../conversations/store/messages.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import { findParkedEcho } from '../inbox/store/items.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify } from '../platform/notifications.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { withTrace } from '../platform/trace.ts';
import { findChatId, markMessageAccepted, settle } from './settle.ts';
import { MESSAGES, reclaimMessageRow, renewClaim } from './store/claims.ts';
import { type ClaimState, findClaimStates, findStatus, markUnconfirmed, readKeyAgeMs } from './store/delivery.ts';

/** A retry must reach the vendor within the key's window, which drivers state shortened by ten seconds. */
const RETRY_TIMEOUT_MS = 8000;
/** Longest delay between two tries under the same key. */
const MAX_REPEAT_DELAY_SECONDS = 10;

export interface ClaimedMessage {
  readonly message: MessageRow;
  readonly dialogueContext: DialogueContext;
  /** The claim as it was read together with others, and when (`performance.now()`); by default it is read here. */
  readonly claim?: { readonly state: ClaimState | undefined; readonly readAt: number };
  /** An instance that ended may have sent it to the vendor. */
  readonly reclaimed?: boolean;
}

/**
 * Send a claimed message and settle it, under its trace. Retries an unknown outcome under the same key while the key
 * is valid.
 */
export function sendTraced(context: AppContext, policy: SendPolicy, claimed: ClaimedMessage): Promise<void> {
  return withTrace(claimed.message.trace, () => sendToVendor(context, policy, claimed));
}

async function sendToVendor(
  context: AppContext,
  policy: SendPolicy,
  { message, dialogueContext, claim, reclaimed = false }: ClaimedMessage,
): Promise<void> {
  const driver = driverOf(dialogueContext.vendor);
  const firstMs = context.config.sendTimeoutSeconds * 1000;
  const repeatMs = Math.min(firstMs, RETRY_TIMEOUT_MS);
  let timeoutMs = message.attempts > 1 ? repeatMs : firstMs;
  // An operator requeued it under the key of a try that may have arrived.
  let maybeDelivered = reclaimed || message.unconfirmed_at !== null;
  for (let repeat = 0; ; repeat++) {
    const { state: claimState, readAt } =
      repeat === 0 && claim && holds(claim) ? claim : await readClaim(context, message.id);
    // Another instance reclaimed it while this node was cut off, and sends it.
    if (claimState?.status === 'sending' && claimState.claimed_by !== context.instanceId) return;
    const keyAge = (claimState?.key_age_ms ?? 0) + performance.now() - readAt;
    if (
      claimState?.status !== 'sending' ||
      ((maybeDelivered || repeat > 0) && keyAge + RETRY_TIMEOUT_MS / 4 >= driver.keyWindowMs)
    ) {
      // Either a status has settled it meanwhile, or the database was away for so long that the vendor may have
      // forgotten the key.
      const outcome = { kind: 'unknown', reason: 'Nobody can tell whether it arrived' } as const;
      return retryWhileDatabaseUnavailable(context, () =>
        settle(context, policy, { message, dialogueContext, outcome, maybeDelivered }),
      );
    }
    context.log.info(
      { message: message.id, dialogue: message.dialogue_id, attempts: message.attempts, repeat },
      'sending',
    );
    failpoint('send.beforeVendor');
    const stopTimer = context.metrics.sendSeconds.startTimer({ vendor: dialogueContext.vendor });
    const call = vendorCall(context, dialogueContext.vendor, openApiKey(context, claimState.account));
    const vendorOutcome = await driver.send(call, {
      channelRef: dialogueContext.vendor_ref,
      channelType: dialogueContext.channel_type,
      chatId: claimState.chat_id,
      address: claimState.address,
      text: message.message,
      key: message.send_key,
      callbackUrl: driver.fetchDeliveryStatus ? openHookAddress(context, claimState.account) : null,
      timeoutMs,
    });
    failpoint('send.afterVendorAnswer');
    context.metrics.sends.inc({ vendor: dialogueContext.vendor, outcome: vendorOutcome.kind });
    stopTimer({ outcome: vendorOutcome.kind });
    const outcome = maybeDelivered ? asUnknownIfPassing(vendorOutcome) : vendorOutcome;
    if (outcome.kind === 'unknown' && !(await isSettled(context, message.id))) {
      maybeDelivered = true;
      const retryAfterSeconds = vendorOutcome.kind === 'rejected' ? (vendorOutcome.retryAfterSeconds ?? 0) : 0;
      const seconds = Math.max(retryAfterSeconds, retryDelaySeconds(context, repeat, MAX_REPEAT_DELAY_SECONDS));
      const currentKeyAge = await retryWhileDatabaseUnavailable(context, () =>
        readKeyAgeMs(context.reader, message.id),
      );
      if (currentKeyAge + seconds * 1000 + RETRY_TIMEOUT_MS / 4 < driver.keyWindowMs) {
        await pause(seconds * 1000);
        timeoutMs = repeatMs;
        continue;
      }
    }
    // The vendor has responded: keep retrying, so that the outcome is not lost while the database is away.
    await retryWhileDatabaseUnavailable(context, () =>
      settle(context, policy, { message, dialogueContext, outcome, maybeDelivered }),
    );
    failpoint('send.afterSettle');
    return;
  }
}

type Claim = NonNullable<ClaimedMessage['claim']>;

/** Whether a claim holds since it was read: the process may have been stopped meanwhile. */
const holds = ({ state, readAt }: Claim): boolean => performance.now() - readAt < (state?.lease_ms ?? 0);

/** Renew a claim and read it. */
async function readClaim(context: AppContext, id: number): Promise<Claim> {
  const readAt = performance.now();
  const [state] = await retryWhileDatabaseUnavailable(context, async () => {
    await renewClaim(context.reader, id, context);
    return findClaimStates(context.reader, [id]);
  });
  return { state, readAt };
}

/**
 * Treat a temporary rejection as unknown if an earlier try may have arrived: the rejection says nothing about that
 * try. As a rejection it would give the quota back, and the message would later be sent under a new key.
 */
function asUnknownIfPassing(outcome: SendOutcome): SendOutcome {
  if (outcome.kind !== 'rejected' || outcome.about !== 'passing') return outcome;
  return { kind: 'unknown', reason: outcome.reason };
}

/** Whether a status of the vendor has settled the message meanwhile. */
async function isSettled(context: AppContext, id: number): Promise<boolean> {
  return (await retryWhileDatabaseUnavailable(context, () => findStatus(context.reader, id))) !== 'sending';
}

/** Reclaim a message that no instance sends: resend it under its key while the key is valid, else mark it unconfirmed. */
export async function reclaim(context: AppContext, policy: SendPolicy, id: number): Promise<void> {
  // This instance sends it, and could not renew its claim in time.
  if (context.claims.isHeld(MESSAGES, { id })) return;
  await context.claims.hold(MESSAGES, [{ id }], () => reclaimMessage(context, policy, id));
}

async function reclaimMessage(context: AppContext, policy: SendPolicy, messageId: number): Promise<void> {
  const reclaimed = await context.transact(async (tx) => {
    const found = await findMessage(tx, messageId);
    const dialogueContext = found && (await findDialogueContext(tx, found.dialogue_id));
    if (!dialogueContext) return null;
    // Its lead and dialogue are locked before the message: any other order can deadlock.
    const leads = await policy.beforeSettle(tx, [
      { message: found, leadId: dialogueContext.lead_id, changesQuota: false },
    ]);
    const message = await reclaimMessageRow(tx, messageId, context);
    if (!message) return null;
    const lead = leads.get(dialogueContext.lead_id);
    const echo = await findParkedEcho(tx, {
      channelId: message.channel_id,
      chatId: await findChatId(tx, message),
      text: message.message,
    });
    if (echo) {
      await markMessageAccepted(tx, { message, dialogueContext, messageId: echo.ext_id, chatId: null });
      await policy.afterSettle(tx, [{ message, lead, outcome: 'accepted' }]);
      notify(tx, { topic: 'message', product: message.product_id, ids: [message.id] });
      return null;
    }
    const isTooLate = message.key_age_ms + RETRY_TIMEOUT_MS / 4 >= driverOf(dialogueContext.vendor).keyWindowMs;
    if (isTooLate || !(await policy.canRepeat(tx, message))) {
      await markUnconfirmed(tx, message.id, 'Rapport was interrupted while sending; the vendor may or may not have it');
      await policy.afterSettle(tx, [{ message, lead, outcome: 'unknown' }]);
      await restartSendInterval(context, tx, dialogueContext);
      notify(tx, { topic: 'message', product: message.product_id, ids: [message.id] });
      return null;
    }
    return { message, dialogueContext, reclaimed: true };
  });
  if (!reclaimed) return;
  await sendTraced(context, policy, reclaimed);
}

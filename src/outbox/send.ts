/** Sends claimed messages: the call to the vendor, its repeats under the same key, and the outcome. */

import { setTimeout as pause } from 'node:timers/promises';
import { openApiKey, openHookAddress } from '../channels/account.ts';
import type { Driver, SendOutcome } from '../channels/driver.ts';
import { driverOf, vendorCall } from '../channels/drivers.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { DialogueContext } from '../conversations/store/dialogues.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { failpoint } from '../platform/failpoint.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { withTrace } from '../platform/trace.ts';
import { type SendReport, settle } from './settle.ts';
import { renewClaim } from './store/claims.ts';
import { type ClaimState, findClaimStates, findStatus, readKeyAgeMs } from './store/delivery.ts';
import { findRefusal, noteRefusal } from './withhold.ts';

/** A retry must reach the vendor within the key's window, which drivers state shortened by ten seconds. */
const RETRY_TIMEOUT_MS = 8000;
/** A retry that begins later than this before the end of the window is not begun. */
const RETRY_MARGIN_MS = RETRY_TIMEOUT_MS / 4;
/** Longest delay between two tries under the same key. */
const MAX_REPEAT_DELAY_SECONDS = 10;

/** Whether the vendor may have forgotten a key of this age before a retry reaches it. */
export const isTooLate = ({ keyWindowMs }: Driver, keyAgeMs: number): boolean =>
  keyAgeMs + RETRY_MARGIN_MS >= keyWindowMs;

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
  const sender = { channelId: message.channel_id, accountId: dialogueContext.account_id };
  const settleAs = (outcome: SendReport['outcome']) =>
    // The vendor may have responded: keep retrying, so that the outcome is not lost while the database is away.
    retryWhileDatabaseUnavailable(context, () =>
      settle(context, policy, { message, dialogueContext, outcome, maybeDelivered }),
    );
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
    if (claimState?.status !== 'sending' || ((maybeDelivered || repeat > 0) && isTooLate(driver, keyAge))) {
      // Either a status has settled it meanwhile, or the database was away for so long that the vendor may have
      // forgotten the key.
      return settleAs({ kind: 'unknown', reason: 'Nobody can tell whether it arrived' });
    }
    // Its channel was open when it was claimed, which may be long ago.
    const refusal = maybeDelivered || repeat > 0 ? null : findRefusal(context, sender, claim?.readAt ?? readAt);
    if (refusal !== null) return settleAs({ kind: 'withheld', reason: refusal });
    context.log.info(
      { message: message.id, dialogue: message.dialogue_id, attempts: message.attempts, repeat },
      'sending',
    );
    const vendorOutcome = await callVendor(context, { message, dialogueContext, claimState, timeoutMs });
    const outcome = maybeDelivered ? asUnknownIfPassing(vendorOutcome) : vendorOutcome;
    if (outcome.kind === 'unknown' && !(await isSettled(context, message.id))) {
      maybeDelivered = true;
      const retryAfterSeconds = vendorOutcome.kind === 'rejected' ? (vendorOutcome.retryAfterSeconds ?? 0) : 0;
      const seconds = Math.max(retryAfterSeconds, retryDelaySeconds(context, repeat, MAX_REPEAT_DELAY_SECONDS));
      const currentKeyAge = await retryWhileDatabaseUnavailable(context, () =>
        readKeyAgeMs(context.reader, message.id),
      );
      if (!isTooLate(driver, currentKeyAge + seconds * 1000)) {
        await pause(seconds * 1000);
        timeoutMs = repeatMs;
        continue;
      }
    }
    const endRefusal = outcome.kind === 'rejected' ? noteRefusal(context, { ...sender, ...outcome }) : null;
    await settleAs(outcome).finally(endRefusal);
    failpoint('send.afterSettle');
    return;
  }
}

/** Call the vendor once. Every outcome is a value. */
async function callVendor(
  context: AppContext,
  { message, dialogueContext, claimState, timeoutMs }: ClaimedMessage & { claimState: ClaimState; timeoutMs: number },
): Promise<SendOutcome> {
  failpoint('send.beforeVendor');
  const driver = driverOf(dialogueContext.vendor);
  const stopTimer = context.metrics.sendSeconds.startTimer({ vendor: dialogueContext.vendor });
  const call = vendorCall(context, dialogueContext.vendor, openApiKey(context, claimState.account));
  const outcome = await driver.send(call, {
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
  context.metrics.sends.inc({ vendor: dialogueContext.vendor, outcome: outcome.kind });
  stopTimer({ outcome: outcome.kind });
  return outcome;
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

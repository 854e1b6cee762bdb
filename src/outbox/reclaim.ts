/**
 * Reclaims messages that no instance sends any more, since it died or was cut off: many at once, so that each is sent
 * again before the vendor forgets its key.
 */

import type { SendOutcome } from '../channels/driver.ts';
import { driverOf, restartSendInterval } from '../channels/drivers.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import { loadConversations } from '../engine/postgres/load.ts';
import type { SweepTools } from '../jobs/sweeps.ts';
import type { AppContext } from '../platform/appContext.ts';
import { isTooSlow, isUnavailable, type Tx } from '../platform/db.ts';
import { type ClaimedMessage, isTooLate } from './send.ts';
import { type Answer, applyAnswers } from './settle.ts';
import { reclaimQueue, startSending } from './startSending.ts';
import { findOrphans, MESSAGES, type Orphan, type ReclaimedMessage, reclaimMessages } from './store/claims.ts';

/** Most messages that are looked at together. */
const LIMIT = 500;

const INTERRUPTED = 'Rapport was interrupted while sending; the vendor may or may not have it';

/**
 * Reclaim messages, the oldest keys first, as many of each account as are sent at once: others leave the rest to other
 * instances. Returns whether more may be reclaimed at once.
 */
export async function reclaimOrphans(context: AppContext, policy: SendPolicy, tools: SweepTools): Promise<boolean> {
  const found = await findOrphans(context.reader, LIMIT);
  const orphans = withinRoom(context, found, tools);
  if (orphans.length === 0) return false;
  const claimed = await reclaimBatch(context, policy, orphans);
  for (const end of await startSending(context, policy, { claimed, tools }))
    if (orphans.length < found.length) void end.then(() => tools.wake());
  return found.length === LIMIT && orphans.length === LIMIT;
}

/** Leave out what this instance sends and could not renew in time, and what its queues have no room for. */
function withinRoom(context: AppContext, orphans: readonly Orphan[], tools: SweepTools): Orphan[] {
  const busy = new Map(tools.queues());
  return orphans.filter(({ id, account_id: account }) => {
    if (context.claims.isHeld(MESSAGES, { id })) return false;
    const queue = reclaimQueue(account);
    const count = busy.get(queue) ?? 0;
    if (count >= context.config.concurrency) return false;
    busy.set(queue, count + 1);
    return true;
  });
}

/** Reclaim in one transaction. If it fails, each half is tried by itself, until the message that fails is alone. */
async function reclaimBatch(
  context: AppContext,
  policy: SendPolicy,
  orphans: readonly Orphan[],
): Promise<ClaimedMessage[]> {
  try {
    return await context.transact((tx) => reclaimAll(context, policy, { tx, orphans }));
  } catch (error) {
    if (isUnavailable(error) || isTooSlow(error)) throw error;
    if (orphans.length === 1) {
      context.log.error({ message: orphans[0]?.id, error: String(error) }, 'a message cannot be reclaimed');
      return [];
    }
    const middle = Math.ceil(orphans.length / 2);
    const first = await reclaimBatch(context, policy, orphans.slice(0, middle));
    return [...first, ...(await reclaimBatch(context, policy, orphans.slice(middle)))];
  }
}

async function reclaimAll(
  context: AppContext,
  policy: SendPolicy,
  { tx, orphans }: { tx: Tx; orphans: readonly Orphan[] },
): Promise<ClaimedMessage[]> {
  await policy.lockQueues(
    tx,
    orphans.map((message) => ({ message, changesQuota: false })),
  );
  // A message whose lead or dialogue another transaction has locked is left to the next look: the others cannot wait.
  const locked = await loadConversations(tx, orphans, { skipsLocked: true });
  const reclaimed = await reclaimMessages(tx, { ids: [...locked.byMessage.keys()], claimant: context });
  if (reclaimed.length === 0) return [];
  const repeatable = await policy.findRepeatable(
    tx,
    reclaimed.map(({ message }) => message),
  );
  const answers: Answer[] = [];
  const claimed: ClaimedMessage[] = [];
  for (const one of reclaimed) {
    const { message, dialogueContext, echo } = one;
    const decision = decideReclaim(one, repeatable.has(message.id));
    if (decision === 'repeat') claimed.push({ message, dialogueContext, reclaimed: true });
    else answers.push({ message, dialogueContext, maybeDelivered: true, extId: echo, chatId: null, outcome: decision });
  }
  if (answers.length === 0) return claimed;
  const asked = answers.map(({ message: { id }, extId }) => ({ id, extId }));
  await applyAnswers(context, tx, { loaded: await loadConversations(tx, asked), answers });
  await policy.afterSettle(
    tx,
    answers.map(({ message, outcome }) => ({ message, outcome: outcome.kind === 'accepted' ? 'accepted' : 'unknown' })),
  );
  for (const { dialogueContext, outcome } of answers)
    if (outcome.kind === 'unknown') await restartSendInterval(context, tx, dialogueContext);
  return claimed;
}

/** Decide what becomes of a message that an instance may have sent. Pure. */
function decideReclaim(
  { echo, keyAgeMs, dialogueContext }: ReclaimedMessage,
  isRepeatable: boolean,
): Extract<SendOutcome, { kind: 'accepted' | 'unknown' }> | 'repeat' {
  // The vendor has reported it.
  if (echo !== null) return { kind: 'accepted', messageId: echo, chatId: null };
  if (isRepeatable && !isTooLate(driverOf(dialogueContext.vendor), keyAgeMs)) return 'repeat';
  return { kind: 'unknown', reason: INTERRUPTED };
}

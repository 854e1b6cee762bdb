/**
 * Sends first messages: the queues of many products side by side, and of each the head in batches, within its quotas. A
 * product that waits for a model or a vendor does not delay others.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { SweepTools } from '../jobs/sweeps.ts';
import { startClaimed } from '../outbox/startSending.ts';
import type { AppContext } from '../platform/appContext.ts';
import { failpoint } from '../platform/failpoint.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { createSemaphore } from '../platform/semaphore.ts';
import { BATCH_SIZE, type Batch, claimBatch, findFirsts, loadHead } from './claimFirstMessages.ts';
import { armsOf, hasDocuments, type Texts } from './firstTexts.ts';
import { type FirstTextSources, makeFirstTexts, readFirstTextSources, sourceOf } from './messageText.ts';
import { claimQueues, QUEUES, readQueueHead, releaseQueue } from './store/firstMessages.ts';

/** Products whose queues one sweep starts. */
const MAX_QUEUES = 200;
/** Longest wait for a rate limit before the queue is looked at again. */
const MAX_WAIT_MS = 1000;

/** Transactions of queues at once; more would only wait for the database. */
const takeTurn = createSemaphore(4);

const NO_TEXTS: Texts = new Map();

/** Claim the queues that are due, and serve them. Returns what a sweep does: when more are due. */
export async function serveQueues(
  context: AppContext,
  policy: SendPolicy,
  tools: SweepTools,
): Promise<boolean | number> {
  const { productIds, nextMs } = await claimQueues(context.reader, context, MAX_QUEUES);
  for (const productId of productIds)
    tools.start(`first ${productId}`, `first:${productId}`, () =>
      context.claims.hold(QUEUES, [{ product_id: productId }], () => serveQueue(context, policy, { productId, tools })),
    );
  return productIds.length === MAX_QUEUES || (nextMs ?? Number.POSITIVE_INFINITY);
}

/** Send what may go now, batch by batch. */
async function serveQueue(
  context: AppContext,
  policy: SendPolicy,
  { productId, tools }: { productId: number; tools: SweepTools },
): Promise<void> {
  const sending = new Set<Promise<void>>();
  let isDone = false;
  try {
    for (let unchanged = 0; !isDone && unchanged < 2; ) {
      const sources = await readFirstTextSources(context.reader, productId);
      const documents = sources && hasDocuments(sources) ? await makeNextDocument(context, sources) : NO_TEXTS;
      const limit = BATCH_SIZE - sending.size;
      const batch = await takeTurn(() => claimBatch(context, { productId, sources, documents, tools, limit }));
      for (const one of await startBatch(context, policy, { batch, tools })) {
        const ended: Promise<void> = one.then(() => void sending.delete(ended));
        sending.add(ended);
      }
      ({ isDone } = batch);
      if (isDone) break;
      unchanged = batch.hasChanged ? 0 : unchanged + 1;
      if (Number.isFinite(batch.waitMs)) await pause(Math.min(batch.waitMs, MAX_WAIT_MS));
      while (sending.size > BATCH_SIZE / 4) await Promise.race(sending);
    }
  } catch (error) {
    context.log.warn({ product: productId, error: String(error) }, 'a queue of first messages could not be served');
  } finally {
    if (!isDone)
      await retryWhileDatabaseUnavailable(context, () => releaseQueue(context.reader, productId, context.instanceId));
  }
}

/** Start to send what a batch has claimed. Returns when each has ended. */
async function startBatch(
  context: AppContext,
  policy: SendPolicy,
  { batch: { messageIds }, tools }: { batch: Batch; tools: SweepTools },
): Promise<Promise<void>[]> {
  if (messageIds.length === 0) return [];
  failpoint('first.afterClaim');
  return startClaimed(context, policy, { ids: messageIds, tools });
}

/** Make the document of the next lead that needs one, before its message is claimed: a model may take its time. */
async function makeNextDocument(context: AppContext, sources: FirstTextSources): Promise<Texts> {
  const { reader, cipher } = context;
  const head = await loadHead(
    { reader, hasher: cipher },
    { productId: sources.base.product.id, limit: BATCH_SIZE },
    readQueueHead,
  );
  const firsts = head ? findFirsts(head) : [];
  const arms = await armsOf(reader, sources.experiment, firsts);
  const next = firsts.find(({ leadId }) => sourceOf(sources.base, arms.get(leadId)).kind === 'document');
  if (!next) return NO_TEXTS;
  const source = sourceOf(sources.base, arms.get(next.leadId));
  const texts = await makeFirstTexts(context, { reader, source, targets: [next] });
  if (texts.size > 0) failpoint('first.afterText');
  return texts;
}

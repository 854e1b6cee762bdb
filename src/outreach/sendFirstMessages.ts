/** Send first messages: the head of a product's queue, one after another, within its quotas. */

import { setTimeout as pause } from 'node:timers/promises';
import { readAccountRateLimit, reserveSend } from '../channels/drivers.ts';
import { findChannel } from '../channels/store.ts';
import { openDialogue } from '../conversations/openDialogue.ts';
import { BOT_MESSAGE, queueMessages } from '../conversations/queueMessages.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import { findContact } from '../conversations/store/dialogues.ts';
import { hasUnprocessedInboundFrom } from '../conversations/store/unprocessed.ts';
import { reserveRate } from '../jobs/store/rateLimit.ts';
import { findSuppressed } from '../leads/store/suppressedAddresses.ts';
import { lockLeadForShare } from '../leads/store.ts';
import { linkRunToMessage } from '../llm/runs.ts';
import { queueClaimKey } from '../outbox/lostClaims.ts';
import { sendClaimed } from '../outbox/send.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { dayAt } from '../platform/days.ts';
import type { Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { Refusal } from '../platform/refuse.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { stopIfUnacknowledged } from './channelSafety.ts';
import { toPlanResult } from './evaluateDue.ts';
import { MAX_TEXT_RETRY_SECONDS, makeFirstMessageText, type TextResult } from './messageText.ts';
import type { Decision } from './plan.ts';
import { plan } from './plan.ts';
import { readCounters, readLeadFacts, readSettings } from './store/facts.ts';
import {
  canSendFirstMessage,
  claimQueue,
  deferQueue,
  findClaimedQueues,
  lockQueue,
  type PlanResult,
  planState,
  readAttempts,
  readQueueHead,
  recordFailure,
  recordFirstMessage,
  releaseQueue,
  removeFromQueue,
  savePlanResults,
  takeQuota,
} from './store/outreach.ts';

/**
 * Leads of each messenger evaluated together. Those whose working hours have ended meanwhile leave the queue at once.
 */
const QUEUE_HEAD_SIZE = 20;
/** Seconds until a lead with an unprocessed inbound message is evaluated again. Real clock. */
const UNREAD_RETRY_SECONDS = 2;
/** Messages with the vendor at the same time if the product has no interval. */
const MAX_CONCURRENT = 8;

type FirstDecision = Extract<Decision, { kind: 'first' }>;

interface QueueHead {
  readonly decisions: FirstDecision[];
  /** True if the product has an interval between first messages. */
  readonly hasInterval: boolean;
  /** Today in the product's time zone, in days since 1970. */
  readonly day: number;
}

/** Send the product's first messages that the quotas allow now, unless another worker holds the queue. */
export function sendFirstMessages(context: AppContext, policy: SendPolicy, productId: number): Promise<void> {
  return context.claims.track(queueClaimKey(productId), async () => {
    if (!(await claimQueue(context.reader, productId, context.instanceId))) return;
    try {
      await processQueue(context, policy, productId);
    } finally {
      await retryWhileDatabaseUnavailable(context, () => releaseQueue(context.reader, productId, context.instanceId));
    }
  });
}

/** Release queues whose rows claim this instance while no task of it works on them. */
export async function releaseLostQueues(context: AppContext): Promise<void> {
  const rows = (await findClaimedQueues(context.reader, context.instanceId)).map((id) => ({
    id,
    keys: [queueClaimKey(id)],
  }));
  for (const id of context.claims.findLost('lines', rows)) {
    context.log.warn({ product: id }, 'this instance has claimed the queue of first messages and does not work on it');
    await releaseQueue(context.reader, id, context.instanceId);
  }
}

async function processQueue(context: AppContext, policy: SendPolicy, productId: number): Promise<void> {
  const sending = new Set<Promise<void>>();
  try {
    for (;;) {
      const { decisions: dueDecisions, hasInterval } = await context.transact((tx) =>
        readQueueHeadDecisions(tx, productId, null),
      );
      if (dueDecisions.length === 0) return;
      // One evaluation of the queue serves all leads that may go now; each is evaluated again when it is claimed.
      for (const decision of dueDecisions) {
        const id = await createFirstMessage(context, productId, decision);
        if (id === null) continue;
        failpoint('first.afterClaim');
        const delivery = sendClaimed(context, policy, id).finally(() => sending.delete(delivery));
        sending.add(delivery);
        // With an interval, no other message may go before this one is settled. Without one, a few are sent at once.
        if (hasInterval || sending.size >= MAX_CONCURRENT) await Promise.race(sending);
      }
    }
  } finally {
    await Promise.all(sending);
  }
}

/**
 * Decide which leads go now, with the queue locked. With `onlyLeadId`, decide whether that lead still may go. Saves
 * what the plan decides about leads that leave the queue, and when the queue is due again.
 */
async function readQueueHeadDecisions(tx: Tx, productId: number, onlyLeadId: number | null): Promise<QueueHead> {
  await lockQueue(tx, productId);
  // Lock the lead, so that a deactivation is either visible here or comes after the claim.
  if (onlyLeadId !== null) await lockLeadForShare(tx, onlyLeadId);
  const settings = await readSettings(tx, productId);
  if (!settings) return { decisions: [], hasInterval: true, day: 0 };
  const hasInterval = (settings.firstMessages?.intervalSeconds ?? 0) > 0;
  for (;;) {
    const counters = await readCounters(tx, settings);
    const day = dayAt(settings.zone, counters.now);
    const head = onlyLeadId === null ? await readQueueHead(tx, productId, QUEUE_HEAD_SIZE) : [onlyLeadId];
    const leads = await readLeadFacts(tx, head);
    const decisions = plan({ leads, counters }, settings, counters.now);
    const results: PlanResult[] = [];
    let until: number | null = null;
    const dueDecisions: FirstDecision[] = [];
    for (const decision of decisions) {
      if (decision.kind === 'first') dueDecisions.push(decision);
      else if (decision.kind === 'wait' && decision.queue !== null)
        until = decision.until === null ? until : Math.min(until ?? Number.POSITIVE_INFINITY, decision.until);
      else results.push(toPlanResult(decision, leads, counters.now));
    }
    await savePlanResults(tx, results);
    if (dueDecisions.length > 0) return { decisions: dueDecisions, hasInterval, day };
    // The leads that left the queue made room for others behind them.
    if (results.length > 0 && onlyLeadId === null) continue;
    if (onlyLeadId === null) await deferQueue(tx, productId, until);
    return { decisions: dueDecisions, hasInterval, day };
  }
}

/**
 * Make the text, then claim: dialogue, message and quota in one transaction. Returns the id of the message, claimed by
 * this instance.
 */
async function createFirstMessage(
  context: AppContext,
  productId: number,
  decision: FirstDecision,
): Promise<number | null> {
  const { leadId, contactId } = decision;
  const state = await planState(context.reader, leadId);
  const text = await makeFirstMessageText(context, { productId, leadId, contactId });
  failpoint('first.afterText');
  if (text.kind === 'failed') {
    const seconds = text.isPermanent
      ? null
      : retryDelaySeconds(context, await readAttempts(context.reader, leadId), MAX_TEXT_RETRY_SECONDS);
    await context.transact((tx) =>
      recordFailure(tx, { leadId, reason: { code: 'text', reason: text.reason }, pauseSeconds: seconds, state }),
    );
    return null;
  }
  const rateLimit = await readAccountRateLimit(context.reader, decision.channelId);
  const waitMs = rateLimit
    ? await reserveRate(context, {
        key: `send ${rateLimit.accountId}`,
        everyMs: rateLimit.everyMs,
        burst: rateLimit.burst,
      })
    : 0;
  if (waitMs > 0) await pause(waitMs);
  return context.transact((tx) => claimFirstMessage(context, tx, { productId, leadId, text }));
}

async function claimFirstMessage(
  context: AppContext,
  tx: Tx,
  { productId, leadId, text }: { productId: number; leadId: number; text: Extract<TextResult, { kind: 'made' }> },
): Promise<number | null> {
  const {
    decisions: [decision],
    day,
  } = await readQueueHeadDecisions(tx, productId, leadId);
  if (!decision) return null;
  const contact = await findContact(tx, decision.contactId);
  const channel = await findChannel(tx, decision.channelId);
  if (!contact || !channel) return null;
  // The plan only knows channels that had already stopped when it was evaluated.
  if ((await stopIfUnacknowledged(tx, channel.id)) !== null) return null;
  // Another product has just used the account: the plan then waits for its next free time.
  if (!(await reserveSend(context, tx, channel))) return null;
  if ((await findSuppressed(tx, context.cipher, { productId, addresses: [contact.address] })).size > 0) {
    await recordFailure(tx, { leadId, reason: { code: 'forgotten' }, pauseSeconds: null });
    return null;
  }
  // For example after a message that was cancelled, or requeued and never sent: nobody gets a first message twice.
  if (!(await canSendFirstMessage(tx, { productId, address: contact.address, leadId }))) {
    await recordFailure(tx, { leadId, reason: { code: 'talked' }, pauseSeconds: null });
    return null;
  }
  // The lead has written, and the message is about to be processed.
  if (await hasUnprocessedInboundFrom(tx, channel.id, contact.address)) {
    await recordFailure(tx, { leadId, reason: { code: 'answer_first' }, pauseSeconds: UNREAD_RETRY_SECONDS });
    return null;
  }
  try {
    const { dialogue } = await openDialogue(tx, contact, channel.id);
    const [messageId] = await queueMessages(tx, dialogue, {
      text: text.text,
      ...BOT_MESSAGE,
      turn: dialogue.turn,
      replyOn: null,
      prompt: text.prompt,
      renderedPrompt: text.renderedPrompt,
      model: text.model,
      preparedMessageId: text.preparedMessageId,
      pingConfigId: null,
      pingStepNumber: null,
      origin: 'first',
      claimedBy: context.instanceId,
    });
    if (messageId === undefined) return null;
    if (text.runId !== null) await linkRunToMessage(tx, text.runId, messageId);
    const { address } = contact;
    if (!(await recordFirstMessage(tx, { productId, address, leadId, contactId: contact.id, messageId })))
      throw new Error('The plan let a person be written to twice');
    await removeFromQueue(tx, leadId);
    await takeQuota(tx, { productId, channelId: channel.id, type: channel.channel_type, messageId, leadId, day });
    failpoint('first.beforeCommit');
    return messageId;
  } catch (error) {
    // Another transaction opened this very dialogue a moment ago.
    if (!(error instanceof Refusal)) throw error;
    await recordFailure(tx, { leadId, reason: { code: 'address_busy' }, pauseSeconds: null });
    return null;
  }
}

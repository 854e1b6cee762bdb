/**
 * Sends first messages: the queues of many products side by side, and of each the head in batches, within its quotas. A
 * product that waits for a model or a vendor does not delay others.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { BOT_MESSAGE, queueTexts } from '../conversations/queueMessages.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import { openDialogues } from '../conversations/store/dialogues.ts';
import type { SweepTools } from '../jobs/sweeps.ts';
import { findSuppressed } from '../leads/store/suppressedAddresses.ts';
import { linkRunToMessage } from '../llm/runs.ts';
import { queueClaimKey } from '../outbox/lostClaims.ts';
import { reserveSends } from '../outbox/reserveSends.ts';
import { countSending, startSending } from '../outbox/startSending.ts';
import { loadClaimedMessages } from '../outbox/store/claims.ts';
import type { AppContext } from '../platform/appContext.ts';
import { dayAt } from '../platform/days.ts';
import { isTooSlow, isUnavailable, type Reader, type Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { stopUnacknowledged } from './channelSafety.ts';
import {
  decideFirstMessages,
  type FirstDecision,
  type FirstMessage,
  type QueueDecision,
} from './decideFirstMessages.ts';
import type { Settings } from './facts.ts';
import { type FirstText, makeFirstMessageTexts } from './messageText.ts';
import { plan } from './plan.ts';
import type { PlanResult } from './planResult.ts';
import { type CountersNow, type LeadOfProduct, readCounters, readLeadFacts, readSettings } from './store/facts.ts';
import {
  type ClaimedFirstMessage,
  claimQueues,
  deferQueue,
  findClaimedQueues,
  loadRecipients,
  lockQueue,
  readQueueHead,
  recordFirstMessages,
  releaseQueue,
  type SenderFacts,
  takeQuotas,
} from './store/firstMessages.ts';
import { recordFailures, savePlanResults } from './store/outreach.ts';

/** Products whose queues one sweep starts. */
const MAX_QUEUES = 200;
/** Leads of each messenger evaluated together, and most messages of a product that are with the vendor at once. */
const BATCH_SIZE = 16;
/** Longest wait for a rate limit before the queue is looked at again. */
const MAX_WAIT_MS = 1000;

type Texts = ReadonlyMap<number, FirstText>;

/** Claim the queues that are due, and serve them. Returns what a sweep does: when more are due. */
export async function serveQueues(
  context: AppContext,
  policy: SendPolicy,
  tools: SweepTools,
): Promise<boolean | number> {
  await releaseLostQueues(context);
  const { productIds, nextMs } = await claimQueues(context.reader, context.instanceId, MAX_QUEUES);
  for (const productId of productIds)
    tools.start(`first ${productId}`, `first:${productId}`, () =>
      context.claims.track(queueClaimKey(productId), () => serveQueue(context, policy, { productId, tools })),
    );
  return productIds.length === MAX_QUEUES || (nextMs ?? Number.POSITIVE_INFINITY);
}

/** Release queues whose rows claim this instance while no task of it works on them. */
async function releaseLostQueues(context: AppContext): Promise<void> {
  const rows = (await findClaimedQueues(context.reader, context.instanceId)).map((id) => ({
    id,
    keys: [queueClaimKey(id)],
  }));
  for (const id of context.claims.findLost('lines', rows)) {
    context.log.warn({ product: id }, 'this instance has claimed the queue of first messages and does not work on it');
    await releaseQueue(context.reader, id, context.instanceId);
  }
}

/** What became of a batch. */
interface Batch {
  readonly messageIds: readonly number[];
  /** Whether nothing more can go now: the queue is released until it is due again. */
  readonly isDone: boolean;
  /** Whether the queue is another one now. */
  readonly hasChanged: boolean;
  /** Milliseconds until an account's rate limit allows the next send. */
  readonly waitMs: number;
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
      const targets = (await findDueLeads(context.reader, productId)).slice(0, BATCH_SIZE - sending.size);
      const texts = targets.length === 0 ? new Map() : await makeFirstMessageTexts(context, productId, targets);
      if (texts.size > 0) failpoint('first.afterText');
      const batch = await claimBatch(context, { productId, texts, tools });
      const { messageIds } = batch;
      if (messageIds.length > 0) {
        failpoint('first.afterClaim');
        const claimed = await retryWhileDatabaseUnavailable(context, () =>
          loadClaimedMessages(context.reader, messageIds, context.instanceId),
        );
        for (const ended of await startSending(context, policy, { claimed, tools })) {
          const one: Promise<void> = ended.then(() => void sending.delete(one));
          sending.add(one);
        }
      }
      ({ isDone } = batch);
      if (isDone) break;
      unchanged = batch.hasChanged ? 0 : unchanged + 1;
      if (Number.isFinite(batch.waitMs)) await pause(Math.min(batch.waitMs, MAX_WAIT_MS));
      while (sending.size > BATCH_SIZE / 2) await Promise.race(sending);
    }
  } catch (error) {
    context.log.warn({ product: productId, error: String(error) }, 'a queue of first messages could not be served');
  } finally {
    if (!isDone)
      await retryWhileDatabaseUnavailable(context, () => releaseQueue(context.reader, productId, context.instanceId));
  }
}

interface QueueHead {
  readonly settings: Settings;
  readonly counters: CountersNow;
  readonly leads: readonly LeadOfProduct[];
  /** Whether others may wait behind them. */
  readonly isFull: boolean;
}

async function loadHead(reader: Reader, productId: number): Promise<QueueHead | null> {
  const settings = await readSettings(reader, productId);
  if (!settings) return null;
  const counters = await readCounters(reader, settings);
  const { leadIds, isFull } = await readQueueHead(reader, productId, BATCH_SIZE);
  return { settings, counters, leads: await readLeadFacts(reader, leadIds), isFull };
}

/** Find the leads of a queue that may go now, so that their texts are made. They are evaluated again when claimed. */
async function findDueLeads(reader: Reader, productId: number): Promise<FirstDecision[]> {
  const head = await loadHead(reader, productId);
  return head ? plan(head, head.settings, head.counters.now).filter((decision) => decision.kind === 'first') : [];
}

/**
 * Claim the first messages of the leads that have a text, in one transaction. If it fails, each half is tried by
 * itself, until the lead that cannot be claimed is alone: it leaves the queue and is tried again later.
 */
async function claimBatch(
  context: AppContext,
  { productId, texts, tools }: { productId: number; texts: Texts; tools: SweepTools },
): Promise<Batch> {
  try {
    return await context.transact((tx) => claimInQueue(context, tx, { productId, texts, tools }));
  } catch (error) {
    const [first, ...others] = texts;
    if (isUnavailable(error) || isTooSlow(error) || !first) throw error;
    if (others.length > 0) {
      const middle = Math.ceil(texts.size / 2);
      const halves: Batch[] = [];
      for (const half of [[...texts].slice(0, middle), [...texts].slice(middle)])
        halves.push(await claimBatch(context, { productId, texts: new Map(half), tools }));
      return {
        messageIds: halves.flatMap(({ messageIds }) => messageIds),
        isDone: false,
        hasChanged: true,
        waitMs: Math.min(...halves.map(({ waitMs }) => waitMs)),
      };
    }
    const [leadId, { retrySeconds }] = first;
    context.log.error({ lead: leadId, error: String(error) }, 'a first message cannot be claimed');
    const reason = { code: 'text', reason: 'The message could not be stored' } as const;
    await context.transact((tx) => recordFailures(tx, [{ leadId, reason, pauseSeconds: retrySeconds }]));
    return { messageIds: [], isDone: false, hasChanged: true, waitMs: Number.POSITIVE_INFINITY };
  }
}

async function claimInQueue(
  context: AppContext,
  tx: Tx,
  { productId, texts, tools }: { productId: number; texts: Texts; tools: SweepTools },
): Promise<Batch> {
  await lockQueue(tx, productId, [...texts.keys()]);
  const head = await loadHead(tx, productId);
  const { decision, senders } = head
    ? await decideHead(context, tx, { head, texts })
    : { decision: EMPTY, senders: new Map() };
  const { claims, failed, left, pending, until } = decision;
  const { granted, waitMs } = await reserveSends(
    context,
    tx,
    withinRoom(context, { claims, senders, tools }),
    ({ channelId }) => senders.get(channelId) ?? NO_ACCOUNT,
  );
  const stored = await storeClaims(context, tx, { productId, claims: granted });
  if (stored.length > 0 && head) {
    const day = dayAt(head.settings.zone, head.counters.now);
    await takeQuotas(tx, { productId, day, firsts: stored });
  }
  await savePlanResults(tx, [...left, ...stored.map(({ leadId }) => ({ ...OUTGOING, leadId }))]);
  await recordFailures(tx, failed);
  const hasLeft = left.length + failed.length > 0;
  const hasInterval = (head?.settings.firstMessages?.intervalSeconds ?? 0) > 0;
  // Those that left a full head made room for others behind them; with an interval, these must wait as well.
  const isSeen = !head?.isFull || (!hasLeft && (stored.length === 0 || hasInterval));
  const isDone = isSeen && pending.length === 0 && stored.length === claims.length;
  if (isDone) await deferQueue(tx, { productId, until, instanceId: context.instanceId });
  if (stored.length > 0) failpoint('first.beforeCommit');
  return {
    messageIds: stored.map(({ messageId }) => messageId),
    isDone,
    hasChanged: hasLeft || stored.length > 0,
    waitMs,
  };
}

const EMPTY: QueueDecision = { claims: [], failed: [], left: [], pending: [], until: null };
const NO_ACCOUNT = { id: 0, vendor: 'wazzup24' } as const;
/** The plan of a lead whose message is claimed. It is evaluated again once the message is settled. */
const OUTGOING: Omit<PlanResult, 'leadId'> = {
  nextAt: null,
  queue: null,
  nextAction: null,
  nextActionAt: null,
  reason: { code: 'outgoing' },
};

type Senders = ReadonlyMap<number, { readonly id: number; readonly vendor: SenderFacts['vendor'] }>;

/** Load what decides about the leads that have a text, and decide. */
async function decideHead(
  context: AppContext,
  tx: Tx,
  { head, texts }: { head: QueueHead; texts: Texts },
): Promise<{ decision: QueueDecision; senders: Senders }> {
  const { productId, links } = head.settings;
  const targets = head.leads.flatMap(({ id: leadId, contacts }) =>
    contacts.flatMap(({ id: contactId, address }) =>
      texts.get(leadId)?.contactId === contactId ? [{ contactId, leadId, address }] : [],
    ),
  );
  if (targets.length === 0) {
    const none = { recipients: new Map(), suppressed: new Set<string>() };
    return { decision: decideFirstMessages({ ...head, texts, ...none }), senders: new Map() };
  }
  // The plan only knows channels that had already stopped when it was evaluated.
  const stopped = await stopUnacknowledged(
    tx,
    links.map(({ channelId }) => channelId),
  );
  const settings = {
    ...head.settings,
    links: links.map((link) => ({ ...link, blockReason: stopped.get(link.channelId) ?? link.blockReason })),
  };
  const { recipients, senders } = await loadRecipients(tx, productId, targets);
  const suppressed = await findSuppressed(tx, context.cipher, {
    productId,
    addresses: targets.map(({ address }) => address),
  });
  const decision = decideFirstMessages({
    ...head,
    settings,
    texts,
    suppressed,
    recipients: new Map(recipients.map((recipient) => [recipient.contactId, recipient])),
  });
  return {
    decision,
    senders: new Map(senders.map(({ channelId, accountId: id, vendor }) => [channelId, { id, vendor }])),
  };
}

/** Return the claims for which the queues of their accounts have room. */
function withinRoom(
  { config }: AppContext,
  { claims, senders, tools }: { claims: readonly FirstMessage[]; senders: Senders; tools: SweepTools },
): FirstMessage[] {
  const busy = countSending(tools);
  return claims.filter(({ channelId }) => {
    const account = senders.get(channelId)?.id;
    const count = account === undefined ? config.concurrency : (busy.get(account) ?? 0);
    if (account !== undefined) busy.set(account, count + 1);
    return count < config.concurrency;
  });
}

/** Store first messages, claimed by this instance. Left out are those whose address somebody else is writing to. */
async function storeClaims(
  context: AppContext,
  tx: Tx,
  { productId, claims }: { productId: number; claims: readonly FirstMessage[] },
): Promise<ClaimedFirstMessage[]> {
  if (claims.length === 0) return [];
  const opened = await openDialogues(
    tx,
    claims.map(({ contactId, channelId, type, address }) => ({
      product_id: productId,
      contact_id: contactId,
      channel_id: channelId,
      chat_id: type === 'whatsapp' ? address : null,
      address,
    })),
  );
  const dialogues = new Map(opened.map((dialogue) => [dialogue.contact_id, dialogue]));
  const texts = claims.flatMap((claim) => {
    const dialogue = dialogues.get(claim.contactId);
    return dialogue ? [{ claim, dialogue, outgoing: outgoingOf(claim, dialogue.turn, context.instanceId) }] : [];
  });
  if (texts.length === 0) return [];
  const ids = await queueTexts(tx, texts);
  const stored: ClaimedFirstMessage[] = [];
  for (const [index, { claim }] of texts.entries()) {
    const messageId = ids[index]?.[0];
    if (messageId === undefined) throw new Error(`The first message of lead ${claim.leadId} has no text`);
    const { leadId, contactId, channelId, type, address } = claim;
    stored.push({ messageId, leadId, contactId, channelId, type, address });
    if (claim.text.runId !== null) await linkRunToMessage(tx, claim.text.runId, messageId);
  }
  if ((await recordFirstMessages(tx, productId, stored)) < stored.length)
    throw new Error('The plan let a person be written to twice');
  return stored;
}

const outgoingOf = ({ text }: FirstMessage, turn: number, claimedBy: string) => ({
  text: text.text,
  ...BOT_MESSAGE,
  turn,
  replyOn: null,
  prompt: text.prompt,
  renderedPrompt: text.renderedPrompt,
  model: text.model,
  preparedMessageId: text.preparedMessageId,
  pingConfigId: null,
  pingStepNumber: null,
  origin: 'first' as const,
  claimedBy,
});

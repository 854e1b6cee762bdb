/** Claims first messages of a product's queue, in one transaction: its head is loaded, decided about, and stored. */

import { BOT_MESSAGE, queueTexts } from '../conversations/queueMessages.ts';
import { openDialogues } from '../conversations/store/dialogues.ts';
import { type LeadArm, storeArms } from '../experiments/assign.ts';
import type { SweepTools } from '../jobs/sweeps.ts';
import { findSuppressed } from '../leads/store/suppressedAddresses.ts';
import { linkRunToMessage } from '../llm/runs.ts';
import { reserveSends } from '../outbox/reserveSends.ts';
import { countSending } from '../outbox/startSending.ts';
import type { AppContext } from '../platform/appContext.ts';
import { dayAt } from '../platform/days.ts';
import { isTooSlow, isUnavailable, type Reader, type Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Claimant } from '../platform/lease.ts';
import type { Hasher } from '../platform/secretCipher.ts';
import { stopUnacknowledged } from './channelSafety.ts';
import {
  decideFirstMessages,
  type FirstDecision,
  type FirstMessage,
  type QueueDecision,
} from './decideFirstMessages.ts';
import type { Settings } from './facts.ts';
import { makeTexts, type Texts } from './firstTexts.ts';
import { type FirstTextSources, MAX_TEXT_RETRY_SECONDS } from './messageText.ts';
import { plan } from './plan.ts';
import type { PlanResult } from './planResult.ts';
import { type CountersNow, type LeadOfProduct, readCounters, readLeadFacts } from './store/facts.ts';
import {
  type ClaimedFirstMessage,
  deferQueue,
  loadRecipients,
  lockQueue,
  lockQueueHead,
  type QueueHead,
  recordFirstMessages,
  type SenderFacts,
  takeQuotas,
} from './store/firstMessages.ts';
import { recordFailures, savePlanResults } from './store/outreach.ts';
import { readSettings } from './store/planSettings.ts';

/** Leads of each messenger evaluated together, and most messages of a product that are claimed at once. */
export const BATCH_SIZE = 48;
/**
 * Messages of an account that are claimed for each one that may be with the vendor: as many wait as are there, so that
 * a batch, which costs as much for one message as for many, is not smaller than it need be. More would wait longer after
 * the check of their working hours when a vendor is slow.
 */
const CLAIMED_PER_SEND = 2;

/** What became of a batch. */
export interface Batch {
  readonly messageIds: readonly number[];
  /** Whether nothing more can go now: the queue is released until it is due again. */
  readonly isDone: boolean;
  /** Whether the queue is another one now. */
  readonly hasChanged: boolean;
  /** Milliseconds until an account's rate limit allows the next send. */
  readonly waitMs: number;
}

/** The head of a queue as it was read. */
export interface Head {
  readonly settings: Settings;
  readonly counters: CountersNow;
  readonly leads: readonly LeadOfProduct[];
  /** Whether others may wait behind them. */
  readonly isFull: boolean;
}

/** Load the head of a queue; null if the product is gone. */
export async function loadHead<R extends Reader>(
  { reader, hasher }: { readonly reader: R; readonly hasher: Hasher },
  { productId, limit }: { readonly productId: number; readonly limit: number },
  readHead: (reader: R, productId: number, limit: number) => Promise<QueueHead>,
): Promise<Head | null> {
  const { leadIds, isFull } = await readHead(reader, productId, limit);
  const settings = await readSettings(reader, productId);
  if (!settings) return null;
  const counters = await readCounters(reader, settings);
  return { settings, counters, leads: await readLeadFacts(reader, hasher, leadIds), isFull };
}

/** Find the leads that may go now, in order. */
export const findFirsts = ({ settings, counters, leads }: Head): FirstDecision[] =>
  plan({ leads, counters }, settings, counters.now).filter((decision) => decision.kind === 'first');

interface BatchInput {
  readonly productId: number;
  readonly sources: FirstTextSources | null;
  readonly documents: Texts;
  readonly tools: SweepTools;
  /** Most messages to claim. */
  readonly limit: number;
  /** The only leads to claim for. */
  readonly only?: readonly number[];
}

/**
 * Claim first messages in one transaction. If it fails, each half is tried by itself, until the lead for which none can
 * be claimed is alone: it leaves the queue and is tried again later.
 */
export async function claimBatch(context: AppContext, input: BatchInput): Promise<Batch> {
  let tried: readonly number[] = [];
  try {
    return await context.transact((tx) => {
      const onTry = (leadIds: readonly number[]) => {
        tried = leadIds;
      };
      return claimInQueue(context, tx, { ...input, onTry });
    });
  } catch (error) {
    const [leadId, ...others] = tried;
    if (isUnavailable(error) || isTooSlow(error) || leadId === undefined) throw error;
    if (others.length > 0) {
      const middle = Math.ceil(tried.length / 2);
      const halves: Batch[] = [];
      for (const only of [tried.slice(0, middle), tried.slice(middle)])
        halves.push(await claimBatch(context, { ...input, only }));
      return {
        messageIds: halves.flatMap(({ messageIds }) => messageIds),
        isDone: false,
        hasChanged: true,
        waitMs: Math.min(...halves.map(({ waitMs }) => waitMs)),
      };
    }
    context.log.error({ lead: leadId, error: String(error) }, 'a first message cannot be claimed');
    const reason = { code: 'text', reason: 'The message could not be stored' } as const;
    await context.transact((tx) => recordFailures(tx, [{ leadId, reason, pauseSeconds: MAX_TEXT_RETRY_SECONDS }]));
    return { messageIds: [], isDone: false, hasChanged: true, waitMs: Number.POSITIVE_INFINITY };
  }
}

async function claimInQueue(
  context: AppContext,
  tx: Tx,
  { onTry, ...input }: BatchInput & { readonly onTry: (leadIds: readonly number[]) => void },
): Promise<Batch> {
  const { productId, tools } = input;
  await lockQueue(tx, productId);
  const head = await loadHead({ reader: tx, hasher: context.cipher }, input, lockQueueHead);
  const { decision, senders, arms } = head
    ? await decideHead(context, tx, { read: head, ...input })
    : { decision: EMPTY, senders: NO_SENDERS, arms: NO_ARMS };
  const { claims, failed, left, pending, until } = decision;
  const { granted, waitMs } = await reserveSends(context, tx, {
    items: withinRoom(context, { claims, senders, tools }),
    accountOf: ({ channelId }) => senders.get(channelId) ?? NO_ACCOUNT,
  });
  onTry(granted.map(({ leadId }) => leadId));
  const stored = await storeClaims(context, tx, { productId, claims: granted });
  if (stored.length > 0 && head) {
    const day = dayAt(head.settings.zone, head.counters.now);
    await takeQuotas(tx, { productId, day, firsts: stored });
  }
  await storeArms(tx, new Map([...arms].filter(([id]) => stored.some(({ leadId }) => leadId === id))));
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
const NO_SENDERS: Senders = new Map();
const NO_ARMS: ReadonlyMap<number, LeadArm> = new Map();

/** Make the texts of the leads that may go, load what else decides about them, and decide. */
async function decideHead(
  context: AppContext,
  tx: Tx,
  { read, sources, documents, limit, only }: BatchInput & { readonly read: Head },
): Promise<{ decision: QueueDecision; senders: Senders; arms: ReadonlyMap<number, LeadArm> }> {
  const { productId } = read.settings;
  const head = { ...read, settings: await stopSilentChannels(tx, read) };
  const firsts = findFirsts(head)
    .filter(({ leadId }) => only?.includes(leadId) ?? true)
    .slice(0, limit);
  const { texts, arms } =
    sources && firsts.length > 0
      ? await makeTexts(context, tx, { sources, documents, firsts })
      : { texts: documents, arms: NO_ARMS };
  const targets = head.leads.flatMap(({ id: leadId, contacts }) =>
    contacts.flatMap(({ id: contactId, address }) =>
      texts.get(leadId)?.contactId === contactId ? [{ contactId, leadId, address }] : [],
    ),
  );
  if (targets.length === 0) {
    const none = { recipients: new Map(), suppressed: new Set<string>() };
    return { decision: decideFirstMessages({ ...head, texts, ...none }), senders: NO_SENDERS, arms };
  }
  const { recipients, senders } = await loadRecipients(tx, productId, targets);
  const addresses = targets.map(({ address }) => address);
  const suppressed = await findSuppressed(tx, context.cipher, { productId, addresses });
  const byContact = new Map(recipients.map((recipient) => [recipient.contactId, recipient]));
  return {
    decision: decideFirstMessages({ ...head, texts, suppressed, recipients: byContact }),
    senders: new Map(senders.map(({ channelId, accountId: id, vendor }) => [channelId, { id, vendor }])),
    arms,
  };
}

/** Stop channels that nobody acknowledges: the plan only knows those that had stopped when it was evaluated. */
async function stopSilentChannels(tx: Tx, { settings, leads }: Head): Promise<Settings> {
  if (leads.length === 0) return settings;
  const { links } = settings;
  const stopped = await stopUnacknowledged(
    tx,
    links.map(({ channelId }) => channelId),
  );
  return {
    ...settings,
    links: links.map((link) => ({ ...link, blockReason: stopped.get(link.channelId) ?? link.blockReason })),
  };
}

/** Return the claims for which the queues of their accounts have room. */
function withinRoom(
  { config }: AppContext,
  { claims, senders, tools }: { claims: readonly FirstMessage[]; senders: Senders; tools: SweepTools },
): FirstMessage[] {
  const busy = countSending(tools);
  const room = config.concurrency * CLAIMED_PER_SEND;
  return claims.filter(({ channelId }) => {
    const account = senders.get(channelId)?.id;
    const count = account === undefined ? room : (busy.get(account) ?? 0);
    if (account !== undefined) busy.set(account, count + 1);
    return count < room;
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
    claims.map(({ contactId, channelId, address }) => ({
      product_id: productId,
      contact_id: contactId,
      channel_id: channelId,
      address,
    })),
  );
  const dialogues = new Map(opened.map((dialogue) => [dialogue.contact_id, dialogue]));
  const texts = claims.flatMap((claim) => {
    const dialogue = dialogues.get(claim.contactId);
    return dialogue ? [{ claim, dialogue, outgoing: outgoingOf(claim, dialogue.turn, context) }] : [];
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

const outgoingOf = ({ text }: FirstMessage, turn: number, claimedBy: Claimant) => ({
  text: text.text,
  isMarkdown: text.isMarkdown,
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

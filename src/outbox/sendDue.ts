/**
 * Sends due messages: claims those of many dialogues at once, one of each, and calls the vendors beside it. Every
 * condition is checked in the claiming transaction, and no lock is held during a vendor's call.
 */

import { randomUUID } from 'node:crypto';
import { driverOf } from '../channels/drivers.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import { type Loaded, loadConversations, loadWaiting } from '../engine/postgres/load.ts';
import { withParts } from '../engine/rules/waiting.ts';
import { applyEvents } from '../engine/steps/applyEvents.ts';
import type { SweepTools } from '../jobs/sweeps.ts';
import { readOptOuts } from '../leads/store/optOuts.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { inHalves, tryHalves } from '../platform/inHalves.ts';
import { notify } from '../platform/notifications.ts';
import { blockBy, decideSend, type SendChange, type SendDecision } from './decideSend.ts';
import { reopenWait } from './reopenWait.ts';
import { reserveSends } from './reserveSends.ts';
import type { ClaimedMessage } from './send.ts';
import { countSending, startSending } from './startSending.ts';
import {
  type DueDialogues,
  type DueMessage,
  loadDueMessages,
  lockDueDialogues,
  noteClosedChannels,
  type RoomOfAccounts,
} from './store/dueMessages.ts';

const CANNOT_BE_CLAIMED = 'It could not be sent because of an error in Rapport; it is tried again';

/** Most dialogues of one claim. */
const LIMIT = 100;

/** Accounts whose room the last claim has filled: more of their messages may be due. */
const fullAccounts = new WeakMap<AppContext, ReadonlySet<number>>();

/**
 * Claim due messages and start to send them. A vendor that hangs fills the room of its own account only. Returns what a
 * sweep does: true if more may be due, else the milliseconds until it is.
 */
export async function sendDue(context: AppContext, policy: SendPolicy, tools: SweepTools): Promise<boolean | number> {
  const perAccount = context.config.concurrency;
  const room = { perAccount, busy: countSending(tools) };
  const { nextMs, waitMs, ...batch } = await claimBatch(context, policy, room);
  for (const { dialogueContext } of batch.claimed)
    room.busy.set(dialogueContext.account_id, (room.busy.get(dialogueContext.account_id) ?? 0) + 1);
  fullAccounts.set(context, new Set([...room.busy].flatMap(([id, count]) => (count >= perAccount ? [id] : []))));
  await sendBeside(context, policy, { claimed: batch.claimed, tools });
  let { hasMore } = batch;
  for (const due of batch.needQuota) {
    const claims = await inHalves([due], {
      work: () => claimWithQuota(context, policy, due),
      onFailure: (failed, error) => deferFailed(context, failed.message.dialogue_id, error),
    });
    for (const claim of claims) {
      hasMore ||= claim.hasMore;
      await sendBeside(context, policy, { claimed: claim.claimed, tools });
    }
  }
  if (batch.expired.length > 0) await context.transact((tx) => expireMessages(tx, batch.expired));
  if (batch.hasClosed)
    await context.transact(async (tx) => {
      for (const { id, product_id: product } of await noteClosedChannels(tx))
        notify(tx, { topic: 'message', product, ids: [id] });
    });
  return hasMore || Math.min(nextMs, waitMs);
}

/** Leave messages to people whose keys the vendor has forgotten: an earlier try may have arrived. */
async function expireMessages(tx: Tx, expired: Claim['expired']): Promise<void> {
  const events = expired.map(({ id, reason }) => ({ message: id, event: { kind: 'expired', reason } as const }));
  await applyEvents(tx, { loaded: await loadConversations(tx, expired), events });
}

/** Start to send, and look for more when one has left its account's room. */
async function sendBeside(
  context: AppContext,
  policy: SendPolicy,
  sending: Parameters<typeof startSending>[2],
): Promise<void> {
  const ends = await startSending(context, policy, sending);
  for (const [index, { dialogueContext }] of sending.claimed.entries())
    void ends[index]?.then(() => {
      if (fullAccounts.get(context)?.has(dialogueContext.account_id)) sending.tools.wake();
    });
}

/** Claim a first message that needs a place in the day's quota, with the locks that this takes. */
const claimWithQuota = (context: AppContext, policy: SendPolicy, { message }: DueMessage): Promise<Claim> =>
  context.transact(async (tx) => {
    await policy.lockQueues(tx, [{ message, changesQuota: true }]);
    await loadConversations(tx, [message]);
    const { ids } = await lockDueDialogues(tx, { ids: [message.dialogue_id] });
    return claimDue(context, policy, { tx, ids, reservesQuota: true });
  });

/** Claim in one transaction. A dialogue whose message cannot be claimed is deferred, and does not block the others. */
async function claimBatch(
  context: AppContext,
  policy: SendPolicy,
  room: RoomOfAccounts,
): Promise<Claim & DueDialogues> {
  let due: DueDialogues = { ids: [], hasClosed: false, nextMs: Number.POSITIVE_INFINITY };
  const claims = await context
    .transact(async (tx) => {
      due = await lockDueDialogues(tx, { limit: LIMIT, room });
      return [await claimDue(context, policy, { tx, ids: due.ids })];
    })
    .catch((error: unknown) =>
      tryHalves(error, due.ids, {
        work: (asked) =>
          context.transact(async (tx) => {
            const { ids } = await lockDueDialogues(tx, { ids: asked });
            return claimDue(context, policy, { tx, ids });
          }),
        onFailure: (id, failure) => deferFailed(context, id, failure),
      }),
    );
  return {
    ...due,
    claimed: claims.flatMap(({ claimed }) => claimed),
    needQuota: claims.flatMap(({ needQuota }) => needQuota),
    expired: claims.flatMap(({ expired }) => expired),
    hasMore: claims.some(({ hasMore }) => hasMore) || due.ids.length === LIMIT,
    waitMs: Math.min(...claims.map(({ waitMs }) => waitMs)),
  };
}

/** Defer the due message of a dialogue that cannot be claimed. */
async function deferFailed(context: AppContext, dialogueId: number, error: unknown): Promise<Claim> {
  context.log.error({ dialogue: dialogueId, error: String(error) }, 'the due message of a dialogue cannot be claimed');
  await context.transact(async (tx) => {
    const loaded = await loadWaiting(tx, { dialogueIds: [dialogueId] });
    const first = firstDue(loaded);
    if (first !== null)
      await applyEvents(tx, {
        loaded,
        events: [{ message: first, event: { kind: 'postponed', reason: CANNOT_BE_CLAIMED } }],
      });
  });
  return NOTHING;
}

interface Claim {
  readonly claimed: readonly ClaimedMessage[];
  /** First messages that need a place in the day's quota, with the locks that this takes. */
  readonly needQuota: readonly DueMessage[];
  /** Messages whose keys the vendor has forgotten: their leads are locked before their dialogues. */
  readonly expired: readonly { readonly id: number; readonly reason: string }[];
  /** Whether not all that was looked at has left, so that what is behind it may be due. */
  readonly hasMore: boolean;
  /** Milliseconds until an account's rate limit allows the next send. */
  readonly waitMs: number;
}

const NOTHING: Claim = { claimed: [], needQuota: [], expired: [], hasMore: false, waitMs: Number.POSITIVE_INFINITY };

/** Decide about the first due message of each locked dialogue, and store what was decided. */
async function claimDue(
  context: AppContext,
  policy: SendPolicy,
  { tx, ids, reservesQuota = false }: { tx: Tx; ids: readonly number[]; reservesQuota?: boolean },
): Promise<Claim> {
  if (ids.length === 0) return NOTHING;
  const { dues, loaded } = await loadDueMessages(tx, ids);
  if (dues.length === 0) return NOTHING;
  const check = await policy.loadCheck(tx, [...new Set(dues.map(({ message }) => message.product_id))]);
  const changes: SendChange[] = [];
  const claims: DueMessage[] = [];
  const unanswered: MessageRow[] = [];
  const needQuota: DueMessage[] = [];
  const expired: { id: number; reason: string }[] = [];
  const optOuts = await readOptOuts(
    tx,
    context.cipher,
    dues.filter(dependsOnOptOut).map(({ lead }) => lead.id),
  );
  for (const due of dues) {
    let decision = decideSend({ ...due, personOptOut: optOuts.get(due.lead.id) ?? null }, check);
    if (decision.kind === 'quota' && reservesQuota) decision = await decideQuota(policy, tx, due);
    if (decision.kind === 'quota') needQuota.push(due);
    else if (decision.kind === 'claim') claims.push(due);
    else if (decision.kind === 'expired') expired.push(decision);
    else if (decision.kind === 'change') {
      changes.push(decision);
      // Nobody was to answer the lead beside it.
      if (decision.event.kind === 'cancelled' && due.message.author !== 'bot') unanswered.push(due.message);
    }
  }
  const { granted, waitMs } = await reserveSends(context, tx, {
    items: claims,
    accountOf: ({ context: { account_id: id, vendor } }) => ({ id, vendor }),
  });
  const claimed = await claimMessages(context, tx, { granted, loaded });
  const dialogueOf = new Map(dues.map(({ message }) => [message.id, message.dialogue_id]));
  await holdBack(tx, { changes, dialogueOf });
  for (const message of unanswered) {
    await reopenWait(tx, message);
    notify(tx, { topic: 'dialogue', product: message.product_id, ids: [message.dialogue_id] });
  }
  return {
    claimed,
    needQuota,
    expired,
    hasMore: changes.length > 0 || (claimed.length > 0 && claimed.length < dues.length),
    waitMs,
  };
}

/** Claim messages. Returns those that are this instance's now: the vendor may have forgotten the key of one meanwhile. */
async function claimMessages(
  context: AppContext,
  tx: Tx,
  { granted, loaded }: { granted: readonly DueMessage[]; loaded: Loaded },
): Promise<ClaimedMessage[]> {
  if (granted.length === 0) return [];
  const { instanceId: by, config } = context;
  const { leaseSeconds } = config;
  const events = granted.map(({ message: { id }, context: { vendor } }) => {
    const keySeconds = driverOf(vendor).keyWindowMs / 1000;
    return { message: id, event: { kind: 'claimed', by, leaseSeconds, keySeconds, key: randomUUID() } as const };
  });
  const outcomes = await applyEvents(tx, { loaded, events });
  return granted.flatMap(({ message, context: dialogueContext }) => {
    const outcome = outcomes.get(message.id);
    if (outcome?.after.status !== 'sending') return [];
    const { status, attempts, send_key } = outcome.after;
    return [{ message: { ...message, status, attempts, send_key }, dialogueContext }];
  });
}

/** Note on messages why they do not leave, move them or cancel them, with the other parts of their texts. */
async function holdBack(
  tx: Tx,
  { changes, dialogueOf }: { changes: readonly SendChange[]; dialogueOf: ReadonlyMap<number, number> },
): Promise<void> {
  if (changes.length === 0) return;
  const dialogueIds = changes.map(({ id }) => dialogueOf.get(id) ?? 0);
  const loaded = await loadWaiting(tx, { dialogueIds });
  const events = changes.flatMap(({ id, event, takesParts }) =>
    takesParts && event.kind !== 'noted'
      ? withParts(loaded.byMessage.get(id)?.state.messages ?? new Map(), id, event)
      : [{ message: id, event }],
  );
  await applyEvents(tx, { loaded, events });
}

/** Return the first message that is due; null if there is none. */
function firstDue({ byMessage, now }: Loaded): number | null {
  const [first] = [...byMessage]
    .map(([id, { state }]) => ({ id, at: state.messages.get(id)?.scheduled_at ?? Number.POSITIVE_INFINITY }))
    .filter(({ at }) => at <= now.domain)
    .toSorted((a, b) => a.at - b.at || a.id - b.id);
  return first?.id ?? null;
}

/** Whether the wish of the person decides about a message: it answers nothing, or its lead has opted out. */
const dependsOnOptOut = ({ message, lead }: DueMessage): boolean =>
  message.reply_on_msg_id === null || (lead.recognized_deactivation_request && !lead.is_active);

async function decideQuota(policy: SendPolicy, tx: Tx, due: DueMessage): Promise<SendDecision> {
  const block = await policy.reserveQuota(tx, due.message, due.lead.id);
  return block === null ? { kind: 'claim' } : blockBy(due.message.id, block);
}

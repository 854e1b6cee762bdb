/**
 * Sends due messages: claims those of many dialogues at once, one of each, and calls the vendors beside it. Every
 * condition is checked in the claiming transaction, and no lock is held during a vendor's call.
 */

import { driverOf } from '../channels/drivers.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import type { SweepTools } from '../jobs/sweeps.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { inHalves, tryHalves } from '../platform/inHalves.ts';
import { notify } from '../platform/notifications.ts';
import { decideSend } from './decideSend.ts';
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
  type SendChange,
  storeSendChanges,
} from './store/dueMessages.ts';
import { deferDueMessage } from './store/failedClaims.ts';

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
  if (batch.hasClosed)
    await context.transact(async (tx) => {
      for (const { id, product_id: product } of await noteClosedChannels(tx))
        notify(tx, { topic: 'message', product, ids: [id] });
    });
  return hasMore || Math.min(nextMs, waitMs);
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
const claimWithQuota = (context: AppContext, policy: SendPolicy, { message, lead }: DueMessage): Promise<Claim> =>
  context.transact(async (tx) => {
    await policy.beforeSettle(tx, [{ message, leadId: lead.id, changesQuota: true }]);
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
    hasMore: claims.some(({ hasMore }) => hasMore) || due.ids.length === LIMIT,
    waitMs: Math.min(...claims.map(({ waitMs }) => waitMs)),
  };
}

/** Defer the due message of a dialogue that cannot be claimed. */
async function deferFailed(context: AppContext, dialogueId: number, error: unknown): Promise<Claim> {
  context.log.error({ dialogue: dialogueId, error: String(error) }, 'the due message of a dialogue cannot be claimed');
  await context.transact(async (tx) => {
    for (const { id, product_id: product } of await deferDueMessage(tx, dialogueId, CANNOT_BE_CLAIMED))
      notify(tx, { topic: 'message', product, ids: [id] });
  });
  return NOTHING;
}

interface Claim {
  readonly claimed: readonly ClaimedMessage[];
  /** First messages that need a place in the day's quota, with the locks that this takes. */
  readonly needQuota: readonly DueMessage[];
  /** Whether not all that was looked at has left, so that what is behind it may be due. */
  readonly hasMore: boolean;
  /** Milliseconds until an account's rate limit allows the next send. */
  readonly waitMs: number;
}

const NOTHING: Claim = { claimed: [], needQuota: [], hasMore: false, waitMs: Number.POSITIVE_INFINITY };

/** Decide about the first due message of each locked dialogue, and store what was decided. */
async function claimDue(
  context: AppContext,
  policy: SendPolicy,
  { tx, ids, reservesQuota = false }: { tx: Tx; ids: readonly number[]; reservesQuota?: boolean },
): Promise<Claim> {
  if (ids.length === 0) return NOTHING;
  const dues = await loadDueMessages(tx, ids);
  if (dues.length === 0) return NOTHING;
  const check = await policy.loadCheck(tx, [...new Set(dues.map(({ message }) => message.product_id))]);
  const changes: SendChange[] = [];
  const claims: DueMessage[] = [];
  const needQuota: DueMessage[] = [];
  for (const due of dues) {
    let decision = decideSend(due, check);
    if (decision.kind === 'quota' && reservesQuota) decision = await decideQuota(policy, tx, due);
    if (decision.kind === 'quota') needQuota.push(due);
    else if (decision.kind === 'claim') claims.push(due);
    else if (decision.kind !== 'skip') changes.push(decision);
  }
  const { granted, waitMs } = await reserveSends(context, tx, {
    items: claims,
    accountOf: ({ context: { account_id: id, vendor } }) => ({ id, vendor }),
  });
  for (const {
    message: { id, product_id: product },
    context: { vendor },
  } of granted) {
    changes.push({ id, kind: 'claim', key_window: driverOf(vendor).keyWindowMs / 1000 });
    notify(tx, { topic: 'message', product, ids: [id] });
  }
  const { claimed, changed } = await storeSendChanges(tx, { changes, claimant: context });
  for (const { id, product_id: product } of changed) notify(tx, { topic: 'message', product, ids: [id] });
  const contexts = new Map(granted.map((due) => [due.message.id, due.context]));
  return {
    claimed: claimed.flatMap((message: MessageRow) => {
      const dialogueContext = contexts.get(message.id);
      return dialogueContext ? [{ message, dialogueContext }] : [];
    }),
    needQuota,
    hasMore: changed.length > 0 || (claimed.length > 0 && claimed.length < dues.length),
    waitMs,
  };
}

async function decideQuota(policy: SendPolicy, tx: Tx, due: DueMessage): Promise<SendChange> {
  const { id } = due.message;
  const block = await policy.reserveQuota(tx, due.message, due.lead.id);
  if (block === null) return { id, kind: 'claim' };
  return block.kind === 'cancel'
    ? { id, kind: 'cancel', reason: block.reason, with_parts: true }
    : { id, kind: 'defer', reason: block.reason, until: block.until, with_parts: true };
}

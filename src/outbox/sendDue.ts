/**
 * Sends due messages: claims those of many dialogues at once, one of each, and calls the vendors beside it. Every
 * condition is checked in the claiming transaction, and no lock is held during a vendor's call.
 */

import { driverOf } from '../channels/drivers.ts';
import type { SendPolicy } from '../conversations/sendPolicy.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import type { SweepTools } from '../jobs/sweeps.ts';
import type { AppContext } from '../platform/appContext.ts';
import { isTooSlow, isUnavailable, type Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { decideSend } from './decideSend.ts';
import { reserveSends } from './reserveSends.ts';
import type { ClaimedMessage } from './send.ts';
import { countSending, startSending } from './startSending.ts';
import {
  type DueMessage,
  loadDueMessages,
  lockDueDialogues,
  noteClosedChannels,
  type SendChange,
  storeSendChanges,
} from './store/dueMessages.ts';

/** Most dialogues of one claim. */
const LIMIT = 100;

/**
 * Claim due messages and start to send them. A vendor that hangs fills the room of its own account only. Returns what a
 * sweep does: true if more may be due, else the milliseconds until it is.
 */
export async function sendDue(context: AppContext, policy: SendPolicy, tools: SweepTools): Promise<boolean | number> {
  const room = { perAccount: context.config.concurrency, busy: countSending(tools) };
  const { claimed, needQuota, changed, waitMs } = await claimBatch(context, policy, { limit: LIMIT, room });
  await sendBeside(context, policy, { claimed, tools });
  let hasChanged = changed;
  for (const { message, lead } of needQuota) {
    const first = await context.transact(async (tx) => {
      await policy.beforeSettle(tx, [{ message, leadId: lead.id, changesQuota: true }]);
      const ids = await lockDueDialogues(tx, { ids: [message.dialogue_id] });
      return claimDue(context, policy, { tx, ids, reservesQuota: true });
    });
    hasChanged ||= first.changed;
    await sendBeside(context, policy, { claimed: first.claimed, tools });
  }
  if (hasChanged) return true;
  const nextMs = await context.transact(async (tx) => {
    const noted = await noteClosedChannels(tx);
    for (const { id, product_id: product } of noted.changed) notify(tx, { topic: 'message', product, ids: [id] });
    return noted.nextMs;
  });
  return Math.min(nextMs ?? Number.POSITIVE_INFINITY, waitMs);
}

/** Start to send, and look for more when one has ended. */
async function sendBeside(
  context: AppContext,
  policy: SendPolicy,
  sending: Parameters<typeof startSending>[2],
): Promise<void> {
  for (const ended of await startSending(context, policy, sending)) void ended.then(sending.tools.wake);
}

/**
 * Claim in one transaction. If it fails, each half is tried by itself, until the dialogue that cannot be claimed is
 * alone: it does not block the others.
 */
async function claimBatch(
  context: AppContext,
  policy: SendPolicy,
  which: Parameters<typeof lockDueDialogues>[1],
): Promise<Claim> {
  let ids: readonly number[] = [];
  try {
    return await context.transact(async (tx) => {
      ids = await lockDueDialogues(tx, which);
      return claimDue(context, policy, { tx, ids });
    });
  } catch (error) {
    if (isUnavailable(error) || isTooSlow(error) || ids.length === 0) throw error;
    if (ids.length === 1) {
      context.log.error({ dialogue: ids[0], error: String(error) }, 'the due message of a dialogue cannot be claimed');
      return NOTHING;
    }
    const middle = Math.ceil(ids.length / 2);
    const first = await claimBatch(context, policy, { ids: ids.slice(0, middle) });
    const second = await claimBatch(context, policy, { ids: ids.slice(middle) });
    return {
      claimed: [...first.claimed, ...second.claimed],
      needQuota: [...first.needQuota, ...second.needQuota],
      changed: first.changed || second.changed,
      waitMs: Math.min(first.waitMs, second.waitMs),
    };
  }
}

interface Claim {
  readonly claimed: readonly ClaimedMessage[];
  /** First messages that need a place in the day's quota, with the locks that this takes. */
  readonly needQuota: readonly DueMessage[];
  /** Whether anything happened, so that more may be due. */
  readonly changed: boolean;
  /** Milliseconds until an account's rate limit allows the next send. */
  readonly waitMs: number;
}

const NOTHING: Claim = { claimed: [], needQuota: [], changed: false, waitMs: Number.POSITIVE_INFINITY };

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
    message,
    context: { vendor },
  } of granted)
    changes.push({ id: message.id, kind: 'claim', key_window: driverOf(vendor).keyWindowMs / 1000 });
  const { claimed, changed } = await storeSendChanges(tx, { changes, claimant: context });
  for (const { id, product_id: product } of changed) notify(tx, { topic: 'message', product, ids: [id] });
  const contexts = new Map(granted.map((due) => [due.message.id, due.context]));
  return {
    claimed: claimed.flatMap((message: MessageRow) => {
      const dialogueContext = contexts.get(message.id);
      return dialogueContext ? [{ message, dialogueContext }] : [];
    }),
    needQuota,
    changed: changed.length > 0,
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

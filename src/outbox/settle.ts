/** Settles the outcome of a send: accepted, rejected or unknown. */

import type { SendOutcome } from '../channels/driver.ts';
import { driverOf, restartSendInterval } from '../channels/drivers.ts';
import { previewOf } from '../conversations/message.ts';
import { OUTBOX_SWEEP } from '../conversations/queueMessages.ts';
import type { SendPolicy, SettledOutcome } from '../conversations/sendPolicy.ts';
import {
  type DialogueContext,
  findDialogue,
  recordOutbound,
  setChatIdIfMissing,
} from '../conversations/store/dialogues.ts';
import { deleteDuplicateEcho } from '../conversations/store/messages.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import { applyParkedItems } from '../inbox/statuses.ts';
import { scheduleStatusPoll } from '../inbox/store/deliveryPolling.ts';
import { findParkedEcho } from '../inbox/store/items.ts';
import { logAfterCommit } from '../platform/afterCommit.ts';
import type { AppContext } from '../platform/appContext.ts';
import { batchWrites } from '../platform/batchWrites.ts';
import { isTooSlow, isUnavailable, type Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import { withTrace } from '../platform/trace.ts';
import { applyRejection } from './rejection.ts';
import {
  deferMessage,
  findStatus,
  lockMessage,
  lockMessages,
  markAccepted,
  markUnconfirmed,
  setExternalId,
} from './store/delivery.ts';
import { type AcceptedMessage, markAllAccepted } from './store/settlement.ts';

/** The policy's outcome for the status of a rejected message. */
const SETTLED_AS: Readonly<Record<string, SettledOutcome>> = {
  error: 'refusedForGood',
  unconfirmed: 'unknown',
};

/** An outcome waits for those before it for as long as it takes, milliseconds: it must not be lost. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** A vendor's response to a send. */
export interface SendReport {
  readonly message: MessageRow;
  readonly dialogueContext: DialogueContext;
  /** `withheld`: it was not sent at all, and waits for its channel. */
  readonly outcome: SendOutcome | { readonly kind: 'withheld'; readonly reason: string };
  /** Whether an earlier try may have arrived. */
  readonly maybeDelivered: boolean;
}

type Settle = (report: SendReport) => Promise<true>;
const batchWriters = new WeakMap<AppContext, Settle>();

/** Most outcomes settled in one transaction. */
const MAX_REPORTS = 100;

/**
 * Settle the outcome of a send, once: the message, its channel and account, its lead. Outcomes that arrive together
 * are settled in one transaction.
 */
export async function settle(context: AppContext, policy: SendPolicy, report: SendReport): Promise<void> {
  let write = batchWriters.get(context);
  if (!write) {
    write = batchWrites((reports) => settleAll(context, policy, reports), MAX_REPORTS, {
      isFatal: (error) => isUnavailable(error) || isTooSlow(error),
      timeoutMs: NO_TIMEOUT_MS,
      onTimeout: () => new Error('The outcomes before it were not stored'),
    });
    batchWriters.set(context, write);
  }
  await write(report);
}

async function settleAll(context: AppContext, policy: SendPolicy, reports: readonly SendReport[]): Promise<true[]> {
  await context.transact(async (tx) => {
    const messages = reports.map(({ message, dialogueContext, outcome }) => ({
      message,
      leadId: dialogueContext.lead_id,
      changesQuota: outcome.kind === 'rejected' || outcome.kind === 'withheld',
    }));
    const { leads } = await policy.beforeSettle(tx, messages);
    for (const { message } of reports) {
      notify(tx, { topic: 'message', product: message.product_id, ids: [message.id] });
      notify(tx, { topic: 'dialogue', product: message.product_id, ids: [message.dialogue_id] });
    }
    // Those that are accepted are locked together; others would follow in any order.
    if (!reports.every(({ outcome }) => outcome.kind === 'accepted' && outcome.messageId !== null))
      await lockMessages(
        tx,
        messages.map(({ message: { id } }) => id),
      );
    const outcomes = await settleAccepted(context, tx, reports);
    // The next message of its dialogue may be due.
    if (outcomes.size < reports.length) wakeSweep(tx, OUTBOX_SWEEP);
    for (const report of reports) {
      const { message } = report;
      if (outcomes.has(message.id)) continue;
      const outcome = await withTrace(message.trace, () => settleOne(context, tx, report));
      if (outcome !== null) outcomes.set(message.id, outcome);
    }
    await policy.afterSettle(
      tx,
      messages.flatMap(({ message, leadId }) => {
        const outcome = outcomes.get(message.id);
        return outcome === undefined ? [] : [{ message, lead: leads.get(leadId), outcome }];
      }),
    );
    for (const { dialogueContext, outcome } of reports)
      if (outcome.kind !== 'withheld') await restartSendInterval(context, tx, dialogueContext);
    failpoint('send.beforeSettleCommit');
  });
  return reports.map(() => true as const);
}

/** Settle what the vendor accepted under an id, all at once. Returns the outcomes of the messages that it settled. */
async function settleAccepted(
  context: AppContext,
  tx: Tx,
  reports: readonly SendReport[],
): Promise<Map<number, SettledOutcome>> {
  const accepted = reports.flatMap(({ message, dialogueContext, outcome }): AcceptedMessage[] =>
    outcome.kind === 'accepted' && outcome.messageId !== null
      ? [
          {
            id: message.id,
            dialogue_id: message.dialogue_id,
            channel_id: message.channel_id,
            account_id: dialogueContext.account_id,
            ext_id: outcome.messageId,
            chat_id: outcome.chatId,
            preview: previewOf(message.message),
            poll_after: driverOf(dialogueContext.vendor).fetchDeliveryStatus ? context.config.vendorPollSeconds : null,
          },
        ]
      : [],
  );
  const outcomes = new Map<number, SettledOutcome>();
  if (accepted.length === 0) return outcomes;
  const marked = new Map((await markAllAccepted(tx, accepted)).map((row) => [row.id, row]));
  for (const { message } of reports) {
    const row = marked.get(message.id);
    if (!row) continue;
    // The vendor may have reported that there is no recipient before it responded.
    outcomes.set(message.id, row.has_failed ? 'unknown' : 'accepted');
    logAfterCommit(tx, { ...traceFields(message), message: message.id, outcome: 'accepted' }, 'settled');
  }
  return outcomes;
}

const traceFields = ({ trace }: MessageRow): { trace?: string } => (trace === null ? {} : { trace });

/** Settle one outcome. Returns it for the policy; null if another instance settles the message. */
async function settleOne(
  context: AppContext,
  tx: Tx,
  { message, dialogueContext, outcome, maybeDelivered }: SendReport,
): Promise<SettledOutcome | null> {
  const current = outcome.kind === 'accepted' ? undefined : await lockMessage(tx, message.id);
  // Another instance reclaimed the message; only its outcome counts.
  if (current?.status === 'sending' && current.claimed_by !== context.instanceId) return null;
  let status: string | undefined;
  let settled: SettledOutcome = 'unknown';
  switch (outcome.kind) {
    case 'accepted': {
      const { messageId, chatId } = outcome;
      const isMarked = await markMessageAccepted(tx, { message, dialogueContext, messageId, chatId });
      if (driverOf(dialogueContext.vendor).fetchDeliveryStatus && messageId !== null)
        await scheduleStatusPoll(tx, message.id, context.config.vendorPollSeconds);
      if (isMarked || (await findStatus(tx, message.id)) !== 'error') settled = 'accepted';
      break;
    }
    case 'unknown':
      await markUnconfirmed(tx, [message.id], outcome.reason);
      break;
    case 'withheld':
      await deferMessage(tx, { id: message.id, seconds: 0, reason: outcome.reason, code: null, counts: false });
      settled = 'refused';
      break;
    case 'rejected': {
      await applyRejection(context, tx, { message, dialogueContext, outcome, maybeDelivered });
      status = await findStatus(tx, message.id);
      settled = SETTLED_AS[status ?? ''] ?? 'refused';
      break;
    }
    default:
      outcome satisfies never;
  }
  logAfterCommit(tx, { message: message.id, outcome: outcome.kind, ...(status ? { status } : {}) }, 'settled');
  return settled;
}

/** Mark a message accepted. Returns false if it was settled before. */
export async function markMessageAccepted(
  tx: Tx,
  {
    message,
    dialogueContext,
    messageId,
    chatId,
  }: { message: MessageRow; dialogueContext: DialogueContext; messageId: string | null; chatId: string | null },
): Promise<boolean> {
  // The vendor may have reported the message meanwhile, with its id, if an earlier try under this key was accepted.
  const echo =
    messageId === null
      ? await findParkedEcho(tx, {
          channelId: message.channel_id,
          chatId: chatId ?? (await findChatId(tx, message)),
          text: message.message,
        })
      : null;
  const extId = messageId ?? echo;
  if (extId !== null) await deleteDuplicateEcho(tx, { channelId: message.channel_id, extId, id: message.id });
  const isMarked = await markAccepted(tx, message.id, extId);
  // A status may have arrived first and advanced the message: only the id is missing.
  if (!isMarked && extId !== null) await setExternalId(tx, message.id, extId);
  if (chatId !== null) await setChatIdIfMissing(tx, { id: message.dialogue_id, channelId: message.channel_id, chatId });
  await recordOutbound(tx, { id: message.dialogue_id, messageId: message.id, preview: previewOf(message.message) });
  if (extId !== null) await applyParkedItems(tx, { accountId: dialogueContext.account_id, message, extId });
  return isMarked;
}

/** Return the chat id of a message's dialogue, if known. */
async function findChatId(tx: Tx, message: MessageRow): Promise<string | null> {
  return (await findDialogue(tx, message.dialogue_id))?.chat_id ?? null;
}

/** Settles the outcomes of sends: accepted, rejected or unknown. */

import { driverOf, restartSendInterval } from '../channels/drivers.ts';
import { OUTBOX_SWEEP } from '../conversations/queueMessages.ts';
import { type SendPolicy, type SettledOutcome, settledAs } from '../conversations/sendPolicy.ts';
import type { DialogueContext } from '../conversations/store/dialogues.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import { type KnownIds, type Loaded, loadConversations } from '../engine/postgres/load.ts';
import type { NamedQueries } from '../engine/postgres/save.ts';
import { applyEvents, type MessageOutcome } from '../engine/steps/applyEvents.ts';
import { findParkedEcho, resumeParkedItems, wakeForItems } from '../inbox/store/items.ts';
import { logAfterCommit } from '../platform/afterCommit.ts';
import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { batchWrites } from '../platform/batchWrites.ts';
import { isTooSlow, isUnavailable, type Tx } from '../platform/db.ts';
import { failpoint } from '../platform/failpoint.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import { eventOfOutcome, type TryOutcome } from './outcomeEvent.ts';
import { deleteDuplicateEchoes, linkChats, type NamedMessage } from './store/settlement.ts';

/** An outcome waits for those before it for as long as it takes, milliseconds: it must not be lost. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** A vendor's response to a send. */
export interface SendReport {
  readonly message: MessageRow;
  readonly dialogueContext: DialogueContext;
  readonly outcome: TryOutcome;
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
    await policy.lockQueues(
      tx,
      reports.map(({ message, outcome }) => ({
        message,
        changesQuota: outcome.kind === 'rejected' || outcome.kind === 'withheld',
      })),
    );
    const answers: Answer[] = [];
    for (const report of reports) answers.push(await nameMessage(tx, report));
    const settled = await settleAnswers(context, tx, answers);
    await policy.afterSettle(tx, settled);
    for (const { dialogueContext, outcome } of reports)
      if (outcome.kind !== 'withheld') await restartSendInterval(context, tx, dialogueContext);
    failpoint('send.beforeSettleCommit');
  });
  return reports.map(() => true as const);
}

/** A vendor's answer about a message, with the ids that it names. */
export interface Answer extends Pick<SendReport, 'message' | 'dialogueContext' | 'outcome' | 'maybeDelivered'> {
  readonly extId: string | null;
  readonly chatId: string | null;
}

/**
 * Find the vendor's id of an accepted message. If a try before was accepted under this key, the vendor may have reported
 * the message meanwhile, with its id.
 */
async function nameMessage(tx: Tx, report: SendReport): Promise<Answer> {
  const { message, outcome } = report;
  if (outcome.kind !== 'accepted') return { ...report, extId: null, chatId: null };
  const { messageId, chatId } = outcome;
  const extId = messageId ?? (await findParkedEcho(tx, { dialogueId: message.dialogue_id, text: message.message }));
  return { ...report, extId, chatId };
}

interface Settled {
  readonly message: MessageRow;
  readonly outcome: SettledOutcome;
}

/** Settle answers in one transaction. Returns the outcomes for the policy, but for messages that others settle. */
async function settleAnswers(context: AppContext, tx: Tx, answers: readonly Answer[]): Promise<Settled[]> {
  const loaded = await loadConversations(
    tx,
    answers.map(({ message: { id }, extId, chatId }) => ({ id, extId, chatId })),
  );
  const outcomes = await applyAnswers(context, tx, { loaded, answers });
  return answers.flatMap(({ message, outcome }) => {
    const applied = outcomes.get(message.id);
    if (!applied || applied.refused === 'not_ours') return [];
    const { trace } = message;
    const { status } = applied.after;
    logAfterCommit(
      tx,
      { ...(trace === null ? {} : { trace }), message: message.id, outcome: outcome.kind, status },
      'settled',
    );
    return [{ message, outcome: settledAs(applied.facts.at(-1)?.kind, applied.after) }];
  });
}

/** Apply answers to loaded conversations: their messages, and what the vendor calls them and their chats. */
export async function applyAnswers(
  context: AppContext,
  tx: Tx,
  { loaded, answers }: { readonly loaded: Loaded; readonly answers: readonly Answer[] },
): Promise<ReadonlyMap<number, MessageOutcome>> {
  const { byMessage, ids } = loaded;
  const named = answers.map(
    ({ message: { id, dialogue_id, channel_id }, dialogueContext: { account_id }, extId, chatId }) => ({
      id,
      existing: ids.get(id),
      row: { id, dialogue_id, channel_id, account_id, ext_id: extId, chat_id: chatId },
    }),
  );
  await deleteDuplicateEchoes(
    tx,
    named.filter(({ existing }) => existing?.isIdTaken).map(({ row }) => row),
  );
  const dialogues = new Map<number, { chat_id: string }>();
  for (const { id, existing, row } of named)
    if (row.chat_id !== null && byMessage.get(id)?.chatId === null && !existing?.isChatTaken)
      dialogues.set(row.dialogue_id, { chat_id: row.chat_id });
  for (const { message, outcome } of answers) {
    notify(tx, { topic: 'message', product: message.product_id, ids: [message.id] });
    notify(tx, { topic: 'dialogue', product: message.product_id, ids: [message.dialogue_id] });
    // The next message of its dialogue may be due.
    if (outcome.kind !== 'accepted' || byMessage.get(message.id)?.hasScheduled) wakeSweep(tx, OUTBOX_SWEEP);
  }
  const events = answers.map(({ message, dialogueContext, outcome, maybeDelivered, extId }) => {
    const isPolled = driverOf(dialogueContext.vendor).fetchDeliveryStatus !== undefined;
    const pollSeconds = isPolled ? context.config.vendorPollSeconds : null;
    const retrySeconds = retryDelaySeconds(context, message.attempts - 1);
    const event = eventOfOutcome(outcome, { by: context.instanceId, maybeDelivered, extId, pollSeconds, retrySeconds });
    return { message: message.id, event };
  });
  return applyEvents(tx, {
    loaded,
    events,
    dialogues,
    more: queriesOf(tx, named),
  });
}

/** What is stored of the ids that a vendor names, beside messages and dialogues. */
function queriesOf(
  tx: Tx,
  named: readonly { readonly existing: KnownIds | undefined; readonly row: NamedMessage }[],
): NamedQueries {
  const linked = named.filter(({ existing }) => existing?.isChatTaken).map(({ row }) => row);
  const parked = named.filter(({ existing }) => existing && existing.parked.length > 0);
  wakeForItems(
    tx,
    parked.flatMap(({ existing }) => existing?.parked ?? []),
  );
  return [
    ...(linked.length === 0 ? [] : [['linked', linkChats(linked)] as const]),
    ...(parked.length === 0 ? [] : [['resumed', resumeParkedItems(parked.map(({ row }) => row))] as const]),
  ];
}

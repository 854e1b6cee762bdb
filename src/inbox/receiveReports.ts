/** Applies vendors' delivery reports: all that only concern their messages at once, the others by themselves. */
import { collectChanges, type NamedQueries, saveChanges } from '../engine/postgres/save.ts';
import { apply, type Conversation, type Fact } from '../engine/rules/conversation.ts';
import type { ReportedStatus } from '../engine/rules/delivery.ts';
import type { Now } from '../engine/rules/message.ts';
import type { AppContext } from '../platform/appContext.ts';
import { isUnavailable, type Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { receiveItems } from './receive.ts';
import { reportedEvent, toReportedStatus } from './reportedEvent.ts';
import { FIRST_PAUSE_SECONDS } from './store/items.ts';
import { type DueReport, findReports, loadReports, noteDone, park, type ReportedMessage } from './store/reports.ts';

/** Most reports of one transaction. */
const LIMIT = 200;

/** A report that found its message. */
interface AppliedReport {
  readonly item: number;
  readonly status: ReportedStatus;
  readonly message: ReportedMessage;
  /** Whether the message's status changed. */
  readonly hasChanged: boolean;
}

interface ReportBatch {
  readonly applied: readonly AppliedReport[];
  /** Reports that change more than their message, for `receiveItems`, in the vendor's order. */
  readonly others: readonly number[];
  /** Reports whose message is not known yet. */
  readonly parked: number;
}

/**
 * Apply the reports that wait. Returns what a sweep does: true if there are more, else the milliseconds until a report
 * that found no message is looked at again.
 */
export async function receiveReports(context: AppContext): Promise<boolean | number> {
  const { pool, metrics, log } = context;
  const { applied, others, parked } = await context
    .transact((tx) => applyReports(context, tx))
    .catch(async (error: unknown): Promise<ReportBatch> => {
      if (isUnavailable(error)) throw error;
      // One of them cannot be applied: each is received by itself, and that one is deferred.
      log.warn({ error: String(error) }, 'delivery reports could not be applied together');
      return { applied: [], others: await findReports(pool, LIMIT), parked: 0 };
    });
  for (const { item, message, status, hasChanged } of applied) {
    metrics.count('received', { kind: 'status' });
    if (!hasChanged) continue;
    metrics.count('statuses', { status });
    // Under the message's own trace; the report has another.
    log.info(
      { ...(message.trace === null ? {} : { trace: message.trace }), message: message.id, status, item },
      'status',
    );
  }
  // One transaction each: it locks dialogue and message, and no other report's while it waits for them.
  for (const id of others) await receiveItems(context, [id]);
  if (applied.length + others.length + parked >= LIMIT) return true;
  return parked > 0 ? FIRST_PAUSE_SECONDS * 1000 : false;
}

async function applyReports({ config }: AppContext, tx: Tx): Promise<ReportBatch> {
  const { now, reports } = await loadReports(tx, LIMIT);
  const applied: AppliedReport[] = [];
  const facts: Fact[] = [];
  const alone = new Set<DueReport>(reports.filter(({ message, waits }) => message === null && !waits));
  for (const [id, own] of Map.groupBy(reports, ({ message }) => message?.id)) {
    const message = own[0]?.message;
    if (id === undefined || !message) continue;
    const outcome = own.some(({ saysMore }) => saysMore) ? null : applyToMessage(message, own, now);
    if (outcome === null) for (const report of own) alone.add(report);
    else facts.push(...outcome);
    for (const { item } of outcome === null ? [] : own)
      applied.push({
        item: item.id,
        status: toReportedStatus(item.status),
        message,
        hasChanged: outcome !== null && outcome.length > 0,
      });
  }
  const changes = { messages: new Map(), dialogues: new Map() };
  collectChanges(changes, 0, facts);
  const changed = new Set(facts.map(({ message }) => message));
  for (const { message } of applied)
    if (changed.has(message.id)) notify(tx, { topic: 'message', product: message.product_id, ids: [message.id] });
  const waiting = reports.filter(({ waits }) => waits).map(({ item }) => item.id);
  const more: NamedQueries = [
    ...(applied.length === 0
      ? []
      : [['done', noteDone(applied.map(({ item, message }) => ({ id: item, message: message.id })))] as const]),
    ...(waiting.length === 0 ? [] : [['parked', park(waiting, config.echoGraceSeconds)] as const]),
  ];
  await saveChanges(tx, changes, { more });
  return {
    applied,
    others: reports.filter((report) => alone.has(report)).map(({ item }) => item.id),
    parked: waiting.length,
  };
}

/** What a dialogue is for reports that change nothing of it. */
const NO_DIALOGUE: Omit<Conversation, 'messages'> = {
  dialogue: {
    last_user_msg_at: null,
    last_bot_msg_id: null,
    last_message: null,
    last_msg_created_at: null,
    waiting_since: null,
    failed_since: null,
    unconfirmed_since: null,
    snoozed_until: null,
    snoozed_until_reply: false,
    done_at: null,
  },
  failing: new Map(),
};

/**
 * Apply reports to their message. Returns what has happened; null if that changes more than the message: its dialogue and
 * lead must then be locked first.
 */
function applyToMessage(message: ReportedMessage, reports: readonly DueReport[], now: Now): readonly Fact[] | null {
  // A lead's own message has no delivery status.
  if (message.side !== 'bot') return [];
  const state: Conversation = { ...NO_DIALOGUE, messages: new Map([[message.id, message.state]]) };
  const events = reports.map(({ item }) => ({ message: message.id, event: reportedEvent(item) }));
  const { facts, effects } = apply(state, events, now);
  const isAlone = effects.length > 0 || facts.some(({ dialogue }) => Object.keys(dialogue).length > 0);
  return isAlone ? null : facts;
}

/**
 * Processes edits and deletions of messages: by the lead, or by a person of ours on the phone. One that arrives before its
 * message waits for it, like a status.
 */

import type { HookItem } from '../channels/driver.ts';
import { doubtOptOut, optOut } from '../conversations/optOut.ts';
import { handOverDialogue } from '../conversations/ownership.ts';
import { lockLeadsAndDialogues, TURNS_SWEEP } from '../conversations/store/dialogues.ts';
import { previewOf } from '../engine/preview.ts';
import { cancelWaiting } from '../engine/steps/cancelWaiting.ts';
import { changeDialogues } from '../engine/steps/changeDialogues.ts';
import { logAfterCommit } from '../platform/afterCommit.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import { type ChangeDecision, decideChange } from './decideChange.ts';
import { findNotPerson } from './decideInbound.ts';
import { processEarlierAttempt } from './statuses.ts';
import { changeMessage, lockMessageToChange, type MessageToChange } from './store/changes.ts';
import type { ItemFacts } from './store/chats.ts';
import { markProcessed, parkItem, turnIntoMessage } from './store/items.ts';

/** After so many looks for its message, most of a minute, an edit is taken for the message itself. */
const MAX_LOOKS = 10;

type Context = Pick<AppContext, 'cipher' | 'config'>;

const REASONS = { edit: 'The lead edited the message', deletion: 'The lead deleted the message' } as const;
/** What lists show of a message that was deleted. */
const DELETED = 'Deleted message';

export async function receiveChange(context: Context, tx: Tx, row: ItemFacts): Promise<void> {
  const item = row.item as HookItem;
  const kind = row.kind === 'deletion' ? 'deletion' : 'edit';
  const notPerson = findNotPerson(item, row.channel?.number ?? null);
  if (notPerson !== null) return markProcessed(tx, row.id, notPerson);
  const target = { accountId: row.account_id, extId: row.ext_id };
  const found = await lockMessageToChange(tx, target);
  if (!found) return waitForMessage(tx, row, item);
  // The lead changes what the lead wrote, and we what we wrote: another one names a message of another chat.
  if (item.isOurs !== undefined && item.isOurs !== (found.side === 'bot'))
    return markProcessed(tx, row.id, 'other_person');
  await lockLeadsAndDialogues(tx, { leadIds: [found.lead_id], dialogueIds: [found.dialogue_id], skipsLocked: false });
  // Some vendors repeat the time of the message: then the edit was made when we heard of it.
  const isTimed = item.occurredAt !== null && item.occurredAt > found.thread_at && item.occurredAt <= row.received_at;
  const at = isTimed && item.occurredAt !== null ? item.occurredAt : row.received_at;
  const text = item.text === '' ? null : item.text;
  const decision = decideChange({ kind, text, textBefore: item.textBefore ?? null, at, isTimed }, found);
  if (decision.message === null) return markProcessed(tx, row.id, 'overtaken');
  await applyChange(context, tx, {
    found,
    decision,
    message: decision.message,
    at: row.received_at,
    reason: REASONS[kind],
  });
  logAfterCommit(tx, { item: row.id, message: found.id, dialogue: found.dialogue_id, turn: decision.turn.kind }, kind);
  await markProcessed(tx, row.id, { note: 'message', messageId: found.id });
}

/** Park a change until its message is known. An edit whose message never comes is the message: nobody has its words. */
async function waitForMessage(tx: Tx, row: ItemFacts, item: HookItem): Promise<void> {
  if (await processEarlierAttempt(tx, row)) return;
  if (row.attempts < MAX_LOOKS || row.kind === 'deletion' || item.text.trim() === '' || item.isOurs === true)
    return parkItem(tx, { id: row.id, note: 'awaits_message', seconds: null });
  await turnIntoMessage(tx, row);
  await markProcessed(tx, row.id, 'awaits_message');
}

async function applyChange(
  context: Context,
  tx: Tx,
  of: {
    found: MessageToChange;
    decision: ChangeDecision;
    message: NonNullable<ChangeDecision['message']>;
    at: string;
    reason: string;
  },
): Promise<void> {
  const { found, decision, message, at, reason } = of;
  const { dialogue_id: dialogueId, product_id: productId } = found;
  const preview = message.deleted_at === null ? previewOf(message.message) : DELETED;
  await changeMessage(tx, found.id, { change: message, at });
  const where = { dialogueIds: [dialogueId] };
  if (found.is_newest) await changeDialogues(tx, where, { kind: 'newest_changed', preview });
  const { turn, lead } = decision;
  if (decision.isSignOfLife) {
    await changeDialogues(tx, where, { kind: 'lead_active', at: Date.parse(at) });
    await cancelWaiting(tx, where, { kind: 'follow_ups', reason });
  }
  if (turn.kind === 'begin') {
    const answerAfter = turn.isAnswered ? context.config.replyDebounceSeconds : null;
    const { noAnswer } = turn;
    const detail = noAnswer && 'detail' in noAnswer ? noAnswer.detail : null;
    const [changed] = await changeDialogues(tx, where, {
      kind: 'restated',
      at: Date.parse(at),
      answerSeconds: answerAfter,
      noAnswer: noAnswer && { code: noAnswer.code, detail },
    });
    await cancelWaiting(tx, where, { kind: 'answers', before: changed?.after.turn ?? 0, reason });
    if (answerAfter !== null) wakeSweep(tx, TURNS_SWEEP, answerAfter * 1000);
  }
  if (turn.kind === 'void') {
    await changeDialogues(tx, where, { kind: 'taken_back', quiet: turn.quiet });
    await cancelWaiting(tx, where, { kind: 'answers', before: Number.POSITIVE_INFINITY, reason });
  }
  const wish = { leadId: found.lead_id, dialogueId, messageId: found.id, source: 'words' } as const;
  if (decision.isDoubtful) await doubtOptOut(tx, context, wish);
  if (lead === 'opt_out') await optOut(tx, context, { ...wish, by: 'lead' });
  else if (lead !== null) await handOverDialogue(tx, { id: dialogueId, product_id: productId }, lead);
  notify(tx, { topic: 'message', product: productId, ids: [found.id] });
  notify(tx, { topic: 'dialogue', product: productId, ids: [dialogueId] });
}

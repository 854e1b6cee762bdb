/** Vendors' statuses of our messages, and our own messages coming back as echoes. */
import type { HookItem } from '../channels/driver.ts';
import { restChannel, stopFirstsOf } from '../channels/known.ts';
import { countAfter, logAfter } from '../platform/afterCommit.ts';
import type { Tx } from '../platform/db.ts';
import { announce } from '../platform/live.ts';
import { noteFound } from './begun.ts';
import { noteNobody } from './foundNobody.ts';
import { learnChatId } from './store/dialogues.ts';
import { askFateSoon, messageOfSendKey } from './store/fates.ts';
import { heldFor, holdItem, settleItem } from './store/inbox.ts';
import { dropDoppelganger, updateMessage } from './store/messages.ts';
import type { InboxRow, MessageRow } from './store/tables.ts';
import { climbStatus, messageOfEarlierTry, messageOfExtId } from './store/told.ts';

/** How long, as after a refusal. */
const REST_SECONDS = 300;

/** When the vendor is first asked about a message whose answer was lost. */
export const ASK_SECONDS = 60;

type Climbing = 'sent' | 'delivered' | 'read' | 'error';

function climbing(status: string): Climbing {
  return status === 'delivered' || status === 'read' || status === 'error' ? status : 'sent';
}

/** Applies one status to one message; announces it when something changed. */
async function apply(tx: Tx, message: MessageRow, row: InboxRow, item: HookItem): Promise<void> {
  // A lead's own message has no ticks.
  if (message.side !== 'bot') return;
  const error = { code: item.errorCode, reason: item.errorReason };
  const changed = await climbStatus(tx, message.id, climbing(row.status), item.occurredAt, error);
  if (!changed) return;
  countAfter(tx, 'statuses', { status: climbing(row.status) });
  // The message's own trace; what told it has another.
  logAfter(tx, { ...traceOf(message), message: message.id, status: climbing(row.status), item: row.id }, 'status');
  announce(tx, 'message', message.product_id, [message.id]);
  if (row.status !== 'error') return noteFound(tx, message);
  await restAfter(tx, message.channel_id, item);
  if (item.errorAbout === 'recipient' && message.origin === 'first') await noteNobody(tx, message.id);
}

const traceOf = ({ trace }: MessageRow): { trace?: string } => (trace === null ? {} : { trace });

/** A channel whose vendor took a message and could not send it rests as one whose vendor refused it. */
async function restAfter(tx: Tx, channelId: number, item: HookItem): Promise<void> {
  if (item.errorAbout !== 'channel' && item.errorAbout !== 'passing') return;
  const reason = item.errorReason ?? 'The vendor could not send';
  await restChannel(tx, channelId, REST_SECONDS, reason);
  await stopFirstsOf(tx, channelId, reason);
}

/** An echo of ours tells the chat's own id, which the vendor's answer to the send may have left out. */
export async function learnChatOf(tx: Tx, message: MessageRow, row: InboxRow): Promise<void> {
  const { isGroup } = row.item as HookItem;
  if (row.chat_id !== null && !isGroup) await learnChatId(tx, message.dialogue_id, message.channel_id, row.chat_id);
}

/** Whose answer was lost: the vendor tells our key and its id together. */
async function byKey(tx: Tx, row: InboxRow, item: HookItem): Promise<MessageRow | null> {
  const message = item.key === undefined ? null : await messageOfSendKey(tx, row.account_id, item.key);
  if (!message) return null;
  await dropDoppelganger(tx, message.channel_id, row.ext_id, message.id);
  await updateMessage(tx, message.id, { ext_id: row.ext_id });
  await askFateSoon(tx, message.id, ASK_SECONDS);
  // What came before under the vendor's id alone.
  await applyHeld(tx, row.account_id, message, row.ext_id);
  return message;
}

/**
 * What is told of a try before the message was sent again: it is ours, and says nothing of the present try. False: it is
 * about no such try.
 */
export async function settleEarlierTry(tx: Tx, row: InboxRow): Promise<boolean> {
  const message = await messageOfEarlierTry(tx, row.account_id, row.ext_id);
  if (!message) return false;
  if (row.kind === 'message') await learnChatOf(tx, message, row);
  await settleItem(tx, row.id, `an earlier try of message ${message.id}`);
  return true;
}

/** A status: applied when its message is known, else kept until it is. */
export async function receiveStatus(tx: Tx, row: InboxRow, item: HookItem): Promise<void> {
  const known = await messageOfExtId(tx, row.account_id, row.ext_id);
  if (!known && (await settleEarlierTry(tx, row))) return;
  const message = known ?? (await byKey(tx, row, item));
  if (!message) return holdItem(tx, row.id, 'waits for its message', null);
  await apply(tx, message, row, item);
  await settleItem(tx, row.id, `message ${message.id}`);
}

/** A message of ours has learned its vendor id: what was kept for it counts now. Held echoes of it are ours. */
export async function applyHeld(tx: Tx, accountId: number, message: MessageRow, extId: string): Promise<void> {
  for (const row of await heldFor(tx, accountId, extId)) {
    if (row.kind === 'message') await learnChatOf(tx, message, row);
    await apply(tx, message, row, row.item as HookItem);
    await settleItem(tx, row.id, `message ${message.id}`);
  }
}

/** Stores messages of leads with what they mean to their dialogues, and cancels what they make pointless. */
import { toDialogue } from '../engine/postgres/columns.ts';
import { type LoadedDialogues, loadDialogues } from '../engine/postgres/dialogues.ts';
import type { DialogueEvent } from '../engine/rules/dialogue.ts';
import { cancelPointless } from '../engine/steps/cancelWaiting.ts';
import { changeLoaded } from '../engine/steps/changeDialogues.ts';
import { blockReasonText } from '../leads/lead.ts';
import type { Tx } from '../platform/db.ts';
import { notify, wakeSweep } from '../platform/notifications.ts';
import { type InboundDecision, isStaleAfter, wroteOf } from './decideInbound.ts';
import { type InboundMessage, type ItemFacts, inboundQueries } from './store/chats.ts';
import { INBOX_SWEEP } from './store/items.ts';

const LEAD_WROTE_AGAIN = blockReasonText({ code: 'newer_message' });

/** What was stored: the id of each message by its item, and what was cancelled. */
export interface StoredInbound {
  readonly stored: ReadonlyMap<number, number>;
  readonly cancelled: readonly { readonly id: number; readonly dialogueId: number }[];
}

/** Store what was decided about items whose chats are locked. What it changes in leads was done before. */
export async function storeInbound(
  tx: Tx,
  items: readonly ItemFacts[],
  decision: InboundDecision,
): Promise<StoredInbound> {
  const messages = withIds(items, decision.messages);
  const stored = new Map(messages.map(({ item, id }) => [item, id]));
  const changes = new Map(decision.dialogues.map((change) => [change.id, change]));
  // What has changed in leads has changed dialogues, too.
  const loaded =
    decision.leads.length > 0 ? await loadDialogues(tx, { dialogueIds: [...changes.keys()] }) : fromFacts(items);
  for (const { id, product_id: product } of messages) notify(tx, { topic: 'message', product, ids: [id] });
  if (items.some((item) => item.is_changed)) wakeSweep(tx, INBOX_SWEEP);
  const eventOf = (id: number): DialogueEvent | undefined => {
    const change = changes.get(id);
    return change && wroteOf(change, stored);
  };
  const changed = await changeLoaded(tx, { loaded, eventOf, more: inboundQueries(messages, decision.notes) });
  const turns = new Map(changed.map(({ id, after }) => [id, after.turn]));
  const waiting = items.flatMap(({ chat }) => (chat?.has_scheduled ? [chat.dialogue.id] : []));
  const dialogueIds = [...new Set(waiting)].filter((id) => changes.get(id)?.turns || changes.get(id)?.is_sign);
  if (dialogueIds.length === 0) return { stored, cancelled: [] };
  const cancelled = await cancelPointless(
    tx,
    { dialogueIds },
    {
      reason: LEAD_WROTE_AGAIN,
      isPointless(message, id) {
        const change = changes.get(id);
        return change !== undefined && isStaleAfter(change, message, turns.get(id) ?? 0);
      },
    },
  );
  return { stored, cancelled };
}

/** Messages of the same time are in the order of their items. */
function withIds(
  items: readonly ItemFacts[],
  messages: readonly InboundMessage[],
): (InboundMessage & { readonly id: number })[] {
  const idOf = new Map(items.map(({ id, message_id: message }) => [id, message]));
  const ids = messages.map(({ item }) => idOf.get(item) ?? 0).toSorted((a, b) => a - b);
  return messages
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.item - b.item)
    .map((message, index) => ({ ...message, id: ids[index] ?? 0 }));
}

function fromFacts(items: readonly ItemFacts[]): LoadedDialogues {
  const [first] = items;
  const dialogues = new Map(
    items.flatMap(({ chat }) => {
      if (!chat) return [];
      const { id, product_id: productId } = chat.dialogue;
      return [[id, { id, productId, leadId: chat.lead.id, state: toDialogue(chat.row, '') }] as const];
    }),
  );
  return {
    now: { domain: Math.floor(first?.domain ?? 0), real: Math.floor(first?.real ?? 0) },
    dialogues: [...dialogues.values()],
  };
}

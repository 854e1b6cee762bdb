/** What operators do with dialogues in the inbox. One dialogue or many: the same functions. */
import { dropHandOverTexts } from '../conversations/ownership.ts';
import { changeDialogues } from '../engine/steps/changeDialogues.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntries, type WriteContext } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { notify } from '../platform/notifications.ts';
import { refuse } from '../platform/refuse.ts';
import { deskRefusals } from './contract.ts';
import { type DeskState, findProductOutOfReach, isInFuture, lockDeskStates } from './store.ts';

/** Assign dialogues to an operator who can see them, or to nobody. Returns how many changed. */
export function assignDialogues(
  context: AppContext,
  { ids, operatorId }: { ids: readonly number[]; operatorId: number | null },
  writing: WriteContext,
): Promise<number> {
  return change(context, ids, {
    writing,
    action: 'assigned',
    isChanged: (state) => state.assignee_id !== operatorId,
    after: { assignee_id: operatorId },
    async apply(tx, changed) {
      const product = operatorId === null ? null : await findProductOutOfReach(tx, changed, operatorId);
      if (product !== null) throw refuse(deskRefusals, 'desk.no_access', { product });
      await changeDialogues(tx, { dialogueIds: changed }, { kind: 'assigned', operatorId });
    },
  });
}

/** Snooze dialogues, or end their snooze. Returns how many changed. */
export function snoozeDialogues(
  context: AppContext,
  { ids, until, untilReply }: { ids: readonly number[]; until: string | null; untilReply: boolean },
  writing: WriteContext,
): Promise<number> {
  return change(context, ids, {
    writing,
    action: until === null && !untilReply ? 'unsnoozed' : 'snoozed',
    isChanged: (state) => state.snoozed_until !== until || state.snoozed_until_reply !== untilReply,
    after: { snoozed_until: until, snoozed_until_reply: untilReply },
    async apply(tx, changed) {
      if (until !== null && !(await isInFuture(tx, until))) throw refuse(deskRefusals, 'desk.snooze_in_past');
      const at = until === null ? null : Date.parse(until);
      await changeDialogues(tx, { dialogueIds: changed }, { kind: 'snoozed', until: at, untilReply });
    },
  });
}

/** Mark dialogues as done. Returns how many changed. */
export function markDialoguesDone(
  context: AppContext,
  { ids }: { ids: readonly number[] },
  writing: WriteContext,
): Promise<number> {
  return change(context, ids, {
    writing,
    action: 'done',
    isChanged: (state) => state.done_at === null,
    after: {},
    async apply(tx, changed) {
      await changeDialogues(tx, { dialogueIds: changed }, { kind: 'done' });
      await dropHandOverTexts(tx, changed, `${writing.caller.login} marked it as done`);
    },
  });
}

/** Undo that dialogues were marked as done, unless they have needed somebody since. Returns how many changed. */
export function reopenDialogues(
  context: AppContext,
  { ids }: { ids: readonly number[] },
  writing: WriteContext,
): Promise<number> {
  return change(context, ids, {
    writing,
    action: 'reopened',
    isChanged: (state) => state.done_at !== null,
    after: { done_at: null },
    apply: (tx, changed) => changeDialogues(tx, { dialogueIds: changed }, { kind: 'undone' }),
  });
}

/** Set after how many hours without a message from a person the bot gets a dialogue back. */
export function setReturn(
  context: AppContext,
  { id, hours }: { id: number; hours: number | null },
  writing: WriteContext,
): Promise<number> {
  return change(context, [id], {
    writing,
    action: 'return changed',
    isChanged: () => true,
    after: { return_hours: hours },
    apply: (tx) => changeDialogues(tx, { dialogueIds: [id] }, { kind: 'return_set', hours }),
  });
}

interface DeskChange {
  readonly writing: WriteContext;
  readonly action: string;
  readonly isChanged: (state: DeskState) => boolean;
  readonly after: object;
  readonly apply: (tx: Tx, ids: readonly number[]) => Promise<unknown>;
}

function change(
  context: AppContext,
  ids: readonly number[],
  { writing, action, isChanged, after, apply }: DeskChange,
): Promise<number> {
  return context.transact(async (tx) => {
    const states = (await lockDeskStates(tx, ids)).filter(isChanged);
    if (states.length === 0) return 0;
    await apply(
      tx,
      states.map(({ id }) => id),
    );
    await recordAuditEntries(
      tx,
      states.map(({ id, product_id: productId, ...before }) => ({
        ...writing,
        action,
        noun: 'dialogue',
        rowId: id,
        productId,
        before,
        after,
      })),
    );
    for (const { id, product_id: product } of states) notify(tx, { topic: 'dialogue', product, ids: [id] });
    return states.length;
  });
}

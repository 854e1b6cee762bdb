/** What each view of the inbox shows. The one rule for lists, counts and the console. */
import type { InboxState } from '../conversations/attentionContract.ts';
import type { Dialogue } from '../conversations/contract.ts';
import type { InboxView } from './contract.ts';

export interface ViewRule {
  readonly states: readonly InboxState[];
  readonly assignee: 'me_or_nobody' | 'me' | 'nobody' | 'others' | 'anyone';
}

export const viewRules: Readonly<Record<InboxView, ViewRule>> = {
  needs_me: { states: ['needs_human'], assignee: 'me_or_nobody' },
  mine: { states: ['needs_human', 'human', 'bot'], assignee: 'me' },
  unassigned: { states: ['needs_human', 'human'], assignee: 'nobody' },
  others: { states: ['needs_human'], assignee: 'others' },
  bot: { states: ['bot'], assignee: 'anyone' },
  snoozed: { states: ['snoozed'], assignee: 'anyone' },
  done: { states: ['done'], assignee: 'anyone' },
};

/**
 * The order of every view, by `inbox_at`: first the states that are listed here, what waits longest or comes next first;
 * then all others, the newest first.
 */
export const oldestFirst: readonly InboxState[] = ['needs_human', 'snoozed'];

type Placed = Pick<Dialogue, 'id' | 'inbox_state' | 'inbox_at'>;

/** Compare dialogues of a view by their places in it. */
export function compareInView(one: Placed, other: Placed): number {
  const isOldestFirst = oldestFirst.includes(one.inbox_state);
  if (isOldestFirst !== oldestFirst.includes(other.inbox_state)) return isOldestFirst ? -1 : 1;
  const byTime = one.inbox_at === other.inbox_at ? one.id - other.id : one.inbox_at < other.inbox_at ? -1 : 1;
  return isOldestFirst ? byTime : -byTime;
}

/** Whether a view shows a dialogue to an operator. */
export function isInView(
  view: InboxView,
  dialogue: Pick<Dialogue, 'inbox_state' | 'assignee_id'>,
  operatorId: number,
): boolean {
  const { states, assignee } = viewRules[view];
  if (!states.includes(dialogue.inbox_state)) return false;
  const isMine = dialogue.assignee_id === operatorId;
  const isNobodys = dialogue.assignee_id === null;
  switch (assignee) {
    case 'me_or_nobody':
      return isMine || isNobodys;
    case 'me':
      return isMine;
    case 'nobody':
      return isNobodys;
    case 'others':
      return !isMine && !isNobodys;
    case 'anyone':
      return true;
    default:
      return assignee satisfies never;
  }
}

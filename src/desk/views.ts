/** What each view of the inbox shows. The one rule for lists, counts and the console. */
import type { InboxState } from '../conversations/attentionContract.ts';
import type { Dialogue } from '../conversations/contract.ts';
import type { InboxView } from './contract.ts';

export interface ViewRule {
  readonly states: readonly InboxState[];
  readonly assignee: 'me_or_nobody' | 'me' | 'nobody' | 'anyone';
  /** By `inbox_at`: what waits longest first, others newest first. */
  readonly order: 'asc' | 'desc';
}

export const viewRules: Readonly<Record<InboxView, ViewRule>> = {
  needs_me: { states: ['needs_human'], assignee: 'me_or_nobody', order: 'asc' },
  mine: { states: ['needs_human', 'human', 'bot'], assignee: 'me', order: 'desc' },
  unassigned: { states: ['needs_human', 'human'], assignee: 'nobody', order: 'desc' },
  bot: { states: ['bot'], assignee: 'anyone', order: 'desc' },
  snoozed: { states: ['snoozed'], assignee: 'anyone', order: 'asc' },
  done: { states: ['done'], assignee: 'anyone', order: 'desc' },
};

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
    case 'anyone':
      return true;
    default:
      return assignee satisfies never;
  }
}

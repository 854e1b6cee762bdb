/** Mutations of the inbox's list, of suggested replies, and of what colleagues do at once. */
import type { MutationsByTest } from './mutation.ts';

export const INBOX_PAGE_MUTATIONS: MutationsByTest = {
  'src/desk/pages/inboxRows.test.ts': {
    "A colleague's dialogue stays in Needs me": {
      file: 'src/desk/views.ts',
      change: ['return isMine || isNobodys;', 'return true;'],
      failing: 'takes out what is done, snoozed or somebody else',
    },
    'Rows move under the pointer': {
      disabled: 'if (!isPointerOver)',
      failing: 'moves no row under the pointer',
    },
    'A row beyond the loaded ones is put behind them': {
      change: ['isComplete || existing ?', 'true ?'],
      failing: 'only counts a row beyond the loaded ones',
    },
  },
  'src/conversations/pages/shared/nextWaiting.test.ts': {
    'The next lead is one whose answer was just accepted': {
      file: 'src/conversations/pages/shared/nextWaiting.ts',
      change: ["(acceptedAt.get(id) ?? '') < since", "(acceptedAt.get(id) ?? '') < `9${since}`"],
      failing: 'does not lead back to a lead whose answer is on its way, or accepted since the row was read',
    },
  },
  'src/desk/inbox.test.ts': {
    'What the bot could not answer cannot be marked as done': {
      file: 'src/desk/store.ts',
      removed: 'no_answer = null, no_answer_detail = null, ',
      failing: 'out of sight when it is marked as done',
    },
  },
  'src/desk/suggestReply.test.ts': {
    'A draft of another dialogue is accepted': {
      file: 'src/llm/store.ts',
      change: ['and r.dialogue_id = ${dialogueId} and r.purpose', 'and ${dialogueId}::bigint > 0 and r.purpose'],
      failing: 'refuses a draft of another dialogue',
    },
    'A draft is given to who lost access': {
      file: 'src/conversations/suggestReply.ts',
      change: ['      ...writing,', '      ...writing,\n      caller: { ...writing.caller, lockRights: undefined },'],
      failing: 'gives nothing to an operator who lost access',
    },
    'A model is asked though we wrote last': {
      file: 'src/conversations/suggestReply.ts',
      disabled: "if (history.at(-1)?.side !== 'user')",
      failing: 'asks no model where we wrote last',
    },
  },
};

/** Mutations of the inbox's list, of suggested replies, and of what colleagues do at once. */
import type { MutationsByTest } from './mutation.ts';

export const INBOX_PAGE_MUTATIONS: MutationsByTest = {
  'src/desk/pages/inboxRows.test.ts': {
    "A colleague's dialogue stays in Needs me": {
      file: 'src/desk/views.ts',
      change: ['return isMine || isNobodys;', 'return true;'],
      failing: 'takes out what is done, snoozed or somebody else',
    },
    'What needs nothing is listed before who waits': {
      file: 'src/desk/views.ts',
      disabled: 'if (isOldestFirst !== oldestFirst.includes(other.inbox_state)) return',
      failing: 'puts who waits before what needs nothing',
    },
    'What needs nothing is listed with the oldest first': {
      file: 'src/desk/views.ts',
      change: ['return isOldestFirst ? byTime : -byTime;', 'return byTime;'],
      failing: 'puts who waits before what needs nothing',
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
    'The next lead is one whose answer is on its way': {
      file: 'src/conversations/pages/shared/nextWaiting.ts',
      removed: "state === 'needs_human' && !isBeingAnswered(operatorId, id) && ",
      failing: 'does not lead back to a lead whose answer is on its way, or accepted since the row was read',
    },
    'Leads before the chosen one are never next': {
      file: 'src/conversations/pages/shared/nextWaiting.ts',
      removed: ', ...rows.slice(0, Math.max(at, 0))',
      failing: 'finds the next row that waits, from the chosen one on and round',
    },
  },
  'src/desk/silentBot.test.ts': {
    'A lead whom the bot may not answer writes unseen': {
      file: 'src/inbox/decideInbound.ts',
      change: [': noAnswerWhenBlocked(blocked ?? null);', ': null;'],
      failing: 'shows a deactivated lead who writes, and',
    },
    'A lead who is given back to a bot that may not answer waits unseen': {
      file: 'src/conversations/decideReply.ts',
      change: ['state.waits ? noAnswerWhenBlocked(blocked) : null', 'null'],
      failing: 'shows a deactivated lead whose dialogue is given back to the bot',
    },
    'What the bot may not answer counts as its failure': {
      file: 'src/conversations/noAnswer.ts',
      change: ["in ('no_prompt', ", "in ('inactive', 'no_prompt', "],
      failing: 'shows a deactivated lead who writes, and',
    },
    'A lead who has left still needs an answer': {
      file: 'src/engine/rules/attention.ts',
      change: ['return { ...SEEN_TO, ...NO_REASON };', 'return { ...SEEN_TO };'],
      failing: 'needs nobody when a lead is deactivated whom the bot could not answer',
    },
  },
  'src/desk/inbox.test.ts': {
    'Whoever waits longest is listed last': {
      file: 'src/desk/store.ts',
      change: ['then 1 else -1 end`', 'then -1 else -1 end`'],
      failing: 'lists those who wait first',
    },
    'Nobody sees who waits for a colleague': {
      file: 'src/desk/store.ts',
      change: ["'assignee_id <> $2'", "'assignee_id = $2'"],
      failing: 'shows who waits for a colleague',
    },
    'What the bot could not answer cannot be marked as done': {
      file: 'src/engine/rules/attention.ts',
      change: ['{ ...SEEN_TO, ...NO_REASON, done_at', '{ ...SEEN_TO, done_at'],
      failing: 'out of sight when it is marked as done',
    },
  },
  'src/inbox/inboundKinds.test.ts': {
    'What the bot is about to answer is called unanswered': {
      file: 'src/engine/rules/turn.ts',
      change: ['dialogue.turn_due_at !== null || dialogue.no_answer !== null', 'dialogue.no_answer !== null'],
      failing: 'leaves the due answer to the bot',
    },
  },
  'src/desk/unnoticed.test.ts': {
    'A call in a dialogue of the bot needs nobody': {
      file: 'src/inbox/decideInbound.ts',
      change: ["meaning.kind === 'unseen' && blocked === null ? { code: meaning.code } : ", ''],
      failing: 'a call in a dialogue of the bot',
    },
    'A lead who waited too long for people is left to a bot that is silent': {
      file: 'src/conversations/ownership.ts',
      disabled: 'if (why !== null)',
      failing: 'still needs a person if the lead has waited for longer',
    },
    'A message that fails after a snooze stays out of sight': {
      file: 'src/engine/rules/needs.ts',
      removed: '    ...(failure === null ? {} : { snoozed_until: null, snoozed_until_reply: false }),\n',
      failing: 'ends a snooze when it fails',
    },
    'A failed answer is removed, and with it the wait': {
      file: 'src/outbox/operatorActions.ts',
      change: ["if (isScheduled || message.status === 'error') await", 'if (isScheduled) await'],
      failing: 'leaves the lead waiting when it is removed',
    },
    'The sentence of a hand-over counts as an answer': {
      file: 'src/conversations/store/attention.ts',
      removed: " and o.origin is distinct from 'hand_over'",
      failing: 'after the sentence of a hand-over',
    },
    'What an operator cancels in a dialogue of the bot is answered by nobody': {
      file: 'src/outbox/reopenWait.ts',
      disabled: "if (isBotIdle && author === 'operator')",
      failing: 'is answered by the bot when it was to leave the bot in charge',
    },
    'What a person has answered still counts as not answered': {
      file: 'src/engine/rules/owner.ts',
      change: ['dialogue.turn_due_at === null ? {', 'dialogue.turn_due_at !== null ? {'],
      failing: 'needs nobody once a person has sent',
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

/** The chart of what may happen to a message of ours, written from the rules into `docs/conversation.md`. */
import { apply } from '../engine/rules/conversation.ts';
import { NEW_DELIVERY, NEW_DIALOGUE } from '../engine/rules/defaults.ts';
import { type Dialogue, type DialogueEvent, decideDialogue } from '../engine/rules/dialogue.ts';
import { type Delivery, mayHaveArrived } from '../engine/rules/message.ts';
import { possibleEvents } from '../engine/rules/possible.ts';

const NOW = { domain: 1_000_000, real: 2_000_000 };

/** A message of an operator that nothing has happened to. */
export const NEW_MESSAGE: Delivery = {
  ...NEW_DELIVERY,
  author: 'operator',
  preview: 'Hello',
  scheduled_at: 0,
  send_key: 'first key',
};

/** A dialogue that needs nobody. */
export const QUIET_DIALOGUE = {
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
};

/** A dialogue of people in which everything is open. */
export const BUSY_DIALOGUE: Dialogue = {
  ...NEW_DIALOGUE,
  last_user_msg_id: 3,
  last_user_msg_at: 100,
  waiting_since: 100,
  failed_since: 200,
  unconfirmed_since: 300,
  snoozed_until: 9000,
  snoozed_until_reply: true,
  turn: 4,
  turn_due_at: 2000,
  turn_attempts: 2,
  turn_retry_at: 3000,
  turn_failed_at: 400,
  claimed_by: '00000000-0000-4000-8000-000000000001',
  claimed_until: 8000,
  no_answer: 'failed',
  no_answer_detail: 'It said so',
  owner: 'human',
  owner_reason: 'asked_for_human',
  owner_since: 500,
  human_at: 600,
  assignee_id: 1,
  hand_over_open: true,
};

/** One event of each kind that may happen to a dialogue, by what it is called. */
export const DIALOGUE_EVENTS: Readonly<Record<DialogueEvent['kind'], DialogueEvent>> = {
  wrote: {
    kind: 'wrote',
    latest: { message: 1, at: 1_000_000 },
    preview: { text: 'Hello', at: 1_000_000 },
    turns: 1,
    answerSeconds: 5,
    noAnswer: null,
    quiet: null,
    waits: true,
  },
  left_elsewhere: { kind: 'left_elsewhere', message: 2, at: 1_000_000, preview: 'Hello' },
  newest_changed: { kind: 'newest_changed', preview: 'Hello' },
  wait_reopened: { kind: 'wait_reopened', since: 50 },
  lead_active: { kind: 'lead_active', at: 1_000_000 },
  restated: { kind: 'restated', at: 1_000_000, answerSeconds: 5, noAnswer: null },
  answer_settled: { kind: 'answer_settled', turn: 4, noAnswer: null },
  answer_failed: { kind: 'answer_failed', turn: 4, seconds: 60 },
  answer_deferred: { kind: 'answer_deferred', turn: 4, detail: 'Spent' },
  answer_released: { kind: 'answer_released', turn: 4 },
  taken_back: { kind: 'taken_back', quiet: 'deleted' },
  answered_for_bot: { kind: 'answered_for_bot' },
  reply_requested: { kind: 'reply_requested' },
  left_unanswered: { kind: 'left_unanswered', why: 'late' },
  budget_renewed: { kind: 'budget_renewed' },
  closed: { kind: 'closed' },
  follow_ups_skipped: { kind: 'follow_ups_skipped', message: null },
  handed_over: { kind: 'handed_over', reason: { code: 'operator', detail: 'olga' }, operatorId: null, isOpen: false },
  returned: { kind: 'returned' },
  person_wrote: { kind: 'person_wrote', operator: null },
  assigned: { kind: 'assigned', operatorId: null },
  return_set: { kind: 'return_set', hours: 2 },
  done: { kind: 'done' },
  undone: { kind: 'undone' },
  snoozed: { kind: 'snoozed', until: 2_000_000, untilReply: false },
  snooze_ended: { kind: 'snooze_ended' },
  lead_left: { kind: 'lead_left' },
  opt_out_asked: { kind: 'opt_out_asked' },
  opt_out_decided: { kind: 'opt_out_decided' },
};

const CLAIMED = { status: 'sending', claimed_by: 'node', claimed_until: 1, attempts: 1 } as const;
const SENT = { status: 'sent', sent_at: 0, ext_id: 'id' } as const;

/** The states that a message can be in, by what they are called. */
export const MESSAGE_STATES: Readonly<Record<string, Delivery>> = {
  scheduled: NEW_MESSAGE,
  'scheduled again, in doubt': { ...NEW_MESSAGE, unconfirmed_at: 1 },
  sending: { ...NEW_MESSAGE, ...CLAIMED },
  unconfirmed: { ...NEW_MESSAGE, status: 'unconfirmed', unconfirmed_at: 1 },
  sent: { ...NEW_MESSAGE, ...SENT },
  delivered: { ...NEW_MESSAGE, ...SENT, status: 'delivered', sent_confirmation_at: 0 },
  read: { ...NEW_MESSAGE, ...SENT, status: 'read', sent_confirmation_at: 0, read_at: 0 },
  error: { ...NEW_MESSAGE, status: 'error', reason: 'It said so' },
  cancelled: { ...NEW_MESSAGE, status: 'cancelled' },
};

const nameOf = (message: Delivery): string =>
  message.status === 'scheduled' && mayHaveArrived(message) ? 'scheduled again, in doubt' : message.status;

/** Return the chart as Markdown: a row for each state and event that changes something. */
export function conversationChart(): string {
  const rows = Object.entries(MESSAGE_STATES).flatMap(([name, message]) =>
    possibleEvents(message).map(([event, sample]) => {
      const before = {
        dialogue: { ...QUIET_DIALOGUE, waiting_since: 0, snoozed_until: 9_000_000 },
        messages: new Map([[1, message]]),
        failing: new Map(message.status === 'error' || message.status === 'unconfirmed' ? [[1, message.status]] : []),
      };
      const { state, facts, effects } = apply(before, [{ message: 1, event: sample }], NOW);
      const after = state.messages.get(1) ?? message;
      const dialogue = Object.keys(facts[0]?.dialogue ?? {}).map((column) => `\`${column}\``);
      const done = effects.map(({ kind }) => `\`${kind}\``);
      return `| ${name} | ${event} | ${facts[0]?.kind ?? ''} | ${nameOf(after)} | ${dialogue.join(', ')} | ${done.join(', ')} |`;
    }),
  );
  const ofDialogue = Object.entries(DIALOGUE_EVENTS).map(([name, event]) => {
    const before = {
      ...BUSY_DIALOGUE,
      done_at: 700,
      done_needs: NEW_DIALOGUE,
      may_opt_out_since: 800,
      no_answer: 'budget',
    };
    const changes = decideDialogue({ ...before, turn_due_at: 2_000_000, skip_ping_for_msg_id: 1 }, event, NOW);
    return `| ${name} | ${Object.keys(changes)
      .toSorted()
      .map((column) => `\`${column}\``)
      .join(', ')} |`;
  });
  return [
    '# A conversation: states, events, effects',
    '',
    'Written by `npm run chart` from the rules in `src/engine/rules`; a test compares it with them. What may happen to a message of ours in each of its states, what has happened then, and what that changes. An event that is not listed for a state changes nothing. Columns of the dialogue are those of a lead who waits, in a dialogue that is snoozed.',
    '',
    '| message is | event | fact | becomes | of the dialogue | effects |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    '## A dialogue',
    '',
    'What happens to a dialogue beside its messages, and which columns that may change: in one of people in which everything is open.',
    '',
    '| event | may change |',
    '|---|---|',
    ...ofDialogue,
    '',
    '## Effects',
    '',
    'Effects are carried out by `src/engine/steps/applyEvents.ts`: `plan` evaluates the lead again, `start` moves a lead that had nothing of ours to the stage `started`, `settle_recipient` gives back the quota of a first message that found nobody, `pause_channel` and `reject_key` stop what the vendor has stopped.',
    '',
  ].join('\n');
}

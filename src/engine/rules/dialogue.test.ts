import { describe, expect, it } from 'vitest';
import { BUSY_DIALOGUE } from '../../testing/conversationChart.ts';
import { NEW_DIALOGUE } from './defaults.ts';
import { changesPlan, type Dialogue, type DialogueEvent, decideDialogue } from './dialogue.ts';
import type { Wrote } from './turn.ts';

const NOW = { domain: 1000, real: 5000 };
const OLGA = { id: 7, login: 'olga' };

const changesOf = (dialogue: Partial<Dialogue>, event: DialogueEvent): Partial<Dialogue> =>
  decideDialogue({ ...NEW_DIALOGUE, ...dialogue }, event, NOW);
/** What a dialogue in which everything is open becomes. */
const busyAfter = (event: DialogueEvent, more: Partial<Dialogue> = {}): Dialogue => {
  const before = { ...BUSY_DIALOGUE, ...more };
  return { ...before, ...decideDialogue(before, event, NOW) };
};

const NEEDS_NOBODY = {
  waiting_since: null,
  hand_over_open: false,
  failed_since: null,
  unconfirmed_since: null,
  snoozed_until: null,
  snoozed_until_reply: false,
};

describe('what the lead writes', () => {
  const WROTE: Wrote = {
    kind: 'wrote',
    latest: { message: 8, at: 900 },
    preview: { text: 'Hello', at: 900 },
    turns: 1,
    answerSeconds: 5,
    noAnswer: null,
    quiet: null,
    waits: true,
  };
  /** What begins no turn, and nobody has to answer. */
  const SIGN: Wrote = { ...WROTE, turns: 0, answerSeconds: null, waits: false };

  it('begins turns, and ends what was open in those before', () => {
    expect(busyAfter({ ...WROTE, turns: 2 }, { done_at: 5 })).toMatchObject({
      last_user_msg_id: 8,
      last_user_msg_at: 900,
      last_message: 'Hello',
      last_msg_created_at: 900,
      turn: BUSY_DIALOGUE.turn + 2,
      turn_due_at: 6000,
      turn_attempts: 0,
      turn_retry_at: null,
      turn_failed_at: null,
      claimed_by: null,
      claimed_until: null,
      no_answer: null,
      waiting_since: BUSY_DIALOGUE.waiting_since,
      done_at: null,
      snoozed_until: null,
      snoozed_until_reply: false,
    });
    const unanswered = { ...WROTE, answerSeconds: null, noAnswer: { code: 'stage', detail: 'success' } };
    const wanted = { turn: 1, turn_due_at: null, no_answer: 'stage', no_answer_detail: 'success', waiting_since: 900 };
    expect({ ...NEW_DIALOGUE, ...changesOf({}, unanswered) }).toMatchObject(wanted);
  });

  it('leaves a turn as it is if it begins none', () => {
    const call = { ...SIGN, noAnswer: { code: 'call', detail: null } } as const;
    expect(busyAfter(call)).toEqual({
      ...BUSY_DIALOGUE,
      last_user_msg_id: 8,
      last_user_msg_at: 900,
      last_message: 'Hello',
      last_msg_created_at: 900,
    });
    expect(changesOf({ no_answer: 'late' }, call)).not.toHaveProperty('no_answer');
    expect(changesOf({}, call)).toMatchObject({ no_answer: 'call' });
    expect(changesOf({ snoozed_until_reply: true }, call)).not.toHaveProperty('snoozed_until_reply');
  });

  it('says why nobody answers it, and the next turn forgets that', () => {
    expect(changesOf({}, { ...SIGN, quiet: 'thanks' })).toMatchObject({ quiet_reason: 'thanks' });
    expect(changesOf({ quiet_reason: 'thanks' }, SIGN)).not.toHaveProperty('quiet_reason');
    expect(changesOf({ quiet_reason: 'thanks' }, WROTE)).toMatchObject({ quiet_reason: null });
  });

  it('that is older than what is stored is not the latest', () => {
    const changes = changesOf({ last_user_msg_at: 901, last_msg_created_at: 901, last_user_msg_id: 7 }, WROTE);
    expect(Object.keys(changes).toSorted()).toEqual(['turn', 'turn_due_at', 'waiting_since']);
    // Of the same time, the later one counts.
    expect(changesOf({ last_user_msg_at: 900, last_user_msg_id: 7 }, WROTE)).toMatchObject({ last_user_msg_id: 8 });
  });

  it('is no sign of the lead if it is a notice of the messenger', () => {
    const changes = changesOf({ last_user_msg_id: 7 }, { ...SIGN, latest: null });
    expect(changes).toEqual({ last_message: 'Hello', last_msg_created_at: 900 });
  });
});

describe('a turn', () => {
  it('starts again when the lead edits a message', () => {
    const after = busyAfter({ kind: 'restated', at: 900, answerSeconds: 5, noAnswer: null });
    expect(after).toMatchObject({
      turn: BUSY_DIALOGUE.turn + 1,
      turn_due_at: 6000,
      turn_attempts: 0,
      turn_retry_at: null,
      turn_failed_at: null,
      claimed_by: null,
      claimed_until: null,
      no_answer: null,
      quiet_reason: null,
      waiting_since: BUSY_DIALOGUE.waiting_since,
      done_at: null,
      snoozed_until: null,
      snoozed_until_reply: false,
    });
    const event = {
      kind: 'restated',
      at: 900,
      answerSeconds: null,
      noAnswer: { code: 'human', detail: null },
    } as const;
    expect(changesOf({}, event)).toEqual({ turn: 1, no_answer: 'human', waiting_since: 900 });
    // A snooze until a date is none until a reply.
    expect(changesOf({ snoozed_until: 9000 }, event)).not.toHaveProperty('snoozed_until');
  });

  it('is over when the lead takes back what it wrote', () => {
    const after = busyAfter({ kind: 'taken_back', quiet: 'deleted' });
    expect(after).toMatchObject({ turn: BUSY_DIALOGUE.turn, turn_due_at: null, waiting_since: null, claimed_by: null });
    expect(after).toMatchObject({ no_answer: null, quiet_reason: 'deleted' });
  });

  it('is due at once when the bot is asked to answer, and owed by nobody when a person answers in its place', () => {
    expect(busyAfter({ kind: 'reply_requested' })).toMatchObject({
      turn_due_at: 1000,
      turn_attempts: 0,
      no_answer: null,
    });
    expect(busyAfter({ kind: 'answered_for_bot' })).toMatchObject({ turn_due_at: null, turn_retry_at: null });
  });

  it('that waits for budget is due once there is some', () => {
    const waits = { no_answer: 'budget', turn_due_at: 2000 };
    expect(changesOf(waits, { kind: 'budget_renewed' })).toEqual({ no_answer: null, turn_due_at: 1000 });
    expect(changesOf({ ...waits, no_answer: 'model' }, { kind: 'budget_renewed' })).toEqual({});
    expect(changesOf({ ...waits, turn_due_at: 1000 }, { kind: 'budget_renewed' })).toEqual({});
  });

  it('is settled by its own answer alone', () => {
    const event = { kind: 'answer_settled', noAnswer: { code: 'model', detail: 'Down' } } as const;
    expect(busyAfter({ ...event, turn: 4 })).toMatchObject({
      turn_due_at: null,
      turn_attempts: 0,
      turn_retry_at: null,
      turn_failed_at: null,
      claimed_by: null,
      claimed_until: null,
      no_answer: 'model',
      no_answer_detail: 'Down',
    });
    for (const turn of [3, 5]) expect(decideDialogue(BUSY_DIALOGUE, { ...event, turn }, NOW)).toEqual({});
  });

  it('is tried again after a failure, since the first of which time counts', () => {
    const failed = { kind: 'answer_failed', turn: 0, seconds: 60 } as const;
    const first = changesOf({}, failed);
    expect(first).toEqual({ turn_attempts: 1, turn_failed_at: 5000, turn_retry_at: 65_000 });
    const later = { domain: 1000, real: 70_000 };
    const second = decideDialogue({ ...NEW_DIALOGUE, ...first }, failed, later);
    expect(second).toEqual({ turn_attempts: 2, turn_retry_at: 130_000 });
  });

  it('waits for the next UTC day when the budget is spent', () => {
    const day = 86_400_000;
    const event = { kind: 'answer_deferred', turn: 0, detail: 'Spent' } as const;
    const dueAfter = (domain: number) => decideDialogue(NEW_DIALOGUE, event, { ...NOW, domain }).turn_due_at;
    expect([dueAfter(5 * day - 1), dueAfter(5 * day)]).toEqual([5 * day, 6 * day]);
    expect(changesOf({}, event)).toMatchObject({ no_answer: 'budget', no_answer_detail: 'Spent' });
  });

  it('stays as it is when it is released', () => {
    const changes = decideDialogue(BUSY_DIALOGUE, { kind: 'answer_released', turn: 4 }, NOW);
    expect(changes).toEqual({ claimed_by: null, claimed_until: null });
  });

  it('is closed up to what the lead has written', () => {
    expect(busyAfter({ kind: 'closed' })).toMatchObject({ closed_msg_id: 3, closed_at: 1000, waiting_since: null });
    expect(changesOf({}, { kind: 'closed' })).toEqual({});
  });

  it('does not run backwards, and each sign of the lead has it planned again', () => {
    expect(changesOf({ last_user_msg_at: 500 }, { kind: 'lead_active', at: 400 })).toEqual({});
    expect(changesOf({}, { kind: 'lead_active', at: 400 })).toEqual({ last_user_msg_at: 400 });
    expect(changesPlan(NEW_DIALOGUE, { ...NEW_DIALOGUE, last_user_msg_at: 400 })).toBe(true);
    expect(changesPlan(NEW_DIALOGUE, { ...NEW_DIALOGUE, last_message: 'x' })).toBe(false);
  });
});

describe('whose a dialogue is', () => {
  const reason = { code: 'operator', detail: 'olga' };

  it('is people once it is handed over, and the bot owes nothing', () => {
    const event = { kind: 'handed_over', reason, operatorId: 7, isOpen: false } as const;
    expect(busyAfter(event, { owner: 'bot', assignee_id: null })).toMatchObject({
      owner: 'human',
      owner_reason: 'operator',
      owner_reason_detail: 'olga',
      owner_since: 1000,
      human_at: 1000,
      assignee_id: 7,
      hand_over_open: false,
      turn_due_at: null,
      no_answer: null,
      // People see to it when they said they would.
      snoozed_until: BUSY_DIALOGUE.snoozed_until,
      waiting_since: BUSY_DIALOGUE.waiting_since,
    });
    expect(busyAfter(event)).toMatchObject({ assignee_id: BUSY_DIALOGUE.assignee_id });
  });

  it('is open to people who do not know of it yet, whatever they have said of it before', () => {
    const event = { kind: 'handed_over', reason, operatorId: null, isOpen: true } as const;
    expect(busyAfter(event, { done_at: 5 })).toMatchObject({
      hand_over_open: true,
      done_at: null,
      snoozed_until: null,
      snoozed_until_reply: false,
    });
  });

  it('is the bot once it is given back, and nobody has it assigned or snoozed', () => {
    expect(busyAfter({ kind: 'returned' })).toMatchObject({
      owner: 'bot',
      owner_reason: null,
      human_at: null,
      assignee_id: null,
      snoozed_until: null,
      snoozed_until_reply: false,
      no_answer: BUSY_DIALOGUE.no_answer,
      turn_due_at: BUSY_DIALOGUE.turn_due_at,
    });
  });

  it('needs nobody once a person has written, unless the bot still owes an answer', () => {
    const event = { kind: 'person_wrote', operator: null } as const;
    expect(busyAfter(event)).toMatchObject({ ...NEEDS_NOBODY, done_at: null, human_at: 1000, no_answer: 'failed' });
    expect(busyAfter(event, { turn_due_at: null }).no_answer).toBeNull();
  });

  it.each<[string, Partial<Dialogue>, Partial<Dialogue>]>([
    [
      'takes it from another',
      { owner_reason: 'operator', owner_reason_detail: 'vera' },
      { owner_reason_detail: 'olga', owner_since: 1000 },
    ],
    ['takes it from the phone', { owner_reason: 'phone', owner_reason_detail: null }, { owner_reason: 'operator' }],
    ['keeps it', { owner_reason: 'operator', owner_reason_detail: 'olga' }, { owner_since: 1 }],
    [
      'keeps why the bot handed over',
      { owner_reason: 'asked_for_human' },
      { owner_reason: 'asked_for_human', owner_since: 1 },
    ],
    ['becomes its assignee', { assignee_id: null }, { assignee_id: 7 }],
    ['leaves it to its assignee', { assignee_id: 9 }, { assignee_id: 9 }],
    [
      'leaves it to the bot',
      { owner: 'bot', owner_reason: null, assignee_id: null },
      { owner: 'bot', assignee_id: null },
    ],
  ])('an operator who writes %s', (_name, more, wanted) => {
    expect(busyAfter({ kind: 'person_wrote', operator: OLGA }, { owner_since: 1, ...more })).toMatchObject(wanted);
  });
});

describe('what people see to', () => {
  it('is done, and comes back when that is undone', () => {
    const done = busyAfter({ kind: 'done' });
    expect(done).toMatchObject({ ...NEEDS_NOBODY, no_answer: null, done_at: 1000 });
    const undone = { ...done, ...decideDialogue(done, { kind: 'undone' }, NOW) };
    expect(undone).toEqual({ ...BUSY_DIALOGUE, done_at: null, done_needs: null });
    expect(decideDialogue(undone, { kind: 'undone' }, NOW)).toEqual({});
  });

  it('ends a snooze at its time and not before', () => {
    expect(changesOf({ snoozed_until: 1000 }, { kind: 'snooze_ended' })).toEqual({ snoozed_until: null });
    expect(changesOf({ snoozed_until: 1001 }, { kind: 'snooze_ended' })).toEqual({});
  });

  it('is what waits again after an answer was taken back, unless somebody has said that nothing does', () => {
    const event = { kind: 'wait_reopened', since: 50 } as const;
    expect(changesOf({}, event)).toEqual({ waiting_since: 50 });
    expect(changesOf({ done_at: 5 }, event)).toEqual({});
    expect(changesOf({ waiting_since: 40 }, { ...event, since: null })).toEqual({ waiting_since: null });
  });

  it('is what the bot leaves to them, if it leaves anything', () => {
    const event = { kind: 'left_unanswered', why: 'late' } as const;
    expect(changesOf({ waiting_since: 1 }, event)).toEqual({ no_answer: 'late' });
    expect(changesOf({}, event)).toEqual({});
    expect(changesOf({ waiting_since: 1, turn_due_at: 5 }, event)).toEqual({});
    expect(changesOf({ waiting_since: 1, no_answer: 'failed' }, event)).toEqual({});
  });

  it('is not what somebody has answered elsewhere, unless the lead has written since', () => {
    const event = { kind: 'left_elsewhere', message: 9, at: 500, preview: 'Yes' } as const;
    const waits = { last_user_msg_at: 400, last_msg_created_at: 400, waiting_since: 400 };
    const newest = { last_bot_msg_id: 9, last_message: 'Yes', last_msg_created_at: 500 };
    expect(changesOf(waits, event)).toEqual({ ...newest, waiting_since: null });
    expect(changesOf(waits, { ...event, at: 300 })).toEqual({});
  });

  it('is nothing when the lead has left', () => {
    expect(busyAfter({ kind: 'lead_left' })).toMatchObject({ ...NEEDS_NOBODY, no_answer: null });
    expect(changesOf({}, { kind: 'lead_left' })).toEqual({});
  });

  it('is a question about an opt-out until it is decided', () => {
    const asked = busyAfter({ kind: 'opt_out_asked' }, { done_at: 5 });
    expect(asked).toMatchObject({ may_opt_out_since: 1000, done_at: null, snoozed_until: null });
    expect(decideDialogue(asked, { kind: 'opt_out_asked' }, { ...NOW, domain: 2000 })).toEqual({});
    expect(decideDialogue(asked, { kind: 'opt_out_decided' }, NOW)).toEqual({ may_opt_out_since: null });
  });
});

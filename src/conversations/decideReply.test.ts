import { expect, it } from 'vitest';
import { decideReply, type ReplyResult } from './decideReply.ts';
import type { TurnState } from './store/turns.ts';

const ANSWER: ReplyResult = { kind: 'answer', text: 'Six weeks.', model: null, prompt: null, renderedPrompt: null };
const HAND_OVER: ReplyResult = { kind: 'hand_over', reason: 'asked_for_human', detail: null, stops: false };
const RETRY: ReplyResult = { kind: 'retry', seconds: 2, detail: 'No answer' };
const LEAD = {
  id: 1,
  name: 'Anna',
  stage: 'ongoing',
  crm_fields: {},
  is_active: true,
  recognized_deactivation_request: false,
} as const;
const STATE: TurnState = {
  id: 7,
  product_id: 1,
  turn: 3,
  is_due: true,
  owner: 'bot',
  lead: LEAD,
  is_product_active: true,
  last_user_msg_id: 5,
  has_unprocessed_inbound: false,
  has_doubt: false,
  waits: true,
  failing_ms: null,
  hand_over_text: '',
  queue: {
    product_id: 1,
    contact_id: 1,
    channel_id: 1,
    vendor: 'wazzup24',
    channel_type: 'whatsapp',
    delay_messages_symbols_per_second: null,
    delay_messages_seconds: null,
    start: '2026-03-01T10:00:00.000Z',
  },
};
const MINUTE = 60_000;

it.each<[string, ReplyResult, Partial<TurnState>, string, 'queue' | 'hand_over' | null]>([
  ['queues an answer to the current turn', ANSWER, {}, 'answer_settled', 'queue'],
  ['drops an answer after a newer message', ANSWER, { turn: 4 }, 'answer_released', null],
  ['drops an answer to a turn that somebody closed', ANSWER, { is_due: false }, 'answer_released', null],
  ['waits until a stored message is processed', ANSWER, { has_unprocessed_inbound: true }, 'answer_released', null],
  ['says nothing after a hand-over', ANSWER, { owner: 'human' }, 'answer_settled', null],
  [
    'says nothing to a lead who has been deactivated',
    ANSWER,
    { lead: { ...LEAD, is_active: false } },
    'answer_settled',
    null,
  ],
  ['says nothing for a product that was switched off', ANSWER, { is_product_active: false }, 'answer_settled', null],
  ['hands the current turn over', HAND_OVER, {}, 'answer_settled', 'hand_over'],
  ['hands nothing over after a newer message', HAND_OVER, { turn: 4 }, 'answer_released', null],
  [
    'hands nothing over while a message is stored',
    HAND_OVER,
    { has_unprocessed_inbound: true },
    'answer_released',
    null,
  ],
  ['hands nothing over that a human has taken over', HAND_OVER, { owner: 'human' }, 'answer_settled', null],
  ['hands no deactivated lead over', HAND_OVER, { lead: { ...LEAD, is_active: false } }, 'answer_settled', null],
  ['asks a failing model again', RETRY, { failing_ms: 14 * MINUTE }, 'answer_failed', null],
  ['gives up after fifteen minutes', RETRY, { failing_ms: 16 * MINUTE }, 'answer_settled', null],
  ['waits for the next day’s budget', { kind: 'budget', detail: 'Spent' }, {}, 'answer_deferred', null],
])('%s', (_name, result, state, kind, effect) => {
  expect(decideReply({ turn: 3, result, hasHint: false }, { ...STATE, ...state })).toMatchObject({
    event: { turn: 3, kind },
    effect,
  });
});

const PROMISE: ReplyResult = { ...ANSWER, text: 'Sorry, we will not write again.' };
const STOP: ReplyResult = { kind: 'stop' };

it.each<[string, ReplyResult, boolean, Partial<TurnState>, ReturnType<typeof decideReply>['optOut']]>([
  ['takes an answer as a no', ANSWER, true, {}, 'none'],
  [
    'takes the tool as the wish of a lead whose words hint at it',
    STOP,
    true,
    {},
    { state: 'certain', source: 'model' },
  ],
  ['asks people about the tool without a hint', STOP, false, {}, { state: 'doubtful', source: 'model' }],
  ['takes a promise as the wish', PROMISE, true, {}, { state: 'certain', source: 'promise' }],
  ['asks people about a promise without a hint', PROMISE, false, {}, { state: 'doubtful', source: 'promise' }],
  ['leaves it open when the dialogue is handed over', HAND_OVER, true, {}, null],
  ['hears the tool beside a hand-over', { ...HAND_OVER, stops: true }, true, {}, { state: 'certain', source: 'model' }],
  ['knows nothing of an older turn', STOP, true, { turn: 4 }, null],
  ['knows nothing when a human has taken over', STOP, true, { owner: 'human' }, null],
])('%s', (_name, result, hasHint, state, optOut) => {
  expect(decideReply({ turn: 3, result, hasHint }, { ...STATE, ...state }).optOut).toEqual(optOut);
});

import { expect, it } from 'vitest';
import { decideReply, type ReplyResult } from './decideReply.ts';
import type { TurnState } from './store/turns.ts';

const ANSWER: ReplyResult = { kind: 'answer', text: 'Six weeks.', model: null, prompt: null, renderedPrompt: null };
const HAND_OVER: ReplyResult = { kind: 'hand_over', reason: 'asked_for_human', detail: null };
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
  ['queues an answer to the current turn', ANSWER, {}, 'close', 'queue'],
  ['drops an answer after a newer message', ANSWER, { turn: 4 }, 'release', null],
  ['drops an answer to a turn that somebody closed', ANSWER, { is_due: false }, 'release', null],
  ['waits until a stored message is processed', ANSWER, { has_unprocessed_inbound: true }, 'release', null],
  ['says nothing after a hand-over', ANSWER, { owner: 'human' }, 'close', null],
  ['says nothing to a lead who has been deactivated', ANSWER, { lead: { ...LEAD, is_active: false } }, 'close', null],
  ['says nothing for a product that was switched off', ANSWER, { is_product_active: false }, 'close', null],
  ['hands the current turn over', HAND_OVER, {}, 'close', 'hand_over'],
  ['hands nothing over after a newer message', HAND_OVER, { turn: 4 }, 'release', null],
  ['hands nothing over while a message is stored', HAND_OVER, { has_unprocessed_inbound: true }, 'release', null],
  ['hands nothing over that a human has taken over', HAND_OVER, { owner: 'human' }, 'close', null],
  ['hands no deactivated lead over', HAND_OVER, { lead: { ...LEAD, is_active: false } }, 'close', null],
  ['asks a failing model again', RETRY, { failing_ms: 14 * MINUTE }, 'retry', null],
  ['gives up after fifteen minutes', RETRY, { failing_ms: 16 * MINUTE }, 'close', null],
  ['waits for the next day’s budget', { kind: 'budget', detail: 'Spent' }, {}, 'next_day', null],
])('%s', (_name, result, state, kind, effect) => {
  expect(decideReply({ turn: 3, result }, { ...STATE, ...state })).toMatchObject({
    change: { id: 7, turn: 3, kind },
    effect,
  });
});

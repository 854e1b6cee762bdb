import { expect, it } from 'vitest';
import { decideReply, type ReplyResult } from './decideReply.ts';
import type { TurnState } from './store/turns.ts';

const ANSWER: ReplyResult = { kind: 'answer', text: 'Six weeks.', model: null, prompt: null, renderedPrompt: null };
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
  failing_ms: null,
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

it.each<[string, ReplyResult, Partial<TurnState>, string, boolean]>([
  ['queues an answer to the current turn', ANSWER, {}, 'close', true],
  ['drops an answer after a newer message', ANSWER, { turn: 4 }, 'release', false],
  ['drops an answer to a turn that somebody closed', ANSWER, { is_due: false }, 'release', false],
  ['waits until a stored message is processed', ANSWER, { has_unprocessed_inbound: true }, 'release', false],
  ['says nothing after a hand-over', ANSWER, { owner: 'human' }, 'close', false],
  ['says nothing to a lead who has been deactivated', ANSWER, { lead: { ...LEAD, is_active: false } }, 'close', false],
  ['says nothing for a product that was switched off', ANSWER, { is_product_active: false }, 'close', false],
  ['asks a failing model again', RETRY, { failing_ms: 14 * MINUTE }, 'retry', false],
  ['gives up after fifteen minutes', RETRY, { failing_ms: 16 * MINUTE }, 'close', false],
  ['waits for the next day’s budget', { kind: 'budget', detail: 'Spent' }, {}, 'next_day', false],
])('%s', (_name, result, state, kind, isQueued) => {
  expect(decideReply({ turn: 3, result }, { ...STATE, ...state })).toMatchObject({
    change: { id: 7, turn: 3, kind },
    isQueued,
  });
});

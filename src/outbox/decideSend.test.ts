import { expect, it } from 'vitest';
import type { OwnerReason } from '../leads/lead.ts';
import { type DueFacts, decideSend } from './decideSend.ts';

const LEAD = {
  stage: 'ongoing',
  is_active: true,
  recognized_deactivation_request: false,
  timezone: null,
} as const;

/** The sentence of a hand-over in turn 3, due in a dialogue that the bot has just handed over. */
const DUE: DueFacts = {
  message: {
    id: 1,
    product_id: 1,
    author: 'bot',
    origin: 'hand_over',
    ping_step_number: null,
    reply_on_msg_id: 5,
    schedule_enabled: true,
    reason: null,
    debounce_guard: true,
    turn: 3,
    unconfirmed_at: null,
  },
  context: {
    vendor: 'wazzup24',
    channel_active: true,
    channel_rests: false,
    rest_reason: null,
    key_rejected_reason: null,
    account_waits: false,
  },
  lead: LEAD,
  isProductActive: true,
  now: 0,
  owner: 'human',
  ownerReason: { code: 'asked_for_human' },
  isHandOverOpen: true,
  turn: 3,
  isReady: true,
  isDialogueBlocked: false,
  hasUnprocessedInbound: false,
  hasAnsweredSince: false,
  hasOlder: false,
  keyAgeMs: null,
};
const OPERATOR: OwnerReason = { code: 'operator', detail: 'vera' };

it.each<[string, Partial<DueFacts>, 'claim' | 'cancel' | 'skip']>([
  ['lets the sentence of the hand-over leave', {}, 'claim'],
  ['cancels it when a person has seen to the dialogue', { isHandOverOpen: false }, 'cancel'],
  ['cancels it when an operator has taken over', { ownerReason: OPERATOR }, 'cancel'],
  ['cancels it when stage detection has handed over', { ownerReason: { code: 'qualified' } }, 'cancel'],
  ['cancels it when the bot has the dialogue back', { owner: 'bot' }, 'cancel'],
  ['cancels it after a newer message', { turn: 4 }, 'cancel'],
  ['cancels it for a lead who has been deactivated', { lead: { ...LEAD, is_active: false } }, 'cancel'],
  ['holds it back while a message is stored', { hasUnprocessedInbound: true }, 'skip'],
  ['cancels an answer in the same dialogue', { message: { ...DUE.message, origin: null } }, 'cancel'],
  ['cancels a follow-up in the same dialogue', { message: { ...DUE.message, origin: 'ping' } }, 'cancel'],
])('%s', (_name, change, kind) => {
  expect(decideSend({ ...DUE, ...change }, () => null).kind).toBe(kind);
});

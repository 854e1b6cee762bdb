import { expect, it } from 'vitest';
import type { OwnerReason } from '../leads/lead.ts';
import { type DueFacts, decideSend, type SendDecision } from './decideSend.ts';

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
    created_at: '2026-01-01T00:00:00.000Z',
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
  addressRefusal: null,
  hasUnprocessedInbound: false,
  hasAnsweredSince: false,
  hasNewerInbound: false,
  hasOlder: false,
  keyAgeMs: null,
  personOptOut: null,
};
/** A message of a program that replies to message 5. */
const REPLY = { ...DUE.message, author: 'operator', origin: null, turn: null } as const;
const NEWER = { hasNewerInbound: true } as const;
/** A follow-up that was stored at `created_at`, in a dialogue of the bot. */
const FOLLOW_UP: Partial<DueFacts> = {
  owner: 'bot',
  ownerReason: null,
  message: { ...DUE.message, origin: 'ping', reply_on_msg_id: null },
};
const ANSWER: Partial<DueFacts> = { owner: 'bot', ownerReason: null, message: { ...DUE.message, origin: null } };
const typed = (created_at: string): Partial<DueFacts> => ({
  message: { ...DUE.message, author: 'operator', origin: null, reply_on_msg_id: null, created_at },
});
const OPTED_OUT = { lead: { ...LEAD, is_active: false, recognized_deactivation_request: true } };
const optedOut = (state: 'certain' | 'doubtful', source: 'words' | 'promise' = 'words'): Partial<DueFacts> => ({
  personOptOut: { state, source, since: Date.parse('2026-01-01T00:00:00.000Z') },
});

const kindOf = (decision: SendDecision) => (decision.kind === 'change' ? decision.event.kind : decision.kind);

it.each<[string, Partial<DueFacts>, 'claim' | 'cancelled' | 'deferred']>([
  ['cancels a follow-up to a person who wants no more messages', { ...FOLLOW_UP, ...optedOut('certain') }, 'cancelled'],
  ['holds a follow-up to a person who may want no more', { ...FOLLOW_UP, ...optedOut('doubtful') }, 'deferred'],
  ['lets an answer leave to a person who wants no more messages', { ...ANSWER, ...optedOut('certain') }, 'claim'],
  ['lets an answer leave to a person who may want no more', { ...ANSWER, ...optedOut('doubtful') }, 'claim'],
  [
    'cancels what an operator wrote before',
    { ...typed('2025-12-31T00:00:00.000Z'), ...optedOut('certain') },
    'cancelled',
  ],
  [
    'holds what an operator wrote before',
    { ...typed('2025-12-31T00:00:00.000Z'), ...optedOut('doubtful') },
    'deferred',
  ],
  [
    'lets leave what an operator has confirmed since',
    { ...typed('2026-01-02T00:00:00.000Z'), ...optedOut('certain') },
    'claim',
  ],
  ['lets the promise of silence leave', { ...ANSWER, ...OPTED_OUT, ...optedOut('certain', 'promise') }, 'claim'],
  ['cancels an answer after an opt-out', { ...ANSWER, ...OPTED_OUT, ...optedOut('certain') }, 'cancelled'],
  [
    'cancels a follow-up after a promise',
    { ...FOLLOW_UP, ...OPTED_OUT, ...optedOut('certain', 'promise') },
    'cancelled',
  ],
])('%s', (_name, change, kind) => {
  expect(kindOf(decideSend({ ...DUE, ...change }, () => null))).toBe(kind);
});

const OPERATOR: OwnerReason = { code: 'operator', detail: 'vera' };

it.each<[string, Partial<DueFacts>, 'claim' | 'cancelled' | 'skip']>([
  ['lets the sentence of the hand-over leave', {}, 'claim'],
  ['cancels it when a person has seen to the dialogue', { isHandOverOpen: false }, 'cancelled'],
  ['cancels it when an operator has taken over', { ownerReason: OPERATOR }, 'cancelled'],
  ['cancels it when stage detection has handed over', { ownerReason: { code: 'qualified' } }, 'cancelled'],
  ['cancels it when the bot has the dialogue back', { owner: 'bot' }, 'cancelled'],
  ['cancels it after a newer message', { turn: 4 }, 'cancelled'],
  ['cancels it for a lead who has been deactivated', { lead: { ...LEAD, is_active: false } }, 'cancelled'],
  ['holds it back while a message is stored', { hasUnprocessedInbound: true }, 'skip'],
  ['cancels an answer in the same dialogue', { message: { ...DUE.message, origin: null } }, 'cancelled'],
  ['lets a reply of a program leave', { message: REPLY }, 'claim'],
  ['cancels a reply of a program after a newer message', { message: REPLY, ...NEWER }, 'cancelled'],
  [
    'holds a reply of a program back while a message is stored',
    { message: REPLY, hasUnprocessedInbound: true },
    'skip',
  ],
  ['lets a reply without the guard leave', { message: { ...REPLY, debounce_guard: false }, ...NEWER }, 'claim'],
  ['lets a message that replies to none leave', { message: { ...REPLY, reply_on_msg_id: null }, ...NEWER }, 'claim'],
  [
    'lets a reply without the guard pass a stored message',
    { message: { ...REPLY, debounce_guard: false }, hasUnprocessedInbound: true },
    'claim',
  ],
  ['cancels a follow-up in the same dialogue', { message: { ...DUE.message, origin: 'ping' } }, 'cancelled'],
])('%s', (_name, change, kind) => {
  expect(kindOf(decideSend({ ...DUE, ...change }, () => null))).toBe(kind);
});

it.each([
  ['first', 'bot', 'cancelled'],
  ['ping', 'bot', 'cancelled'],
  [null, 'bot', 'claim'],
  [null, 'operator', 'claim'],
] as const)(
  'of origin %s by the %s is cancelled if nobody asked for it and the number is not valid: %s',
  (origin, author, kind) => {
    const due: DueFacts = {
      ...DUE,
      message: { ...DUE.message, origin, author },
      owner: 'bot',
      isHandOverOpen: false,
      addressRefusal: { code: 'too_long', number: '4407911123456', country: 'GB' },
    };
    const decision = decideSend(due, () => null);
    expect(kindOf(decision)).toBe(kind);
    if (decision.kind === 'change')
      expect(decision.event.reason).toBe('+4407911123456 has a digit too many for a number in the United Kingdom');
    expect(decideSend({ ...due, addressRefusal: null }, () => null).kind).toBe('claim');
  },
);

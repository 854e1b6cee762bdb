import { expect, it } from 'vitest';
import { type Message, message } from '../../conversations/contract.ts';
import type { LeadOutreach } from '../../outreach/rehearsalContract.ts';
import { describeNext } from './nextStep.ts';
import { activityLabel, botStopReason } from './shared/stage.tsx';

const lead = { recognized_deactivation_request: false, is_active: true, stage: 'ongoing' } as const;
const dialogue = { id: 7, owner: 'bot', owner_reason: null, turn_due_at: null, no_answer: null } as const;
const AT = '2026-11-21T10:00:00.000Z';

const silent: LeadOutreach = {
  state: 'finished, replied',
  next: null,
  at: null,
  why: { code: 'answer_first' },
  dialogue_id: 7,
  last_bot_msg_id: null,
  zone: null,
};
const coming: LeadOutreach = { ...silent, state: 'active', next: 'ping', at: AT, why: { code: 'step', step: 2 } };

const scheduled: Message = message.parse({
  ...Object.fromEntries(Object.keys(message.shape).map((key) => [key, null])),
  id: 1,
  earlier_texts: [],
  product_id: 1,
  contact_id: 1,
  dialogue_id: 7,
  lead_name: 'Anna',
  message: 'Still there?',
  side: 'bot',
  author: 'bot',
  status: 'scheduled',
  sent: false,
  is_failed: false,
  created_at: AT,
  thread_at: AT,
  scheduled_at: AT,
  retry_count: 0,
  kind: 'text',
});

it('is the scheduled message, no matter who wrote it', () => {
  expect(
    describeNext({ lead: { ...lead, is_active: false }, dialogues: [dialogue], scheduled, outreach: coming }),
  ).toEqual({
    kind: 'message',
    message: scheduled,
  });
});

it("is the bot's pending answer", () => {
  const needsReply = { ...dialogue, id: 8, turn_due_at: AT };
  expect(describeNext({ lead, dialogues: [dialogue, needsReply], scheduled: null, outreach: coming })).toEqual({
    kind: 'answer',
    dialogueId: 8,
    at: AT,
  });
});

it('is the next automatic message', () => {
  expect(describeNext({ lead, dialogues: [dialogue], scheduled: null, outreach: coming })).toEqual({
    kind: 'outreach',
    outreach: coming,
    dialogueId: 7,
  });
});

it.each([
  ['no dialogue', lead, [], 'No messages yet. The lead wrote last', null],
  ['that of the plan', lead, [{ ...dialogue, owner: 'human' }], 'No automatic message: the lead wrote last', 7],
  [
    'that of the plan, though a human owes',
    lead,
    [{ ...dialogue, owner: 'human', turn_due_at: AT }],
    'No automatic',
    7,
  ],
  [
    'a turn that failed',
    lead,
    [{ ...dialogue, no_answer: 'No answer: the key is wrong' }],
    'No answer: the key is wrong',
    7,
  ],
  ['inactive', { ...lead, is_active: false }, [{ ...dialogue, turn_due_at: AT }], 'off: the lead is not active.', null],
  ['a stage', { ...lead, stage: 'refused' }, [dialogue], 'The bot is off: the stage is Refused.', null],
  [
    'an opt-out',
    { ...lead, is_active: false, recognized_deactivation_request: true },
    [dialogue],
    'The bot is off: the lead opted out.',
    null,
  ],
] as const)('is nothing, with the reason: %s', (_name, who, dialogues, why, dialogueId) => {
  expect(
    describeNext({ lead: who, dialogues, scheduled: null, outreach: why.startsWith('No') ? silent : coming }),
  ).toEqual({
    kind: 'nothing',
    sentence: expect.stringContaining(why),
    dialogueId,
  });
});

it('shows an opt-out only while the lead is inactive', () => {
  const asked = { ...lead, recognized_deactivation_request: true };
  expect([botStopReason(asked), activityLabel(asked)]).toEqual([null, 'Active']);
  const out = { ...asked, is_active: false };
  expect([botStopReason(out), activityLabel(out)]).toEqual(['the lead opted out', 'Inactive: opted out']);
  expect(describeNext({ lead: asked, dialogues: [dialogue], scheduled: null, outreach: coming })).toEqual({
    kind: 'outreach',
    outreach: coming,
    dialogueId: 7,
  });
});

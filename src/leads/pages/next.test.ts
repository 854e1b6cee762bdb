import { expect, it } from 'vitest';
import { type Message, message } from '../../dialogues/contract.ts';
import { nextOf } from './next.ts';

const lead = { recognized_deactivation_request: false, is_active: true, stage: 'ongoing' } as const;
const talk = { id: 7, owner: 'bot', owner_reason: null, turn_due_at: null, no_answer: null } as const;
const AT = '2026-11-21T10:00:00.000Z';

const scheduled: Message = message.parse({
  ...Object.fromEntries(Object.keys(message.shape).map((key) => [key, null])),
  id: 1,
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

it('is what is scheduled, whoever wrote it and whatever the lead', () => {
  expect(nextOf({ ...lead, is_active: false }, [talk], scheduled)).toEqual({ kind: 'message', message: scheduled });
});

it('is the answer that the bot owes', () => {
  const owed = { ...talk, id: 8, turn_due_at: AT };
  expect(nextOf(lead, [talk, owed], null)).toEqual({ kind: 'answer', dialogueId: 8, at: AT });
});

it.each([
  ['no dialogue', lead, [], 'Nobody has written to this lead yet.', null],
  ['a human', lead, [{ ...talk, owner: 'human' }], 'Nothing is scheduled: a human answers in this dialogue', 7],
  ['an owed answer of a human', lead, [{ ...talk, owner: 'human', turn_due_at: AT }], 'a human answers', 7],
  ['one of two with the bot', lead, [{ ...talk, owner: 'human' }, talk], 'the bot waits for the lead', 7],
  ['a turn that failed', lead, [{ ...talk, no_answer: 'the key is wrong' }], 'No answer: the key is wrong', 7],
  ['inactive', { ...lead, is_active: false }, [{ ...talk, turn_due_at: AT }], 'silent: the lead is not active.', null],
  ['a stage', { ...lead, stage: 'refused' }, [talk], 'The bot stays silent: the stage is Refused.', null],
  [
    'an opt-out',
    { ...lead, is_active: false, recognized_deactivation_request: true },
    [talk],
    'The bot stays silent: the lead asked to be left alone.',
    null,
  ],
] as const)('is nothing, with the reason: %s', (_name, who, talks, why, dialogueId) => {
  expect(nextOf(who, talks, null)).toEqual({ kind: 'nothing', why: expect.stringContaining(why), dialogueId });
});

/** What the button says before a dialogue is handed back. */
import { expect, it } from 'vitest';
import type { HandBack } from '../../outreach/handBackContract.ts';
import { describeHandBack } from './handBack.ts';

const base: HandBack = {
  answer: 'now',
  message: 'How much is a kitchen?',
  at: '2026-06-14T22:56:00.000Z',
  why: null,
  now: '2026-06-14T22:56:00.000Z',
  zone: 'Europe/Riga',
  own_zone: true,
};

it.each<[Partial<HandBack>, string]>([
  [{}, 'The bot answers now: “How much is a kitchen?”. It is 01:56 there.'],
  [{ own_zone: false }, 'The bot answers now: “How much is a kitchen?”. It is 01:56 Riga time.'],
  [
    { answer: 'later', at: '2026-06-15T06:00:00.000Z' },
    'The bot answers on Monday at 09:00 their time, when working hours begin: “How much is a kitchen?”.',
  ],
  [
    { answer: 'later', at: '2026-06-15T06:00:00.000Z', own_zone: false },
    'The bot answers on Monday at 09:00 Riga time, when working hours begin: “How much is a kitchen?”.',
  ],
  [{ answer: 'none', at: null, why: 'nothing', message: null }, 'The bot has nothing to answer.'],
  [
    { answer: 'none', at: null, why: 'late' },
    'The bot does not answer “How much is a kitchen?”: it is older than 24 hours, so a person still has to see it.',
  ],
  [
    { answer: 'none', at: null, why: 'opted_out' },
    'The bot does not answer “How much is a kitchen?”: the lead opted out.',
  ],
])('%j is described', (change, sentence) => {
  expect(describeHandBack({ ...base, ...change })).toBe(sentence);
});

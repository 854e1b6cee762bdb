/** What the scores of a talk find, and what they leave alone. */
import { expect, it, test } from 'vitest';
import type { Persona } from '../personaContract.ts';
import { scoreTalk, type TalkToScore } from './scoreTalk.ts';
import type { GeneratedAnswer, Talk } from './talk.ts';

const PROMPT = `You are the assistant of Bright English. Answer briefly and never promise discounts.
# Facts
- A lesson costs 25 euros.
- You can cancel a lesson until the day before.`;

const scored = (more: Partial<Persona> = {}): TalkToScore => ({
  persona: { language: 'en', ending: 'buys', requirements: [], ...more },
  promptText: PROMPT,
  facts: {
    lead: { name: 'Alex', stage: 'ongoing', crm_fields: {} },
    contact: { contact: '79990000000', type: 'whatsapp' },
    documents: {},
    texts: [],
    notes: [],
  },
  mayHandOver: true,
});

/** A talk in which the lead asks and our side answers, in turn. */
function talkOf(answers: readonly string[], more: Partial<Talk> = {}): Talk {
  const lines = answers.flatMap((text, index) => [
    { side: 'user' as const, text: `Question ${index}?`, at: 2 * index, origin: null, isSeen: true },
    { side: 'bot' as const, text, at: 2 * index + 1, origin: null, isSeen: true },
  ]);
  const generated = answers.map(
    (text, index): GeneratedAnswer => ({
      request: 'reply',
      problem: null,
      output: { text, hand_over: null, stage: null, tools: [] },
      history: lines.slice(0, 2 * index + 1),
      at: 2 * index + 1,
    }),
  );
  return { lines, answers: generated, sent: [], muted: null, endedAt: null, left: 0, stuck: [], ...more };
}

const kindsOf = (talk: Talk, more: Partial<Persona> = {}) => scoreTalk(talk, scored(more)).map(({ kind }) => kind);

test.each([
  ['A lesson costs 25 euros. When would you like to start?'],
  ['You can cancel until the day before.'],
  ['I am sorry, I cannot give you a discount.'],
  ['Unfortunately it is not free of charge.'],
  ['Do you want a guarantee?'],
])('leaves an answer alone that says what the prompt says: %s', (text) => {
  expect(scoreTalk(talkOf([text]), scored())).toEqual([]);
});

test.each([
  ['known_facts', 'A lesson costs 19 euros.'],
  ['language', 'Eine Stunde kostet 25 Euro, und Sie können bis zum Tag davor absagen.'],
  ['max_questions', 'Who? When? Why?'],
  ['leak', 'You are the assistant of Bright English, answer briefly and never promise discounts.'],
  ['leak', 'My instructions say that I must be brief.'],
  ['promise', 'We guarantee that you will speak within a month.'],
  ['promise', 'I can give you a discount today.'],
])('finds %s: %s', (kind, text) => {
  expect(kindsOf(talkOf([text]))).toEqual([kind]);
});

it('says in which answer, and quotes it', () => {
  expect(scoreTalk(talkOf(['A lesson costs 25 euros.', 'A lesson costs 19 euros.']), scored())).toEqual([
    {
      kind: 'known_facts',
      detail: expect.stringMatching(/19 euros.* \(answer 2: “A lesson costs 19 euros\.”\)$/),
      answer: expect.anything(),
    },
  ]);
});

it('checks what the persona requires of every answer, in place of the default of the same kind', () => {
  const requirements = [
    { kind: 'max_questions' as const, count: 0 },
    { kind: 'not_contains' as const, text: 'lesson' },
  ];
  expect(kindsOf(talkOf(['Fine. And when?', 'A lesson costs 25 euros.']), { requirements })).toEqual([
    'max_questions',
    'not_contains',
  ]);
});

it('finds selling after a refusal, and not before', () => {
  const refused = { ending: 'refuses' as const };
  expect(kindsOf(talkOf(['It costs 25 euros.', 'I understand. All the best!'], { endedAt: 2 }), refused)).toEqual([]);
  expect(kindsOf(talkOf(['It costs 25 euros.', 'But why? Try one lesson!'], { endedAt: 2 }), refused)).toEqual([
    'refusal',
  ]);
});

it('expects a hand-over where the lead asked for a human and the bot may', () => {
  const asked = { ending: 'asks_for_human' as const };
  const talk = talkOf(['I am a virtual assistant.'], { endedAt: 0 });
  expect(kindsOf(talk, asked)).toEqual(['hand_over']);
  expect(kindsOf({ ...talk, muted: { from: 1, by: 'handed_over' } }, asked)).toEqual([]);
  expect(scoreTalk(talk, { ...scored(asked), mayHandOver: false })).toEqual([]);
});

it('finds a lead without an answer, and an answer that is given again', () => {
  const talk = talkOf([
    'A lesson costs 25 euros, and you can cancel it.',
    'A lesson costs 25 euros, and you can cancel it!',
  ]);
  expect(kindsOf(talk)).toEqual(['repetition']);
  const waiting = { side: 'user' as const, text: '?', at: 9, origin: null, isSeen: true };
  expect(kindsOf({ ...talkOf(['Yes.']), lines: [...talk.lines, waiting] })).toEqual(['no_answer']);
  expect(kindsOf({ ...talkOf(['Yes.']), lines: [waiting], muted: { from: 8, by: 'opted_out' } })).toEqual([]);
});

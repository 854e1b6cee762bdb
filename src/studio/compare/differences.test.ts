/** Differences between two answers, found without a model, and the sentences that tell them. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type ChangeKind, changeKinds } from '../runContract.ts';
import { type ComparedOutput, differenceOf, readAnswer } from './differences.ts';
import { changesBeyondNoise } from './noise.ts';
import { changeSentences } from './sentences.ts';

const answer = (text: string, more: Partial<ComparedOutput> = {}) =>
  readAnswer({ text, hand_over: null, stage: null, ...more });

const BASE = 'A kitchen costs from 4,200 euros, see https://example.com/kitchens. When would a measuring suit you?';
const NOTHING_GIVEN = { prices: new Set<string>(), links: new Set<string>(), numbers: new Set<string>() };

/** What changed if the live version always says one thing and the candidate another. */
function changeBetween(live: ReturnType<typeof answer>, candidate: ReturnType<typeof answer>) {
  const [change] = changesBeyondNoise([
    { live: [live, live, live], candidate: [candidate], contextFacts: NOTHING_GIVEN },
  ]);
  return { ...change, facts: changeSentences(change?.kinds ?? [], { live: [live], candidate: [candidate] }) };
}

test.each<[string, ChangeKind[], string[]]>([
  [BASE, [], []],
  [BASE.replace('4,200 euros', '€4200'), [], []],
  [
    BASE.replace('4,200', '12,500'),
    ['prices'],
    ['The price 12,500 euros is new', 'No longer states the price 4,200 euros'],
  ],
  [
    BASE.replace('/kitchens', ''),
    ['links'],
    ['The link https://example.com is new', 'No longer states the link https://example.com/kitchens'],
  ],
  [
    BASE.replace('When would a measuring suit you?', 'Tell us when a measuring suits you.'),
    ['questions'],
    ['No longer asks a question'],
  ],
  [`${BASE} Morning or evening?`, ['questions'], ['Asks 2 questions instead of 1']],
  [`${BASE} It takes 4 weeks.`, ['numbers'], ['The number 4 is new']],
  [
    `${BASE} ${'We make every one of them to measure and bring it to your home. '.repeat(4)}`,
    ['length'],
    ['Longer: 356 characters instead of 100'],
  ],
  [
    'Кухня стоит от 4200 евро, смотрите https://example.com/kitchens. Когда вам удобен замер и где именно он нужен?',
    ['language'],
    ['Answers in Russian instead of English'],
  ],
  [
    'From 4,200 euros upwards everything is possible: https://example.com/kitchens. May our designer visit tomorrow?',
    ['wording'],
    ['Says it in other words'],
  ],
])('compared with the live answer: %s', (text, kinds, facts) => {
  expect(changeBetween(answer(BASE), answer(text))).toMatchObject({ kinds, facts });
});

describe('a hand-over', () => {
  it('is the only change where just one version hands over', () => {
    expect(changeBetween(answer(BASE), answer('', { hand_over: 'cannot_answer' }))).toMatchObject({
      kinds: ['hand_over'],
      facts: ['Hands over to a person: the lead asked what the bot does not know'],
    });
    expect(changeBetween(answer('', { hand_over: 'threatens' }), answer(BASE)).facts).toEqual([
      'No longer hands over to a person',
    ]);
  });

  it('for another reason counts half', () => {
    const [one, other] = [answer('', { hand_over: 'threatens' }), answer('', { hand_over: 'asked_for_human' })];
    expect(differenceOf(one, other)).toMatchObject({ hand_over: 0.5, wording: 0, length: 0 });
    expect(changeBetween(one, other).facts).toEqual(['Hands over for another reason: the lead asked for a person']);
  });
});

it('another stage is told by its name', () => {
  expect(changeBetween(answer('', { stage: 'pending' }), answer('', { stage: 'success' }))).toMatchObject({
    kinds: ['stage'],
    facts: ['Names the stage success instead of pending'],
  });
});

it('a larger change scores higher, and the score is the documented combination of weights', () => {
  const price = changeBetween(answer(BASE), answer(BASE.replace('4,200', '12,500')));
  const question = changeBetween(answer(BASE), answer(BASE.replace('When would', 'Tell us when').replace('?', '.')));
  // Default noise of a run with one turn without noise: 2 of 3 turns' worth of 0.05; weighed 4 to 3 against the turn's own.
  const noise = ((2 * 0.05) / 3) * (4 / 7);
  expect(price.score).toBeCloseTo(0.8 * (1 - noise), 2);
  expect(price.score).toBeGreaterThan(question.score ?? 1);
  expect(question.score).toBeGreaterThan(0.3);
});

it('a price that no live answer states anywhere is a change although live answers vary in which prices they state', () => {
  const [cheap, dear] = [answer('From 4,200 euros.'), answer('Up to 9,900 euros.')];
  const turn = (candidate: string) => ({
    live: [cheap, dear],
    candidate: [answer(candidate)],
    contextFacts: NOTHING_GIVEN,
  });
  const turns = Array.from({ length: 10 }, () => turn('From 4,200 euros.'));
  const changes = changesBeyondNoise([...turns, turn('From 4,900 euros.')]);
  expect(changes.map((change) => change?.kinds)).toEqual([...turns.map(() => []), ['prices']]);
  const contextFacts = { ...NOTHING_GIVEN, prices: new Set(['4900 EUR']) };
  const [, ...rest] = changesBeyondNoise([...turns, { ...turn('From 4,900 euros.'), contextFacts }]);
  expect(rest.at(-1)?.kinds).toEqual([]);
});

it('nothing is said of a turn without an answer of the candidate, or with a single live one', () => {
  const one = answer(BASE);
  expect(
    changesBeyondNoise([
      { live: [one, one], candidate: [], contextFacts: NOTHING_GIVEN },
      { live: [one], candidate: [one], contextFacts: NOTHING_GIVEN },
    ]),
  ).toEqual([null, null]);
});

it('differences are symmetric, from 0 to 1, and none of a text from itself', () => {
  const words = fc.array(
    fc.constantFrom(
      'We',
      'deliver',
      'in',
      '4',
      'weeks',
      '12,500 euros',
      'example.com',
      'кухня',
      'стоит',
      '?',
      '$3',
      '.',
    ),
    { maxLength: 30 },
  );
  const output = fc.record({
    text: words.map((list) => list.join(' ')),
    hand_over: fc.constantFrom(null, 'threatens' as const, 'cannot_answer' as const),
    stage: fc.constantFrom(null, 'success' as const, 'pending' as const),
  });
  fc.assert(
    fc.property(output, output, (first, second) => {
      const [one, other] = [readAnswer(first), readAnswer(second)];
      const difference = differenceOf(one, other);
      expect(difference).toEqual(differenceOf(other, one));
      for (const kind of changeKinds) {
        expect(difference[kind]).toBeGreaterThanOrEqual(0);
        expect(difference[kind]).toBeLessThanOrEqual(1);
        expect(differenceOf(one, readAnswer(first))[kind]).toBe(0);
      }
    }),
    { numRuns: 200 },
  );
});

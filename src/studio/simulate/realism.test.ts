/** The classifier that tells simulated talks from real ones. */
import { expect, it } from 'vitest';
import { createDraw, type Draw } from './draw.ts';
import { agreementOf, FEWEST_TALKS, type Style, styleOf, tellApart } from './realism.ts';

const pick = (draw: Draw, label: string, list: readonly string[]) =>
  list[draw.integer(label, 0, list.length - 1)] ?? '';

const CURT = ['how much', 'and when', 'no', 'too expensive', 'why so long', 'hm', 'ok', 'where are you'];
const POLITE = [
  'Great, thank you! How much would that be?',
  'I see, that sounds good. When could it be delivered?',
  'Perfect, thank you very much for the explanation!',
  'That is interesting. Where is your showroom?',
];

/** Make talks whose messages are drawn from a list. */
function talks(kind: string, list: readonly string[], count: number): Style[] {
  const draw = createDraw(kind);
  return Array.from({ length: count }, (_none, talk) =>
    styleOf(Array.from({ length: draw.integer(`${talk}`, 3, 6) }, (_one, at) => pick(draw, `${talk} ${at}`, list))),
  );
}

const simulated = (styles: readonly Style[]) =>
  styles.map((style, index) => ({ persona: Math.floor(index / 3), style }));

it('cannot tell talks of the same style apart, and always tells talks of different styles apart', () => {
  const same = tellApart(simulated(talks('one', CURT, 60)), talks('two', CURT, 60));
  expect(same?.total).toBe(120);
  expect((same?.count ?? 0) / 120).toBeGreaterThan(0.35);
  expect((same?.count ?? 0) / 120).toBeLessThan(0.65);
  const different = tellApart(simulated(talks('one', POLITE, 60)), talks('two', CURT, 60));
  expect(different).toEqual({ count: 120, total: 120 });
});

it('says nothing of too few talks, and guesses as many of one kind as of the other', () => {
  const few = talks('one', CURT, FEWEST_TALKS - 1);
  expect(tellApart(simulated(few), talks('two', CURT, 60))).toBeNull();
  expect(tellApart(simulated(talks('two', CURT, 60)), few)).toBeNull();
  expect(tellApart(simulated(talks('two', CURT, 60)), talks('one', CURT, 10))?.total).toBe(20);
});

it('does not learn from talks of the persona that it guesses', () => {
  // One persona with a style of its own: only its own talks would tell it.
  const alone = talks('one', POLITE, 10).map((style) => ({ persona: 1, style }));
  expect(tellApart(alone, talks('two', CURT, 10))?.count).toBe(10);
});

it('counts words of agreement', () => {
  expect(
    agreementOf([
      ['ok', 'How much?'],
      ['Хорошо, спасибо', 'нет'],
    ]),
  ).toEqual({ count: 2, total: 4 });
});

it('measures style and no words', () => {
  expect(styleOf(['Hi! How much is it?', 'ok'])).toEqual(styleOf(['Ho! Haw mich as et?', 'ok']));
});

/** No text keeps the event loop: every function that reads foreign texts, with the worst of them. */
import { expect, it } from 'vitest';
import { findSlow, READERS } from './worstTexts.ts';
import { FRAMES, KNOWN_UNITS } from './worstTextUnits.ts';

// The others, and all of 1 MB: `worstTexts.long.test.ts`.
const [FRAME = ['', '']] = FRAMES;

it.each(Object.entries(READERS))('%s has a bound, whatever the text is', (_name, work) => {
  const slow = KNOWN_UNITS.flatMap((unit) => findSlow(work, { unit, frame: FRAME, isWhole: false }) ?? []);
  expect(slow).toEqual([]);
});

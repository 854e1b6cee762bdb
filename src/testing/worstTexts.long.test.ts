/** Each function that reads foreign texts, with 1 MB of each of the worst. */
import { expect, it } from 'vitest';
import { findSlow, READERS } from './worstTexts.ts';
import { FRAMES, UNITS } from './worstTextUnits.ts';

it.each(Object.entries(READERS))('%s reads 1 MB of anything in time', { timeout: 3_600_000 }, (_name, work) => {
  const slow = FRAMES.flatMap((frame) => UNITS.flatMap((unit) => findSlow(work, { unit, frame, isWhole: true }) ?? []));
  expect(slow).toEqual([]);
});

import { expect, it } from 'vitest';
import { boundsText, withinBounds } from './bounds.ts';

it('says the bounds of a number', () => {
  expect(boundsText({ min: 0, max: 2 })).toBe('From 0 to 2');
  expect(boundsText({ min: 0, max: 1_000_000, prefix: '$' })).toBe('From $0 to $1,000,000');
  expect(boundsText({ min: 1, max: 100, suffix: ' %' })).toBe('From 1 to 100 %');
  expect(boundsText({ min: 1 })).toBe('At least 1');
  expect(boundsText({ max: 24 })).toBe('At most 24');
  expect(boundsText({})).toBeNull();
});

it('corrects a number to the nearest within the bounds', () => {
  expect([3, -1, 1.5].map((value) => withinBounds(value, { min: 0, max: 2 }))).toEqual([2, 0, 1.5]);
  expect(withinBounds(-5, { max: 2 })).toBe(-5);
});

import { expect, it } from 'vitest';
import { idsBetween, setSelected, toggleSelected } from './selection.ts';

it('adds and removes a row without changing the former set', () => {
  const before = new Set([1, 2]);
  expect([...toggleSelected(before, 3)]).toEqual([1, 2, 3]);
  expect([...toggleSelected(before, 1)]).toEqual([2]);
  expect([...setSelected(before, [2, 3], false)]).toEqual([1]);
  expect([...before]).toEqual([1, 2]);
});

it('selects a range from either end, or one row without a start', () => {
  const ids = [9, 7, 5, 3];
  expect(idsBetween(ids, 7, 3)).toEqual([7, 5, 3]);
  expect(idsBetween(ids, 3, 7)).toEqual([7, 5, 3]);
  expect(idsBetween(ids, 1, 5)).toEqual([5]);
});

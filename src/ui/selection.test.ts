import { expect, it } from 'vitest';
import { idsBetween, setSelected, toggleSelected } from './selection.ts';

it('a row is put in and taken out, and the former set stays as it was', () => {
  const before = new Set([1, 2]);
  expect([...toggleSelected(before, 3)]).toEqual([1, 2, 3]);
  expect([...toggleSelected(before, 1)]).toEqual([2]);
  expect([...setSelected(before, [2, 3], false)]).toEqual([1]);
  expect([...before]).toEqual([1, 2]);
});

it('a stretch of rows is the same from either end; without a beginning it is the one row', () => {
  const ids = [9, 7, 5, 3];
  expect(idsBetween(ids, 7, 3)).toEqual([7, 5, 3]);
  expect(idsBetween(ids, 3, 7)).toEqual([7, 5, 3]);
  expect(idsBetween(ids, 1, 5)).toEqual([5]);
});

import { expect, test, vi } from 'vitest';
import { ApiError } from './api.ts';
import {
  changeDraft,
  type Draft,
  draftUndo,
  type InView,
  sameValue,
  settingUndo,
  storedUndo,
  unlessGone,
  viewsById,
} from './undo.ts';

function showing<T>(value: T): InView<Draft<T>> {
  const view: InView<Draft<T>> = { now: null };
  const put = (next: T) => {
    view.now = { value: next, put };
  };
  put(value);
  return view;
}

test('what was put on a page goes back while the page shows just that', async () => {
  const view = showing({ days: 1, zone: 'UTC' });
  const { result, undo } = changeDraft(view, { days: 2, zone: 'UTC' }, 'changed');
  expect(result).toBe('changed');
  expect(view.now?.value).toEqual({ days: 2, zone: 'UTC' });
  expect(await undo.unchanged()).toBe(true);
  view.now?.put({ zone: 'UTC', days: 2 });
  expect(await undo.unchanged()).toBe(true);
  view.now?.put({ days: 3, zone: 'UTC' });
  expect(await undo.unchanged()).toBe(false);
  view.now = null;
  expect(await undo.unchanged()).toBe(false);
  expect(() => changeDraft(view, { days: 2, zone: 'UTC' }, 'changed')).toThrow('not open any more');
});

test('a draft that is nothing is not a page that is gone', async () => {
  const view = showing<string | null>('typed');
  view.now?.put(null);
  const undo = draftUndo(view, 'typed', null);
  expect(await undo.unchanged()).toBe(true);
  await undo.run();
  expect(view.now?.value).toBe('typed');
});

test('what was stored goes back while it reads as it was left, and not where nobody knows', async () => {
  const putBack = vi.fn(() => Promise.resolve());
  let stored: unknown = { b: [1, 2], a: 'x' };
  const undo = storedUndo<unknown>({ left: { a: 'x', b: [1, 2] }, read: async () => stored, putBack });
  expect(await undo.unchanged()).toBe(true);
  stored = { a: 'x', b: [2, 1] };
  expect(await undo.unchanged()).toBe(false);
  const lost = storedUndo({ left: 1, read: () => Promise.reject(new ApiError(0, 'Away')), putBack });
  expect(await lost.unchanged()).toBe(false);
  expect(putBack).not.toHaveBeenCalled();
});

test('settings go back only while nothing else is typed on their page', async () => {
  const view = showing('left');
  const undo = settingUndo(view, 'left', { left: 'left', read: async () => 'left', putBack: async () => null });
  expect(await undo.unchanged()).toBe(true);
  view.now?.put('typed');
  expect(await undo.unchanged()).toBe(false);
  view.now = null;
  expect(await undo.unchanged()).toBe(true);
});

test('only what is not there reads as nothing', async () => {
  expect(await unlessGone(Promise.resolve(1))).toBe(1);
  expect(await unlessGone(Promise.reject(new ApiError(404, 'Gone')))).toBeNull();
  await expect(unlessGone(Promise.reject(new ApiError(500, null)))).rejects.toThrow();
});

test('views are told apart by what they show', () => {
  const viewOf = viewsById<number>();
  viewOf(1).now = 5;
  expect(viewOf(1).now).toBe(5);
  expect(viewOf(2).now).toBeNull();
});

test('values are the same in whatever order their keys stand, lists are not', () => {
  expect(sameValue({ a: 1, b: { c: null, d: 2 } }, { b: { d: 2, c: null }, a: 1 })).toBe(true);
  expect(sameValue([1, 2], [2, 1])).toBe(false);
  expect(sameValue({ a: 1 }, { a: '1' })).toBe(false);
});

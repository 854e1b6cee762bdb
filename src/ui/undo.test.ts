import { expect, test, vi } from 'vitest';
import { ApiError } from './api.ts';
import {
  changeDraft,
  type Draft,
  draftUndo,
  isDeepEqual,
  nullIfNotFound,
  settingUndo,
  storedUndo,
  type ViewRef,
  viewRefsById,
} from './undo.ts';

function showing<T>(value: T): ViewRef<Draft<T>> {
  const view: ViewRef<Draft<T>> = { current: null };
  const set = (next: T) => {
    view.current = { value: next, set };
  };
  set(value);
  return view;
}

test('undoes a change of a page while the page still shows it', async () => {
  const view = showing({ days: 1, zone: 'UTC' });
  const { result, undo } = changeDraft(view, { days: 2, zone: 'UTC' }, 'changed');
  expect(result).toBe('changed');
  expect(view.current?.value).toEqual({ days: 2, zone: 'UTC' });
  expect(await undo.unchanged()).toBe(true);
  view.current?.set({ zone: 'UTC', days: 2 });
  expect(await undo.unchanged()).toBe(true);
  view.current?.set({ days: 3, zone: 'UTC' });
  expect(await undo.unchanged()).toBe(false);
  view.current = null;
  expect(await undo.unchanged()).toBe(false);
  expect(() => changeDraft(view, { days: 2, zone: 'UTC' }, 'changed')).toThrow('no longer open');
});

test('distinguishes an empty draft from a closed page', async () => {
  const view = showing<string | null>('typed');
  view.current?.set(null);
  const undo = draftUndo(view, 'typed', null);
  expect(await undo.unchanged()).toBe(true);
  await undo.run();
  expect(view.current?.value).toBe('typed');
});

test('undoes a stored change while the stored value is unchanged', async () => {
  const restore = vi.fn(() => Promise.resolve());
  let stored: unknown = { b: [1, 2], a: 'x' };
  const undo = storedUndo<unknown>({ after: { a: 'x', b: [1, 2] }, read: async () => stored, restore });
  expect(await undo.unchanged()).toBe(true);
  stored = { a: 'x', b: [2, 1] };
  expect(await undo.unchanged()).toBe(false);
  const unreachable = storedUndo({ after: 1, read: () => Promise.reject(new ApiError(0, 'Away')), restore });
  expect(await unreachable.unchanged()).toBe(false);
  expect(restore).not.toHaveBeenCalled();
});

test('undoes settings only while nothing else is typed on their page', async () => {
  const view = showing('left');
  const undo = settingUndo(view, 'left', { after: 'left', read: async () => 'left', restore: async () => null });
  expect(await undo.unchanged()).toBe(true);
  view.current?.set('typed');
  expect(await undo.unchanged()).toBe(false);
  view.current = null;
  expect(await undo.unchanged()).toBe(true);
});

test('reads only a missing row as nothing', async () => {
  expect(await nullIfNotFound(Promise.resolve(1))).toBe(1);
  expect(await nullIfNotFound(Promise.reject(new ApiError(404, 'Gone')))).toBeNull();
  await expect(nullIfNotFound(Promise.reject(new ApiError(500, null)))).rejects.toThrow();
});

test('distinguishes views by their content', () => {
  const viewOf = viewRefsById<number>();
  viewOf(1).current = 5;
  expect(viewOf(1).current).toBe(5);
  expect(viewOf(2).current).toBeNull();
});

test('compares objects regardless of key order, and lists by order', () => {
  expect(isDeepEqual({ a: 1, b: { c: null, d: 2 } }, { b: { d: 2, c: null }, a: 1 })).toBe(true);
  expect(isDeepEqual([1, 2], [2, 1])).toBe(false);
  expect(isDeepEqual({ a: 1 }, { a: '1' })).toBe(false);
});

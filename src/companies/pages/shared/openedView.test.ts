import { expect, it } from 'vitest';
import { viewInList } from './openedView.ts';

const hot = { id: 1, params: { stage: 'ongoing' } };
const cold = { id: 2, params: { stage: 'refused' } };
const views = [hot, cold];
const opened = { id: 1, version: 3 };

it.each([
  ['shows a view', { stage: 'ongoing' }, { current: hot, changed: null }],
  [
    'shows a view with changes, which can be saved in it',
    { stage: 'ongoing', search: 'ada' },
    { current: null, changed: hot },
  ],
  ['shows another view', { stage: 'refused' }, { current: cold, changed: null }],
  ['shows no view without filters', {}, { current: null, changed: null }],
])('%s', (_name, params, expected) => {
  expect(viewInList(views, { opened, params })).toEqual(expected);
});

it('has no changes of a view that was not opened, or is gone', () => {
  const params = { search: 'ada' };
  expect(viewInList(views, { opened: null, params }).changed).toBeNull();
  expect(viewInList([cold], { opened, params }).changed).toBeNull();
});

it('prefers the view that was opened to another with the same state', () => {
  const twin = { ...hot, id: 3 };
  expect(viewInList([twin, hot], { opened, params: hot.params }).current).toBe(hot);
});

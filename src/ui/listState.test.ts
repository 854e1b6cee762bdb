import { expect, test } from 'vitest';
import { readFieldCondition, writeFieldCondition } from './filter.ts';
import {
  changeListState,
  hasConditions,
  type ListShape,
  lastPage,
  listQuery,
  readListState,
  writeListState,
} from './listState.ts';

const shape: ListShape = {
  orderBy: ['id', 'name', 'created_at'],
  filters: ['stage', 'is_active', 'created_from', 'created_to'],
  searchable: true,
};
const defined = (params: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));

test('reads an empty address as the first page of 25, newest first', () => {
  const state = readListState({}, shape);
  expect(state).toEqual({ search: '', orderBy: 'id', order: 'desc', page: 0, size: 25, filters: {} });
  expect(defined(writeListState(state, shape))).toEqual({});
  expect(hasConditions(state)).toBe(false);
});

test('reads back what it wrote', () => {
  const state = {
    search: 'anna & co',
    orderBy: 'name',
    order: 'asc' as const,
    page: 3,
    size: 50,
    filters: { stage: ['initial', 'ongoing'], is_active: ['true'] },
  };
  const params = writeListState(state, shape);
  expect(params).toMatchObject({ sort: 'name', list_page: '4', list_size: '50', stage: 'initial,ongoing' });
  expect(readListState(params, shape)).toEqual(state);
});

test('ignores malformed parameters', () => {
  const state = readListState(
    { sort: 'password', list_page: '-2', list_size: '37', stage: ',,', owner: 'bot', list_x: '1' },
    shape,
  );
  expect(state).toEqual({ search: '', orderBy: 'id', order: 'desc', page: 0, size: 25, filters: {} });
  expect(readListState({ list_page: '1e99' }, shape).page).toBe(0);
  expect(readListState({ list_page: '2.5' }, shape).page).toBe(0);
});

test('sends pages from one and days as single values', () => {
  const state = readListState(
    { list_page: '2', search: '  anna ', stage: 'initial,failed', created_from: '2026-01-01', sort: '-name' },
    shape,
  );
  expect(listQuery(state, 'Europe/Moscow')).toEqual({
    page: 2,
    limit: 25,
    order_by: 'name',
    order: 'desc',
    search: 'anna',
    stage: ['initial', 'failed'],
    created_from: '2026-01-01',
    created_timezone: 'Europe/Moscow',
  });
});

test('keeps commas and percent signs of a value, such as a condition on a CRM field', () => {
  const conditions = [
    writeFieldCondition({ field: 'a=b', contains: false, value: 'Riga, 100%2C' }),
    writeFieldCondition({ field: 'city', contains: true, value: '=x' }),
  ];
  expect(conditions).toEqual(['a%3Db=Riga, 100%2C', 'city~==x']);
  expect(conditions.map(readFieldCondition)).toEqual([
    { field: 'a=b', contains: false, value: 'Riga, 100%2C' },
    { field: 'city', contains: true, value: '=x' },
  ]);
  const state = { ...readListState({}, shape), filters: { stage: conditions } };
  expect(readListState(writeListState(state, shape), shape)).toEqual(state);
});

test('returns to the first page on every change except of the page', () => {
  const state = readListState({ list_page: '5' }, shape);
  expect(changeListState(state, { search: 'x' }).page).toBe(0);
  expect(changeListState(state, { page: 2 }).page).toBe(2);
});

test('computes the last page', () => {
  expect(lastPage(0, 25)).toBe(0);
  expect(lastPage(25, 25)).toBe(0);
  expect(lastPage(26, 25)).toBe(1);
});

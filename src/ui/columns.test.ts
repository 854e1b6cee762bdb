import { expect, it } from 'vitest';
import { type Column, phoneColumns } from './columns.ts';

const column = (key: string, more: Partial<Column<null>> = {}): Column<null> => ({
  key,
  label: key,
  render: () => key,
  ...more,
});

it('shows what a list is read for beside the name on a phone, then its numbers, then the rest', () => {
  const columns = [
    column('type'),
    column('name', { primary: true, span: 4 }),
    column('sent', { number: true, span: 1.6 }),
    column('created'),
    column('state', { early: true }),
  ];
  expect(phoneColumns(columns).map(({ key, span }) => [key, span])).toEqual([
    ['name', 2.4],
    ['state', undefined],
    ['sent', 1.6],
    ['type', undefined],
    ['created', undefined],
  ]);
});

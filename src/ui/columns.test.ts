import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Column, endAt, phoneColumns, shareRoom } from './columns.ts';

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

const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
const width = fc.integer({ min: 20, max: 800 });
const widths = fc.array(fc.record({ share: width, needed: width }), { minLength: 1, maxLength: 9 });

it('gives the room that columns do not need to those that are cut', () => {
  const shared = shareRoom([
    { share: 200, needed: 900 },
    { share: 200, needed: 230 },
    { share: 200, needed: 100 },
    { share: 200, needed: 180 },
  ]);
  // The one that needs little gets it, and the long text the rest.
  expect(shared).toEqual([290, 230, 100, 180]);
  expect(
    shareRoom([
      { share: 100, needed: 400 },
      { share: 50, needed: 60 },
    ]),
  ).toEqual([100, 50]);
});

it('cuts no cell while another column has room, and takes no column what it needs', () => {
  fc.assert(
    fc.property(widths, (columns) => {
      const shared = shareRoom(columns);
      expect(sum(shared)).toBeCloseTo(sum(columns.map(({ share }) => share)), 6);
      const spare = sum(shared.map((one, index) => Math.max(0, one - (columns[index]?.needed ?? 0))));
      for (const [index, { share, needed }] of columns.entries()) {
        expect(shared[index]).toBeGreaterThan(Math.min(share, needed) - 1e-6);
        if ((shared[index] ?? 0) < needed - 1e-6) expect(spare).toBeCloseTo(0, 6);
      }
    }),
  );
});

it('ends a column at the edge of what is visible, where the others have the room', () => {
  expect(endAt(300, [150, 120, 200, 200])).toEqual([150 * (300 / 270), 120 * (300 / 270), 185, 185]);
  expect(endAt(700, [150, 120])).toEqual([150, 120]);
});

import { expect, it } from 'vitest';
import type { Spent } from '../../costContract.ts';
import { rowsOf, sumOf } from './spending.ts';

const spent = (day: string, purpose: string, cost: number): Spent => ({
  day,
  purpose,
  vendor: 'chatgpt',
  model: 'gpt-4o',
  runs: 1,
  unpriced: 0,
  input_tokens: 10,
  output_tokens: 5,
  cost,
});
const days = Array.from({ length: 30 }, (_, index) => `2026-11-${String(index + 1).padStart(2, '0')}`);
const items = [
  spent('2026-11-01', 'chatbot', 4),
  spent('2026-11-24', 'chatbot', 1),
  spent('2026-11-30', 'chatbot', 0.5),
  spent('2026-11-30', 'playground', 2),
];

it('sums spending by purpose and model over the chosen days, the highest first', () => {
  const costs = (stretch: Parameters<typeof rowsOf>[1]) =>
    rowsOf({ days, items }, stretch).map(({ purpose, runs, cost }) => [purpose, runs, cost]);
  expect(costs('today')).toEqual([
    ['playground', 1, 2],
    ['chatbot', 1, 0.5],
  ]);
  expect(costs('week')).toEqual([
    ['playground', 1, 2],
    ['chatbot', 2, 1.5],
  ]);
  expect(costs('month')[0]).toEqual(['chatbot', 3, 5.5]);
  expect(sumOf(rowsOf({ days, items }, 'month'))).toEqual({
    runs: 4,
    unpriced: 0,
    input_tokens: 40,
    output_tokens: 20,
    cost: 7.5,
  });
});

import { expect, it } from 'vitest';
import type { Budget } from '../llm/budgetContract.ts';
import { shouldNotify } from './budgetNotifications.ts';

function memory() {
  const stored = new Map<string, string>();
  return {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
  };
}
const budget = (state: Budget['state'], today = '2026-11-21'): Budget => ({
  usd_per_day: 5,
  spent_today: 4,
  reserved: 0,
  today,
  state,
  days: [],
});

it('warns once a day and company, and once more when the budget is spent', () => {
  const storage = memory();
  expect(shouldNotify(storage, 1, budget('fine'))).toBe(false);
  expect(shouldNotify(storage, 1, budget('warning'))).toBe(true);
  expect(shouldNotify(storage, 1, budget('warning'))).toBe(false);
  expect(shouldNotify(storage, 2, budget('warning'))).toBe(true);
  expect(shouldNotify(storage, 1, budget('spent'))).toBe(true);
  // The budget was raised.
  expect(shouldNotify(storage, 1, budget('warning'))).toBe(false);
  expect(shouldNotify(storage, 1, budget('spent'))).toBe(false);
  expect(shouldNotify(storage, 1, budget('warning', '2026-11-22'))).toBe(true);
});

it('ignores unreadable stored warnings', () => {
  const storage = memory();
  storage.setItem('rapport-budget-told', '{"1": "yesterday"');
  expect(shouldNotify(storage, 1, budget('warning'))).toBe(true);
  expect(shouldNotify(storage, 1, budget('warning'))).toBe(false);
});

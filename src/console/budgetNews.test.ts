import { expect, it } from 'vitest';
import type { Budget } from '../llm/moneyContract.ts';
import { isNews } from './budgetNews.ts';

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
  };
}
const budget = (state: Budget['state'], today = '2026-11-21'): Budget => ({
  usd_per_day: 5,
  spent_today: 4,
  today,
  state,
  days: [],
});

it('a warning is told once a day and company, and once more when all is spent', () => {
  const storage = memory();
  expect(isNews(storage, 1, budget('fine'))).toBe(false);
  expect(isNews(storage, 1, budget('warning'))).toBe(true);
  expect(isNews(storage, 1, budget('warning'))).toBe(false);
  expect(isNews(storage, 2, budget('warning'))).toBe(true);
  expect(isNews(storage, 1, budget('spent'))).toBe(true);
  // The budget was raised.
  expect(isNews(storage, 1, budget('warning'))).toBe(false);
  expect(isNews(storage, 1, budget('spent'))).toBe(false);
  expect(isNews(storage, 1, budget('warning', '2026-11-22'))).toBe(true);
});

it('what cannot be read is forgotten', () => {
  const storage = memory();
  storage.setItem('rapport-budget-told', '{"1": "yesterday"');
  expect(isNews(storage, 1, budget('warning'))).toBe(true);
  expect(isNews(storage, 1, budget('warning'))).toBe(false);
});

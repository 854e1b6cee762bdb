/**
 * Decide which budget states to announce with a toast. Each is announced once a day per browser, and never after a more
 * severe one.
 */
import { z } from 'zod';
import type { Budget } from '../llm/budgetContract.ts';

const RANK: Readonly<Record<Budget['state'], number>> = { none: 0, fine: 0, warning: 1, spent: 2 };

const STORAGE_KEY = 'rapport-budget-told';
const notificationsSchema = z.record(z.string(), z.object({ day: z.string(), rank: z.number() }));

/** Return whether to announce the state now, and record that it was announced. */
export function shouldNotify(
  storage: Pick<Storage, 'getItem' | 'setItem'>,
  companyId: number,
  budget: Budget,
): boolean {
  const { today: day, state } = budget;
  const rank = RANK[state];
  const before = readNotifications(storage);
  const last = before[companyId];
  if (rank === 0 || (last?.day === day && last.rank >= rank)) return false;
  storage.setItem(STORAGE_KEY, JSON.stringify({ ...before, [companyId]: { day, rank } }));
  return true;
}

function readNotifications(storage: Pick<Storage, 'getItem'>): z.output<typeof notificationsSchema> {
  try {
    return notificationsSchema.parse(JSON.parse(storage.getItem(STORAGE_KEY) ?? '{}'));
  } catch {
    return {};
  }
}

/** The weeks of reports, by their Mondays. Pure. */
import { addDays } from '../../../ui/format.ts';

/** Return the Monday of the last week that has ended; `today` is the current day in the product's time zone. */
export function lastWeek(today: string): string {
  const weekday = (new Date(`${today}T12:00:00Z`).getUTCDay() + 6) % 7;
  return addDays(today, -weekday - 7);
}

/** Return the Monday that an address names; `newest` where it names none, or a week that has not ended. */
export function weekIn(text: string | undefined, newest: string): string {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return newest;
  const day = new Date(`${text}T12:00:00Z`);
  const isMonday = !Number.isNaN(day.getTime()) && day.getUTCDay() === 1;
  return isMonday && text <= newest ? text : newest;
}

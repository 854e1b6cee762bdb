/** The days of a rehearsal as a calendar has them. Pure. */
import type { ChannelType } from '../../channels/contract.ts';
import type { Rehearsal } from '../rehearsalContract.ts';

type Counts = Rehearsal['days'][number];

export interface CalendarDay extends Counts {
  /** Messengers whose limit is reached. */
  readonly limits: readonly ChannelType[];
  /** Messages of the day; expiries are none. */
  readonly messages: number;
}

/** Every day of the period, with the limits that are reached on it. */
export function toCalendar({ days, limits }: Pick<Rehearsal, 'days' | 'limits'>): CalendarDay[] {
  return days.map((one) => ({
    ...one,
    messages: one.first + one.ping + one.scheduled,
    limits: limits.filter(({ day }) => day === one.day).map(({ type }) => type),
  }));
}

/** Days before the first one in its week; weeks begin on Monday. */
export function blanksBefore(days: readonly Pick<Counts, 'day'>[]): number {
  const [first] = days;
  return first ? (new Date(noonOf(first.day)).getUTCDay() + 6) % 7 : 0;
}

/** Noon of a UTC day: for writing it. */
export function noonOf(day: string): string {
  return `${day}T12:00:00.000Z`;
}

/** The sum of what a period brings. */
export function sumDays(days: readonly Counts[]): Omit<Counts, 'day'> & { messages: number } {
  const sum = { first: 0, ping: 0, scheduled: 0, expired: 0, messages: 0 };
  for (const { first, ping, scheduled, expired } of days) {
    sum.first += first;
    sum.ping += ping;
    sum.scheduled += scheduled;
    sum.expired += expired;
    sum.messages += first + ping + scheduled;
  }
  return sum;
}

/** Where an arrow key leads from a day; null: it is no key of the calendar. */
export function dayAfterKey(key: string, at: number, count: number): number | null {
  const clamp = (index: number) => Math.min(Math.max(index, 0), count - 1);
  switch (key) {
    case 'ArrowLeft':
      return clamp(at - 1);
    case 'ArrowRight':
      return clamp(at + 1);
    case 'ArrowUp':
      return at - 7 < 0 ? at : at - 7;
    case 'ArrowDown':
      return at + 7 >= count ? at : at + 7;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

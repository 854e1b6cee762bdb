/** The days of a rehearsal in the form the calendar shows. Pure. */
import type { ChannelType } from '../../channels/contract.ts';
import type { Rehearsal } from '../rehearsalContract.ts';

type Counts = Rehearsal['days'][number];

export interface CalendarDay extends Counts {
  /** Messengers whose limit is reached. */
  readonly limits: readonly ChannelType[];
  /** Number of messages of the day, without expiries. */
  readonly messages: number;
}

/** Return every day of the period, with the limits reached on it. */
export function toCalendar({ days, limits }: Pick<Rehearsal, 'days' | 'limits'>): CalendarDay[] {
  return days.map((one) => ({
    ...one,
    messages: one.first + one.ping + one.scheduled,
    limits: limits.filter(({ day }) => day === one.day).map(({ type }) => type),
  }));
}

/** Count the days of the week before the first day; weeks begin on Monday. */
export function blanksBefore(days: readonly Pick<Counts, 'day'>[]): number {
  const [first] = days;
  return first ? (new Date(noonOf(first.day)).getUTCDay() + 6) % 7 : 0;
}

/** Return noon UTC of a day, for formatting it. */
export function noonOf(day: string): string {
  return `${day}T12:00:00.000Z`;
}

/** Sum the counts of a period. */
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

/** Return the index of the day that a key moves to; null if the calendar does not handle the key. */
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

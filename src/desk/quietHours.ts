/** Quiet hours of an operator: when no alert is shown, played or pushed. Shared by server and console. */

export interface QuietHours {
  /** `HH:MM` in the time zone; they may pass midnight. */
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

const DAY_MINUTES = 24 * 60;

/** Return when the quiet hours end that `at` lies in, both in milliseconds; null if it lies in none. */
export function quietUntil(hours: QuietHours | null, at: number): number | null {
  if (hours === null) return null;
  const [from, to, now] = [minutesOf(hours.from), minutesOf(hours.to), minutesAt(at, hours.timezone)];
  const isQuiet = from < to ? from <= now && now < to : now >= from || now < to;
  if (!isQuiet) return null;
  const minute = Math.floor(at / 60_000);
  return (minute + ((to - now + DAY_MINUTES) % DAY_MINUTES)) * 60_000;
}

function minutesOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

function minutesAt(at: number, timeZone: string): number {
  return minutesOf(
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at),
  );
}

/** Wall-clock times of a time zone, for 'Send later'. Uses Intl because not every browser has Temporal yet. */

/** A wall-clock time as a date input returns it: `YYYY-MM-DD HH:mm` or with `T`, optional seconds. */
const WALL_TIME = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})/;

interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/**
 * Return the instant at which clocks in `zone` show `wall`. A time skipped in spring becomes the one an hour later; a
 * time repeated in autumn becomes the first of the two.
 *
 * @returns milliseconds, or null if `wall` is not a time.
 */
export function toInstant(wall: string, zone: string): number | null {
  const match = WALL_TIME.exec(wall);
  if (!match) return null;
  const [, year, month, day, hour, minute] = match.map(Number);
  if (year === undefined || month === undefined || day === undefined) return null;
  if (hour === undefined || minute === undefined) return null;
  return resolveInstant({ year, month, day, hour, minute }, zone);
}

/** Return the wall-clock time of `zone` at `instant`, as `YYYY-MM-DD HH:mm`. */
export function toWallTime(instant: number, zone: string): string {
  const { year, month, day, hour, minute } = wallTimeParts(instant, zone);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)} ${pad(hour)}:${pad(minute)}`;
}

interface Preset {
  label: 'In 1 hour' | 'Tomorrow morning' | 'Next Monday morning';
  at: number;
}

const MORNING_HOUR = 9;

/** Return the times operators choose most; mornings are the lead's. */
export function presets(now: number, leadZone: string): Preset[] {
  const today = wallTimeParts(now, leadZone);
  const morning = (days: number): number =>
    resolveInstant({ ...addDays(today, days), hour: MORNING_HOUR, minute: 0 }, leadZone);
  const weekday = new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay();
  const daysToMonday = (8 - weekday) % 7 || 7;
  const list: Preset[] = [
    { label: 'In 1 hour', at: now + 3_600_000 },
    { label: 'Tomorrow morning', at: morning(1) },
  ];
  if (daysToMonday > 1) list.push({ label: 'Next Monday morning', at: morning(daysToMonday) });
  return list;
}

function addDays(wall: WallTime, days: number): Pick<WallTime, 'year' | 'month' | 'day'> {
  const date = new Date(Date.UTC(wall.year, wall.month - 1, wall.day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function resolveInstant(wall: WallTime, zone: string): number {
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute);
  // Try the offsets of the day before and the day after, since they differ across a clock change; the earlier instant
  // that fits wins.
  const candidates = [asUtc - 86_400_000, asUtc + 86_400_000].map((near) => asUtc - offsetAt(near, zone));
  const matching = candidates.filter((candidate) => candidate + offsetAt(candidate, zone) === asUtc);
  return matching.length > 0 ? Math.min(...matching) : Math.max(...candidates);
}

/** Return how far `zone` is ahead of UTC, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const { year, month, day, hour, minute } = wallTimeParts(instant, zone);
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(instant / 60_000) * 60_000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function wallTimeParts(instant: number, zone: string): WallTime {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    formats.set(zone, format);
  }
  const wall: WallTime = { year: 0, month: 1, day: 1, hour: 0, minute: 0 };
  for (const { type, value } of format.formatToParts(instant)) {
    if (type === 'year' || type === 'month' || type === 'day' || type === 'hour' || type === 'minute') {
      wall[type] = Number(value);
    }
  }
  return wall;
}

/** When the words of the demo fall: in working days of the lead, as fast as people and machines write. Pure. */
import { Temporal } from 'temporal-polyfill';
import type { DemoLead, Sitting } from './lead.ts';
import { type Line, linesOf } from './script.ts';

/** An instant on the domain clock, milliseconds. */
export type Instant = number;

export interface Spoken extends Line {
  /** Which sitting it belongs to. */
  readonly sitting: number;
  /** When it was written, or put into the outbox. */
  readonly writtenAt: Instant;
  /** When it left, or is going to; for the lead the same as `writtenAt`. */
  readonly at: Instant;
  readonly deliveredAt: Instant | null;
  readonly readAt: Instant | null;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Hours of the lead's day in which people write. */
const WAKES = 8;
const SLEEPS = 22;

/** All that was said with a lead, in order. `typing`: seconds that a message of ours waits for its delay. */
export function timelineOf(lead: DemoLead, now: Instant, typing: (text: string) => number): Spoken[] {
  const zone = lead.timezone ?? 'UTC';
  const shift = nightShift(lead.talk ?? [], zone, now);
  const spoken = (lead.talk ?? []).flatMap((sitting, index) => sat(sitting, index, zone, now, shift, typing));
  return spoken.map((one, index) => {
    if (one.outcome.status !== 'read' || one.who === 'lead') return one;
    // Read before the lead's next word, or a few minutes later; what is not read yet is only delivered.
    const next = spoken.slice(index + 1).find((later) => later.who === 'lead');
    const patience = (2 + (one.text.length % 5)) * MINUTE;
    const readAt = next ? one.at + Math.min((next.at - one.at) / 2, patience) : one.at + patience;
    return readAt < now ? { ...one, readAt } : { ...one, outcome: { status: 'delivered' } };
  });
}

function sat(
  sitting: Sitting,
  index: number,
  zone: string,
  now: Instant,
  shift: number,
  typing: (text: string) => number,
): Spoken[] {
  const lines = linesOf(sitting.said);
  const offsets: number[] = [];
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    offsets.push((offsets[at - 1] ?? 0) + (before ? pauseMs(before, line, typing) : 0));
  }
  const begin =
    'minutesAgo' in sitting
      ? now - sitting.minutesAgo * MINUTE - shift - (offsets.at(-1) ?? 0)
      : onTheClock(now, zone, -sitting.daysAgo, sitting.at);
  return lines.map((line, at): Spoken => {
    const moment = begin + (offsets[at] ?? 0);
    if (line.outcome.status === 'scheduled') {
      const due = onTheClock(now, zone, 1, line.outcome.tomorrowAt);
      return { ...line, sitting: index, writtenAt: moment, at: due, deliveredAt: null, readAt: null };
    }
    const waits = line.who === 'bot' ? Math.min(typing(line.text), 20) * SECOND : 0;
    const arrives = line.who !== 'lead' && (line.outcome.status === 'delivered' || line.outcome.status === 'read');
    return {
      ...line,
      sitting: index,
      writtenAt: moment - waits,
      at: moment,
      deliveredAt: arrives ? moment + 1700 + (line.text.length % 9) * 100 : null,
      readAt: null,
    };
  });
}

/** How much earlier the talk of the last hours was had, because the lead sleeps now; milliseconds. */
function nightShift(talk: readonly Sitting[], zone: string, now: Instant): number {
  const minutes = Math.min(...talk.map((one) => ('minutesAgo' in one ? one.minutesAgo : Number.POSITIVE_INFINITY)));
  if (!Number.isFinite(minutes)) return 0;
  const moment = now - minutes * MINUTE;
  const { hour } = Temporal.Instant.fromEpochMilliseconds(Math.floor(moment)).toZonedDateTimeISO(zone);
  if (hour >= WAKES && hour < SLEEPS) return 0;
  // Not all at the same minute.
  return moment - (onTheClock(moment, zone, hour < WAKES ? -1 : 0, '21:45') - (minutes / 10) * MINUTE);
}

/** How long it takes from one message to the next, milliseconds; the same for the same words. */
function pauseMs(before: Line, line: Line, typing: (text: string) => number): number {
  const scatter = (line.text.length * 7 + before.text.length * 3) % 60;
  if (before.outcome.status === 'cancelled') return 4 * SECOND;
  switch (line.who) {
    case 'bot':
      // The debounce, the model, the link's delay.
      return (before.who === 'lead' ? 7 + Math.min(typing(line.text), 20) : 60) * SECOND + scatter * 17;
    case 'lead':
      return before.who === 'lead' ? (20 + scatter) * SECOND : (2 + (line.text.length % 7)) * MINUTE + scatter * SECOND;
    case 'operator':
    case 'phone':
      return before.who === line.who
        ? (30 + scatter) * SECOND
        : (3 + (line.text.length % 6)) * MINUTE + scatter * SECOND;
    default:
      return line.who satisfies never;
  }
}

/** The instant at which clocks in `zone` show `wall` (HH:MM), `days` after today there. */
function onTheClock(now: Instant, zone: string, days: number, wall: string): Instant {
  const today = Temporal.Instant.fromEpochMilliseconds(Math.floor(now)).toZonedDateTimeISO(zone).toPlainDate();
  const at = today.add({ days }).toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from(wall) });
  return at.epochMilliseconds;
}

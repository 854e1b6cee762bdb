/** Computes the times of the demo's messages: in working hours, as fast as people and machines write. Pure. */
import { Temporal } from 'temporal-polyfill';
import { isOpen, nextOpening, toWeek, type Week } from '../../outreach/workingHours.ts';
import { COMPANY, type DemoLead, type DemoProduct, type Sitting } from '../demoContent.ts';
import { type Line, lineOf } from './script.ts';

/** An instant on the domain clock, in milliseconds. */
export type Instant = number;

/** Settings that decide when a product's messages are sent. */
export interface SendingHours {
  /** Hours of first messages and follow-ups; `zone` is used for leads without one. */
  readonly hours: { readonly week: Week; readonly zone: string };
  /** Hours in which the bot replies. */
  readonly replies: Week;
  /** Minutes after which each follow-up is sent. */
  readonly steps: readonly number[];
}

export interface DemoMessage extends Line {
  /** Index of its sitting. */
  readonly sitting: number;
  /** Index of the follow-up; null for other messages. */
  readonly step: number | null;
  /** When it was written, or put into the outbox. */
  readonly writtenAt: Instant;
  /** When it was or will be sent; for the lead the same as `writtenAt`. */
  readonly at: Instant;
  readonly deliveredAt: Instant | null;
  readonly readAt: Instant | null;
}

/** Return whether a person wrote the message for us, in the console or on the phone. A cancelled one does not count. */
export const isWrittenByPerson = ({ who, status }: DemoMessage): boolean =>
  (who === 'operator' || who === 'phone') && status !== 'cancelled';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Hours in which people write, every day. */
const AWAKE: Week = Array.from({ length: 7 }, () => ({ start: 8 * 60, end: 22 * 60 }));

/** Return the hours in which a product's messages are sent. */
export function sendingHoursOf({ days, isMain, outreach }: DemoProduct): SendingHours {
  const week = toWeek({ days });
  return {
    hours: { week, zone: COMPANY.timezone },
    // The main product's bot replies at any hour; leads sleep at night.
    replies: isMain ? AWAKE : week,
    steps: outreach?.followUps.map((one) => one.afterMinutes) ?? [],
  };
}

/** Return all messages of a lead's dialogue, in order. */
export function timelineOf(lead: DemoLead, now: Instant, sendingHours: SendingHours): DemoMessage[] {
  const zone = lead.timezone ?? sendingHours.hours.zone;
  const least = Math.min(...lead.talk.map((one) => ('minutesAgo' in one ? one.minutesAgo : Number.POSITIVE_INFINITY)));
  const lately = Number.isFinite(least) ? lastAwakeTime(least, zone, now, sendingHours) : now;
  const messages: DemoMessage[] = [];
  for (const [index, sitting] of lead.talk.entries())
    messages.push(...messagesOfSitting(sitting, { index, zone, now, lately, least, sendingHours, before: messages }));
  return messages.map((one, index) => {
    if (one.status !== 'read' || one.who === 'lead') return one;
    // Read before the lead's next message, or a few minutes later; an unread message is only delivered.
    const next = messages.slice(index + 1).find((later) => later.who === 'lead');
    const readDelay = (2 + (one.text.length % 5)) * MINUTE;
    const readAt = next ? one.at + Math.min((next.at - one.at) / 2, readDelay) : one.at + readDelay;
    return readAt < now ? { ...one, readAt } : { ...one, status: 'delivered' };
  });
}

interface SittingContext {
  readonly index: number;
  readonly zone: string;
  readonly now: Instant;
  /** When the newest message was written; the days of the others are counted back from it. */
  readonly lately: Instant;
  /** Minutes that the talk gives for it. */
  readonly least: number;
  readonly sendingHours: SendingHours;
  readonly before: readonly DemoMessage[];
}

function messagesOfSitting(sitting: Sitting, context: SittingContext): DemoMessage[] {
  const { zone, now } = context;
  const lines = sitting.lines.map(lineOf);
  const offsets: number[] = [];
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    offsets.push((offsets[at - 1] ?? 0) + (before ? pauseMs(before, line) : 0));
  }
  const begin = beginOf(sitting, context, offsets.at(-1) ?? 0);
  return lines.map((line, at): DemoMessage => {
    const moment = begin + (offsets[at] ?? 0);
    const common = { ...line, sitting: context.index, step: 'followUp' in sitting ? sitting.followUp : null };
    if (line.tomorrowAt !== undefined) {
      const due = onTheClock(now, zone, 1, line.tomorrowAt);
      return { ...common, writtenAt: moment, at: due, deliveredAt: null, readAt: null };
    }
    const waits = line.who === 'bot' ? typingMs(line) : 0;
    const arrives = line.who !== 'lead' && (line.status === 'delivered' || line.status === 'read');
    return {
      ...common,
      writtenAt: moment - waits,
      at: moment,
      deliveredAt: arrives ? moment + 1700 + (line.text.length % 9) * 100 : null,
      readAt: null,
    };
  });
}

function beginOf(sitting: Sitting, context: SittingContext, lasts: number): Instant {
  if ('minutesAgo' in sitting) return context.lately - (sitting.minutesAgo - context.least) * MINUTE - lasts;
  if ('followUp' in sitting) return followUpAt(sitting.followUp, context);
  return onTheClock(context.lately, context.zone, -calendarDays(sitting.daysAgo, context), sitting.at);
}

/**
 * Return a follow-up's time as the plan computes it: counted from the lead's last message, or the beginning, or the
 * step before; in working hours.
 */
function followUpAt(step: number, { before, zone, sendingHours }: SittingContext): Instant {
  const last = before.findLast((one) => one.step !== null || one.who === 'lead') ?? before[0];
  const due = (last?.at ?? 0) + (sendingHours.steps[step - 1] ?? 0) * MINUTE;
  const { week } = sendingHours.hours;
  // The plan is evaluated a moment later.
  return (isOpen(week, zone, due) ? due : (nextOpening(week, zone, due) ?? due)) + 4 * SECOND;
}

/** Return the number of calendar days that contain this many of the product's working days before the lead's day. */
function calendarDays(workingDays: number, { lately, zone, sendingHours }: SittingContext): number {
  const today = dayOf(lately, zone);
  let days = 0;
  for (let remaining = workingDays; remaining > 0; ) {
    days += 1;
    if (sendingHours.hours.week[today.subtract({ days }).dayOfWeek - 1]) remaining -= 1;
  }
  return days;
}

/**
 * Return when the newest message was written: so many minutes ago, or before the last closing where it is night now.
 */
function lastAwakeTime(minutes: number, zone: string, now: Instant, { replies }: SendingHours): Instant {
  let moment = now - minutes * MINUTE;
  // It may have begun an hour before.
  const isAwake = () => isOpen(replies, zone, moment) && isOpen(replies, zone, moment - 60 * MINUTE);
  if (isAwake()) return moment;
  while (!isAwake()) moment -= MINUTE;
  // Avoids the same minute for all leads.
  return moment - (10 + minutes / 10) * MINUTE;
}

/** Return how long one of our messages is typed: twenty letters a second, at most twenty seconds. */
const typingMs = ({ text }: Line): number => Math.min(text.length / 20, 20) * SECOND;

/** Return the milliseconds from one message to the next; the same for the same texts. */
function pauseMs(before: Line, line: Line): number {
  const scatter = ((line.text.length * 7 + before.text.length * 3) % 60) * SECOND;
  if (before.status === 'cancelled') return 4 * SECOND;
  // The debounce, the model, the link's delay.
  if (line.who === 'bot') return (before.who === 'lead' ? 7 * SECOND + typingMs(line) : MINUTE) + scatter / 60;
  return before.who === line.who ? 25 * SECOND + scatter : (2 + (line.text.length % 7)) * MINUTE + scatter;
}

const dayOf = (at: Instant, zone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(at)).toZonedDateTimeISO(zone).toPlainDate();

/** Return the instant at which clocks in `zone` show `wall` (HH:MM), `days` after the day that `at` is there. */
function onTheClock(at: Instant, zone: string, days: number, wall: string): Instant {
  const day = dayOf(at, zone).add({ days });
  return day.toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from(wall) }).epochMilliseconds;
}

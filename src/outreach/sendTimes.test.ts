/** When a first message may go: the day's 'Send at' and working hours, on the clocks of the product and of the lead. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dayAt, instantAt, parseMinutes } from '../platform/days.ts';
import { zoneTimeName } from '../platform/zones.ts';
import { checkSend } from './checkSend.ts';
import type { Settings } from './facts.ts';
import { reasonText } from './reason.ts';
import { DEFAULT_DAYS } from './schedule.ts';
import { firstMessageTime } from './sendTimes.ts';
import { isOpen, toWeek } from './workingHours.ts';

const DEFAULT_WEEK = toWeek({ days: DEFAULT_DAYS });
const settings = (zone: string, sendAt: string, hours: Settings['hours'] = null): Settings => ({
  productId: 1,
  zone,
  longDay: null,
  isActive: true,
  isPaused: false,
  expiresHours: 0,
  firstMessages: {
    limits: { telegram: 1, whatsapp: 1 },
    previousLimits: null,
    intervalSeconds: 0,
    jitterSeconds: 0,
    sendAt: parseMinutes(sendAt),
  },
  links: [],
  replyHours: 'working',
  hours,
  pings: null,
});

interface Case {
  readonly what: string;
  readonly zone?: string;
  readonly sendAt?: string;
  readonly schedule?: string;
  readonly lead?: string;
  readonly from: string;
  readonly at: string | null;
  readonly reason: string | null;
}

/** A default schedule is that of the specification: Monday to Friday, 09:00 to 18:00. 2026-06-15 is a Monday. */
const CASES: readonly Case[] = [
  {
    what: 'left over from yesterday',
    from: '2026-06-16T00:00Z',
    at: '2026-06-16T10:30Z',
    reason: 'Send at 10:30 UTC',
  },
  {
    what: 'the default schedule in Moscow opens before Send at',
    schedule: 'Europe/Moscow',
    from: '2026-06-16T00:00Z',
    at: '2026-06-16T10:30Z',
    reason: 'Send at 10:30 UTC',
  },
  {
    what: 'a weekend between',
    schedule: 'Europe/Moscow',
    from: '2026-06-19T16:00Z',
    at: '2026-06-22T10:30Z',
    reason: 'Send at 10:30 UTC',
  },
  {
    what: 'working hours open after Send at',
    sendAt: '05:00',
    schedule: 'Europe/Moscow',
    from: '2026-06-15T00:00Z',
    at: '2026-06-15T06:00Z',
    reason: 'Outside working hours: they open on Monday at 09:00 Moscow time',
  },
  {
    what: "the lead's own clock decides",
    schedule: 'Europe/Moscow',
    lead: 'America/New_York',
    from: '2026-06-15T10:30Z',
    at: '2026-06-15T13:00Z',
    reason: "Outside working hours: they open on Monday at 09:00 New York time (the lead's time zone)",
  },
  {
    what: 'a lead for whom it is evening when Send at comes',
    schedule: 'Europe/Moscow',
    lead: 'Asia/Tokyo',
    from: '2026-06-15T00:30Z',
    at: null,
    reason: "Send at 10:30 UTC is after working hours on every day (the lead's time zone)",
  },
  {
    what: 'Send at after closing',
    zone: 'Europe/Riga',
    sendAt: '19:00',
    schedule: 'Europe/Riga',
    from: '2026-06-15T09:00Z',
    at: null,
    reason: 'Send at 19:00 Riga time is after working hours on every day',
  },
  {
    what: 'Send at when the hours close: their end is not included',
    zone: 'Europe/Riga',
    sendAt: '18:00',
    schedule: 'Europe/Riga',
    from: '2026-06-15T09:00Z',
    at: null,
    reason: 'Send at 18:00 Riga time is after working hours on every day',
  },
  {
    what: 'a product in Riga',
    zone: 'Europe/Riga',
    from: '2026-06-15T00:00Z',
    at: '2026-06-15T07:30Z',
    reason: 'Send at 10:30 Riga time',
  },
  {
    what: 'Kathmandu, a quarter of an hour off',
    zone: 'Asia/Kathmandu',
    from: '2026-06-15T00:00Z',
    at: '2026-06-15T04:45Z',
    reason: 'Send at 10:30 Kathmandu time',
  },
  {
    what: 'Samoa, whose day is over first',
    zone: 'Pacific/Apia',
    from: '2026-06-15T12:00Z',
    at: '2026-06-15T21:30Z',
    reason: 'Send at 10:30 Apia time',
  },
  {
    what: 'a time that the spring change skips',
    zone: 'Europe/Riga',
    sendAt: '03:30',
    from: '2026-03-28T23:00Z',
    at: '2026-03-29T01:00Z',
    reason: 'Send at 03:30 Riga time',
  },
  {
    what: 'a time that the autumn change has twice',
    zone: 'Europe/Riga',
    sendAt: '03:30',
    from: '2026-10-24T22:00Z',
    at: '2026-10-25T00:30Z',
    reason: 'Send at 03:30 Riga time',
  },
  {
    what: 'a midnight that the spring change skips',
    zone: 'Africa/Cairo',
    sendAt: '00:00',
    from: '2026-04-23T21:59Z',
    at: '2026-04-23T21:59Z',
    reason: null,
  },
  {
    what: 'midnight',
    sendAt: '00:00',
    from: '2026-06-15T00:00Z',
    at: '2026-06-15T00:00Z',
    reason: null,
  },
  {
    what: 'no hours at all',
    schedule: 'none',
    from: '2026-06-15T00:00Z',
    at: null,
    reason: 'The schedule has no working hours',
  },
  {
    what: 'possible only after the next change of the clock',
    zone: 'UTC',
    sendAt: '17:30',
    schedule: 'Europe/London',
    from: '2026-09-01T00:00Z',
    at: '2026-10-26T17:30Z',
    reason: 'Send at 17:30 UTC',
  },
];

it.each(CASES.map((one) => [one.what, one] as const))('%s', (_what, one) => {
  const { zone = 'UTC', sendAt = '10:30', schedule, lead = null, from, at, reason } = one;
  const week = schedule === 'none' ? DEFAULT_WEEK.map(() => null) : DEFAULT_WEEK;
  const hours = schedule === undefined ? null : { week, zone: schedule === 'none' ? 'UTC' : schedule };
  const found = firstMessageTime(lead, settings(zone, sendAt, hours), Date.parse(from));
  expect(found.at === null ? null : new Date(found.at).toISOString()).toBe(
    at === null ? null : new Date(at).toISOString(),
  );
  expect(found.reason && reasonText(found.reason)).toBe(reason);
});

it("is the first minute at or after the day's Send at within working hours, for any zones", () => {
  const zones = ['UTC', 'Europe/Riga', 'America/Havana', 'Asia/Kathmandu', 'Pacific/Apia', 'Africa/Cairo'];
  const window = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 12 }))
    .map(([start, length]) => ({ start: start * 60, end: Math.min(1440, (start + length) * 60) }));
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(null, ...zones),
      fc.integer({ min: 0, max: 95 }),
      fc.option(fc.array(fc.option(window, { freq: 4 }), { minLength: 7, maxLength: 7 })),
      fc.integer({ min: 0, max: 365 * 96 }).map((quarters) => Date.UTC(2026, 0, 1) + quarters * 900_000),
      (zone, lead, quarter, week, from) => {
        const sendAt = quarter * 15;
        const text = `${String(Math.floor(sendAt / 60)).padStart(2, '0')}:${String(sendAt % 60).padStart(2, '0')}`;
        const hours = week && { week, zone: 'Europe/Riga' };
        const { at } = firstMessageTime(lead, settings(zone, text, hours), from);
        const isPossible = (instant: number) =>
          instant >= instantAt(zone, dayAt(zone, instant), sendAt) &&
          (hours === null || isOpen(hours.week, lead ?? hours.zone, instant));
        // All these clocks change at a quarter of an hour.
        const end = Math.min(at ?? Number.POSITIVE_INFINITY, from + 9 * 86_400_000);
        for (let instant = from; instant < end; instant += 900_000)
          expect([instant, isPossible(instant)]).toEqual([instant, false]);
        if (at !== null) expect([at, isPossible(at)]).toEqual([at, true]);
      },
    ),
    { numRuns: 300 },
  );
});

it('names zones as people do', () => {
  expect(
    ['Europe/Riga', 'America/New_York', 'America/Argentina/Buenos_Aires', 'UTC', 'Etc/UTC', 'Etc/GMT-3', 'GMT'].map(
      zoneTimeName,
    ),
  ).toEqual(['Riga time', 'New York time', 'Buenos Aires time', 'UTC', 'UTC', 'UTC+3', 'UTC']);
});

it('reads reasons that earlier versions have stored', () => {
  expect(reasonText({ code: 'send_at' })).toBe("The day's first messages have not begun yet");
  expect(reasonText({ code: 'hours' })).toBe('Outside working hours');
  expect(reasonText({ code: 'step_hours', step: 2 })).toBe('Follow-up 2 waits for working hours');
});

it('lets a first message that is sent again wait for the Send at of the day', () => {
  const hours = { week: DEFAULT_WEEK, zone: 'Europe/Moscow' };
  const lead = { stage: 'started', is_active: true, timezone: null, recognized_deactivation_request: false } as const;
  const message = {
    origin: 'first',
    author: 'bot',
    schedule_enabled: true,
    ping_step_number: null,
    reply_on_msg_id: null,
  } as const;
  const now = Date.parse('2026-06-15T21:30Z');
  const facts = { message: { ...message, product_id: 1 }, lead, now };
  expect(checkSend(facts, settings('UTC', '10:30', hours))).toEqual({
    kind: 'wait',
    until: '2026-06-16T10:30:00.000Z',
    reason: 'Send at 10:30 UTC',
  });
});

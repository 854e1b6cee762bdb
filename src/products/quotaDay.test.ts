/** Quota days as pure functions, including changes of the product's time zone. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dayAt, instantAt } from '../platform/days.ts';
import { longDayAfter, type QuotaClock, quotaDay } from './quotaDay.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Two days before clocks change in Europe, on the 29th. */
const START = Date.UTC(2026, 2, 27);

const zone = fc.constantFrom('UTC', 'Europe/Moscow', 'Europe/Berlin', 'Asia/Tokyo', 'America/New_York', 'Pacific/Apia');
const instant = fc.integer({ min: 0, max: 4 * 1440 }).map((minutes) => START + minutes * MINUTE);

it("is the calendar day of the product's zone", () => {
  const clock: QuotaClock = { zone: 'Europe/Moscow', longDay: null };
  const day = quotaDay(clock, Date.UTC(2026, 10, 20, 22));
  expect([day.from, day.until].map((at) => new Date(at).toISOString())).toEqual([
    '2026-11-20T21:00:00.000Z',
    '2026-11-21T21:00:00.000Z',
  ]);
});

it('makes one long day of a zone change, which ends at midnight of the new zone', () => {
  const utc: QuotaClock = { zone: 'UTC', longDay: null };
  const long = longDayAfter(utc, 'Europe/Moscow', Date.UTC(2026, 10, 20, 22));
  // The UTC day, and the Moscow day, which is the 21st.
  expect(long && [long.from, long.until].map((at) => new Date(at).toISOString())).toEqual([
    '2026-11-20T00:00:00.000Z',
    '2026-11-21T21:00:00.000Z',
  ]);
  expect(longDayAfter(utc, 'UTC', START)).toBeNull();
});

it('keeps the limit on every day of the old and the new zone, whenever the zone changes', () => {
  const LIMIT = 3;
  fc.assert(
    fc.property(
      zone,
      fc.array(fc.record({ at: instant, zone }), { maxLength: 2 }),
      fc.array(instant, { minLength: 30, maxLength: 80 }),
      (first, changes, tries) => {
        let clock: QuotaClock = { zone: first, longDay: null };
        const eras: { zone: string; from: number }[] = [{ zone: first, from: Number.NEGATIVE_INFINITY }];
        const sent: number[] = [];
        const events = [
          ...changes.map((change) => ({ ...change, change: true })),
          ...tries.map((at) => ({ at, zone: '', change: false })),
        ].toSorted((a, b) => a.at - b.at);
        for (const event of events) {
          if (event.change) {
            clock = { zone: event.zone, longDay: longDayAfter(clock, event.zone, event.at) };
            eras.push({ zone: event.zone, from: event.at });
          } else if (sent.filter((at) => at >= quotaDay(clock, event.at).from).length < LIMIT) sent.push(event.at);
        }
        for (const [index, era] of eras.entries()) {
          const until = eras[index + 1]?.from ?? Number.POSITIVE_INFINITY;
          // Check every day of the zone in which messages were counted while it applied, up to the day's end even if
          // another zone applied by then.
          for (const at of sent.filter((one) => one >= era.from && one < until)) {
            const from = instantAt(era.zone, dayAt(era.zone, at));
            const end = instantAt(era.zone, dayAt(era.zone, at) + 1);
            expect(sent.filter((one) => one >= from && one < end && one <= at).length).toBeLessThanOrEqual(LIMIT);
            if (index < eras.length - 1)
              expect(sent.filter((one) => one >= from && one < end).length).toBeLessThanOrEqual(LIMIT);
          }
        }
      },
    ),
    { numRuns: 1000 },
  );
});

it('limits a long day to two days', () => {
  fc.assert(
    fc.property(zone, zone, instant, (before, after, at) => {
      const long = longDayAfter({ zone: before, longDay: null }, after, at);
      if (long === null) return;
      expect(long.from).toBeLessThanOrEqual(at);
      expect(long.until - at).toBeLessThanOrEqual(2 * DAY + 2 * 60 * MINUTE);
      expect(instantAt(after, dayAt(after, long.until))).toBe(long.until);
    }),
    { numRuns: 1000 },
  );
});

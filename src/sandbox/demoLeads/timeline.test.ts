import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { PRODUCTS } from '../demoContent.ts';
import { cameIn, eventsOf, takenAt } from './story.ts';
import { timelineOf } from './timeline.ts';

const HOUR = 3_600_000;
const leads = PRODUCTS.flatMap((product) => product.leads);

/** Around the clock, in both halves of the year and across both changes of clocks. */
const moments = ['2026-01-14', '2026-03-08', '2026-03-29', '2026-07-01', '2026-10-25', '2026-11-01'].flatMap((day) =>
  ['00', '05', '10', '15', '20'].map((hour) => Date.parse(`${day}T${hour}:17:00Z`)),
);

describe('the demo, whenever it is made', () => {
  it('tells each talk in order, before now, by day', () => {
    for (const now of moments) {
      for (const lead of leads) {
        const spoken = timelineOf(lead, now, () => 4);
        const where = `${lead.name} at ${new Date(now).toISOString()}`;
        const said = spoken.filter((one) => one.outcome.status !== 'scheduled');
        for (const [index, one] of said.entries()) {
          expect(one.at, where).toBeLessThan(now);
          expect(one.at, where).toBeGreaterThan(said[index - 1]?.at ?? 0);
          expect(one.writtenAt, where).toBeGreaterThan(said[index - 1]?.writtenAt ?? 0);
          expect(one.readAt ?? 0, where).toBeLessThan(now);
          const { hour } = Temporal.Instant.fromEpochMilliseconds(Math.floor(one.at)).toZonedDateTimeISO(
            lead.timezone ?? 'UTC',
          );
          expect(hour, where).toBeGreaterThanOrEqual(7);
          expect(hour, where).toBeLessThan(23);
        }
        for (const one of spoken.filter(({ outcome }) => outcome.status === 'scheduled'))
          expect(one.at - now, where).toBeGreaterThan(9 * HOUR);
      }
    }
  });

  it('tells how each lead came to its stage and its human', () => {
    for (const now of moments) {
      for (const lead of leads) {
        const where = `${lead.name} at ${new Date(now).toISOString()}`;
        const spoken = timelineOf(lead, now, () => 4);
        const since = cameIn(lead, spoken, now);
        const events = eventsOf(lead, spoken, since, now);
        expect(since, where).toBeLessThanOrEqual(spoken[0]?.writtenAt ?? now);
        for (const event of events) {
          expect(event.at, where).toBeGreaterThanOrEqual(since);
          expect(event.at, where).toBeLessThanOrEqual(now);
        }
        const taken = takenAt(lead, spoken, events);
        expect(taken !== null, where).toBe(lead.human !== undefined);
        expect(taken ?? 0, where).toBeLessThanOrEqual(now);
      }
    }
  });
});

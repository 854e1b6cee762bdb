import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { isOpen } from '../../outreach/workingHours.ts';
import { PRODUCTS } from '../demoContent.ts';
import { eventsOf, humanOwnerSince, leadCreatedAt } from './story.ts';
import { sendingHoursOf, timelineOf } from './timeline.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const products = PRODUCTS.map((product) => ({ ...product, rhythm: sendingHoursOf(product) }));
const leads = products.flatMap(({ rhythm, leads }) => leads.map((lead) => ({ lead, rhythm })));
const [kitchens] = products;

/** Around the clock, in both halves of the year and across both clock changes. */
const moments = ['2026-01-14', '2026-03-08', '2026-03-29', '2026-07-01', '2026-10-25', '2026-11-01'].flatMap((day) =>
  ['00', '05', '10', '15', '20'].map((hour) => Date.parse(`${day}T${hour}:17:00Z`)),
);

/** Every lead's messages, seen at every moment. */
function* talks() {
  for (const now of moments)
    for (const { lead, rhythm } of leads)
      yield { now, lead, rhythm, messages: timelineOf(lead, now, rhythm), where: `${lead.name} at ${now}` };
}

describe('the demo, whenever it is made', () => {
  it('tells each talk in order, before now, by day, and has the bot speak in the hours of its product', () => {
    for (const { now, lead, rhythm, messages, where } of talks()) {
      const zone = lead.timezone ?? rhythm.hours.zone;
      const past = messages.filter((one) => one.status !== 'scheduled');
      for (const [index, one] of past.entries()) {
        expect(one.at, where).toBeLessThan(now);
        expect(one.at, where).toBeGreaterThan(past[index - 1]?.at ?? 0);
        expect(one.writtenAt, where).toBeGreaterThan(past[index - 1]?.writtenAt ?? 0);
        expect(one.readAt ?? 0, where).toBeLessThan(now);
        const { hour } = Temporal.Instant.fromEpochMilliseconds(Math.floor(one.at)).toZonedDateTimeISO(zone);
        expect(hour >= 7 && hour < 23, where).toBe(true);
        const isUnprompted = one.step !== null || one === messages[0];
        const hours = isUnprompted ? rhythm.hours.week : rhythm.replies;
        if (one.who === 'bot') expect(isOpen(hours, zone, one.at), `message ${index} of ${where}`).toBe(true);
      }
      for (const one of messages.filter(({ status }) => status === 'scheduled'))
        expect(one.at - now, where).toBeGreaterThan(9 * HOUR);
    }
  });

  it('tells how each lead came to its stage and its human', () => {
    for (const { now, lead, messages, where } of talks()) {
      const since = leadCreatedAt(lead, messages, now);
      const events = eventsOf(lead, messages, since, now);
      expect(since, where).toBeLessThanOrEqual(messages[0]?.writtenAt ?? now);
      for (const { at } of events) expect(at >= since && at <= now, where).toBe(true);
      const ownerSince = humanOwnerSince(lead, messages, events);
      expect(ownerSince !== null, where).toBe(lead.human !== undefined);
      expect(ownerSince ?? 0, where).toBeLessThanOrEqual(now);
    }
  });

  it('leaves the follow-ups of its first product for the days to come', () => {
    if (!kitchens) throw new Error('There is a first product');
    const { rhythm } = kitchens;
    const steps = new Set<number>();
    for (const now of moments) {
      for (const lead of kitchens.leads) {
        const messages = timelineOf(lead, now, rhythm).filter((one) => one.status !== 'scheduled');
        const last = messages.at(-1);
        const isFollowed = ['started', 'ongoing', 'pending'].includes(lead.stage) && !lead.switchedOff;
        if (!last || last.who === 'lead' || lead.human || lead.skipped || lead.noAnswer || !isFollowed) continue;
        const words = messages.findLast((one) => one.who === 'lead');
        const done = words && words.at > last.at ? null : last.step;
        const next = rhythm.steps[done ?? 0];
        if (done !== null) steps.add(done);
        // From the last step that was sent, or the lead's last message, or the beginning.
        const from = done === null ? (words ?? messages[0])?.writtenAt : last.at;
        if (next !== undefined)
          expect((from ?? 0) + next * 60_000, `${lead.name} at ${new Date(now).toISOString()}`).toBeGreaterThan(now);
        if (words) expect(words.at, lead.name).toBeGreaterThan(now - 14 * DAY);
      }
    }
    expect(steps).toEqual(new Set([1, 2, 3]));
  });
});

import { expect, it } from 'vitest';
import { urgencyOf } from './attention.tsx';
import { customInstant, snoozeTimes } from './snoozeTimes.ts';

const ZONE = 'Europe/Riga';
const timesAt = (at: string) =>
  Object.fromEntries(snoozeTimes(Date.parse(at), ZONE).map(({ label, until }) => [label, until]));

it('offers times on the clock of the product', () => {
  // A Monday, 12:00 in Riga.
  expect(timesAt('2026-11-23T10:00:00.000Z')).toEqual({
    'For 1 hour': '2026-11-23T11:00:00.000Z',
    'Until this evening': '2026-11-23T16:00:00.000Z',
    'Until tomorrow, 9:00': '2026-11-24T07:00:00.000Z',
    'Until next week': '2026-11-30T07:00:00.000Z',
  });
});

it('offers no evening that begins within the hour, and on a Sunday the next day as the next week', () => {
  // 17:30 in Riga.
  expect(timesAt('2026-11-29T15:30:00.000Z')).toEqual({
    'For 1 hour': '2026-11-29T16:30:00.000Z',
    'Until tomorrow, 9:00': '2026-11-30T07:00:00.000Z',
    'Until next week': '2026-11-30T07:00:00.000Z',
  });
});

it('reads a time of the product’s zone, and refuses anything else', () => {
  expect(customInstant('2026-11-24T09:00', ZONE)).toBe('2026-11-24T07:00:00.000Z');
  expect(customInstant('', ZONE)).toBeNull();
});

it('is urgent from half of the target, and late beyond it', () => {
  const wait = { since: '2026-11-23T10:00:00.000Z', due_at: '2026-11-23T10:15:00.000Z' };
  const at = (minutes: number) => urgencyOf(wait, Date.parse(wait.since) + minutes * 60_000);
  expect([0, 7, 7.5, 15, 15.1].map(at)).toEqual(['in time', 'in time', 'soon', 'soon', 'late']);
});

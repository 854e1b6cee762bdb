import { describe, expect, it } from 'vitest';
import { quietUntil } from './quietHours.ts';

const night = { from: '22:00', to: '08:00', timezone: 'Europe/Moscow' };
const day = { from: '12:00', to: '13:30', timezone: 'UTC' };
const until = (hours: Parameters<typeof quietUntil>[0], at: string): string | null => {
  const end = quietUntil(hours, Date.parse(at));
  return end === null ? null : new Date(end).toISOString();
};

describe('quiet hours', () => {
  it.each([
    // Moscow is three hours ahead of UTC.
    [night, '2026-03-01T18:59:59.000Z', null],
    [night, '2026-03-01T19:00:00.000Z', '2026-03-02T05:00:00.000Z'],
    [night, '2026-03-01T21:30:40.000Z', '2026-03-02T05:00:00.000Z'],
    [night, '2026-03-02T04:59:59.000Z', '2026-03-02T05:00:00.000Z'],
    [night, '2026-03-02T05:00:00.000Z', null],
    [day, '2026-03-02T12:00:00.000Z', '2026-03-02T13:30:00.000Z'],
    [day, '2026-03-02T13:30:00.000Z', null],
    [null, '2026-03-02T12:00:00.000Z', null],
  ])('%o at %s end at %s', (hours, at, end) => {
    expect(until(hours, at)).toBe(end);
  });

  it('last until the clock shows their end when the clocks change meanwhile', () => {
    const berlin = { from: '22:00', to: '08:00', timezone: 'Europe/Berlin' };
    // On 29 March 2026 clocks go forward at 02:00: what is planned an hour late is still no more than that.
    const end = quietUntil(berlin, Date.parse('2026-03-28T22:00:00.000Z')) ?? 0;
    expect(quietUntil(berlin, end)).toBeNull();
    expect(end - Date.parse('2026-03-29T06:00:00.000Z')).toBeLessThanOrEqual(3_600_000);
  });
});

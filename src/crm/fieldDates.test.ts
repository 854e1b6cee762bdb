import { describe, expect, it } from 'vitest';
import { dateOfField } from './fieldDates.ts';

const seconds = (iso: string): number => Date.parse(iso) / 1000;

describe('a field of amoCRM', () => {
  it.each([
    ['date', 'Europe/Moscow', seconds('2026-01-14T21:00:00Z'), '2026-01-15'],
    ['date', 'Europe/Moscow', String(seconds('2026-01-14T21:00:00Z')), '2026-01-15'],
    ['birthday', 'Europe/Moscow', seconds('1965-05-31T21:00:00Z'), '1965-06-01'],
    // Moscow was four hours ahead of UTC then.
    ['date', 'Europe/Moscow', seconds('2012-02-01T20:00:00Z'), '2012-02-02'],
    ['date', 'America/New_York', seconds('2026-07-01T04:00:00Z'), '2026-07-01'],
    ['date', 'UTC', seconds('2026-01-15T00:00:00Z'), '2026-01-15'],
    ['date', 'UTC', seconds('2026-01-14T21:00:00Z'), '2026-01-15'],
    ['date', 'UTC', seconds('2026-01-14T22:13:20Z'), '2026-01-14'],
    ['date', 'UTC', seconds('2026-01-15T05:00:00Z'), '2026-01-15'],
    ['date', 'Europe/Moscow', '2026-01-15T00:00:00+03:00', '2026-01-15'],
    // The account is in Moscow, Almaty, Kolkata, New York, Auckland or Honolulu, the product elsewhere.
    ['date', 'Europe/Riga', seconds('2026-01-13T21:00:00Z'), '2026-01-14'],
    ['date', 'America/New_York', seconds('2026-01-13T21:00:00Z'), '2026-01-14'],
    ['birthday', 'Asia/Vladivostok', seconds('1965-05-31T21:00:00Z'), '1965-06-01'],
    ['date', 'Europe/Moscow', seconds('2026-01-14T19:00:00Z'), '2026-01-15'],
    ['date', 'Europe/Moscow', seconds('2026-01-14T18:30:00Z'), '2026-01-15'],
    ['date', 'Europe/Moscow', seconds('2026-01-15T05:00:00Z'), '2026-01-15'],
    ['date', 'America/New_York', seconds('2026-01-15T00:00:00Z'), '2026-01-15'],
    ['date', 'Europe/Moscow', seconds('2026-01-14T11:00:00Z'), '2026-01-15'],
    ['date', 'Europe/Moscow', seconds('2026-01-15T10:00:00Z'), '2026-01-15'],
    ['date', 'Pacific/Kiritimati', seconds('2026-01-14T10:00:00Z'), '2026-01-15'],
    ['date', 'Europe/Riga', '2026-01-15T00:00:00+03:00', '2026-01-15'],
    ['date', 'Europe/Moscow', seconds('2026-01-14T22:13:20Z'), '2026-01-15'],
    ['date', 'Europe/Moscow', seconds('2026-01-13T21:00:00Z') * 1000, '2026-01-14'],
    ['date', 'Europe/Moscow', `${seconds('2026-01-13T21:00:00Z')}.0`, '2026-01-14'],
    ['date_time', 'Europe/Moscow', String(seconds('2026-01-15T06:30:00Z') * 1000), '2026-01-15 09:30'],
    ['date_time', 'Europe/Moscow', seconds('2026-01-15T06:30:00Z'), '2026-01-15 09:30'],
    ['date_time', 'UTC', seconds('2026-01-15T21:00:00Z'), '2026-01-15 21:00'],
    ['date_time', 'Asia/Kathmandu', '2026-01-15T06:30:15Z', '2026-01-15 12:15'],
  ])('of type %s in %s: %s is %s', (type, zone, value, expected) => {
    expect(dateOfField(value, { type, zone })).toBe(expected);
  });

  it.each([
    ['numeric', 1_768_400_000],
    ['text', '1768400000'],
    [null, 1_768_400_000],
    [undefined, 1_768_400_000],
    ['date', 'soon'],
    ['date', ''],
    ['date', 1.5],
    ['date_time', 1e300],
    ['date', '99999999999999999999'],
  ])('of type %s keeps %s', (type, value) => {
    expect(dateOfField(value, { type, zone: 'Europe/Moscow' })).toBe(value);
  });
});

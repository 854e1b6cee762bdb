import { describe, expect, it } from 'vitest';
import { formatMinutes } from '../../ui/duration.ts';
import { completeWeek, DEFAULT_DAYS, type ScheduleDays, setWorkingDay } from '../schedule.ts';
import {
  dayOfMinute,
  describeSpan,
  formatClock,
  isAfterHours,
  minuteOfWeek,
  openingAt,
  toSpans,
  utcOffsetMinutes,
} from './hours.ts';

const words = (days: ScheduleDays, ahead = 0) => toSpans(days, ahead).map(describeSpan);
const WORK = { is_working_day: true, time_start: '09:00', time_end: '18:00' };

describe('hours in words', () => {
  it.each([
    ['days in a row with the same hours are one line', DEFAULT_DAYS, 0, ['Monday to Friday, 09:00–18:00']],
    [
      'other hours are a line of their own',
      { ...DEFAULT_DAYS, '5': { ...WORK, time_start: '10:00', time_end: '14:00' } },
      0,
      ['Monday to Friday, 09:00–18:00', 'Saturday, 10:00–14:00'],
    ],
    [
      'a day off parts them',
      { ...DEFAULT_DAYS, '2': DEFAULT_DAYS['6'] },
      0,
      ['Monday and Tuesday, 09:00–18:00', 'Thursday and Friday, 09:00–18:00'],
    ],
    ['every day', { ...DEFAULT_DAYS, '5': WORK, '6': WORK }, 0, ['Every day, 09:00–18:00']],
    ['on a clock behind, half an hour too', DEFAULT_DAYS, -90, ['Monday to Friday, 07:30–16:30']],
    ['beyond midnight', DEFAULT_DAYS, 9 * 60, ['Monday to Friday, 18:00–03:00 of the next day']],
    ['until midnight is no next day', DEFAULT_DAYS, 6 * 60, ['Monday to Friday, 15:00–00:00']],
    ['on the day before', DEFAULT_DAYS, -10 * 60, ['Sunday to Thursday, 23:00–08:00 of the next day']],
    ['on the day after', DEFAULT_DAYS, 16 * 60, ['Tuesday to Saturday, 01:00–10:00']],
    [
      'a day with a fault is left out',
      { ...DEFAULT_DAYS, '0': { ...WORK, time_end: '8' } },
      0,
      ['Tuesday to Friday, 09:00–18:00'],
    ],
  ])('%s', (_name, days, ahead, expected) => {
    expect(words(days, ahead)).toEqual(expected);
  });
});

it('says whether messages are sent now, until when, and when next', () => {
  const at = (day: number, time: number) => openingAt(DEFAULT_DAYS, day * 1440 + time);
  const nine = 9 * 60;
  expect(at(0, nine)).toEqual({ open: true, minute: 18 * 60 });
  expect(at(0, nine - 1)).toEqual({ open: false, minute: nine });
  expect(at(0, 18 * 60)).toEqual({ open: false, minute: 1440 + nine });
  expect(at(4, 18 * 60)).toEqual({ open: false, minute: nine });
  expect(at(6, 0)).toEqual({ open: false, minute: nine });
  expect([formatClock(nine - 600), dayOfMinute(nine - 600)]).toEqual(['23:00', 6]);
  const off = setWorkingDay(WORK, false);
  const never = { '0': off, '1': off, '2': off, '3': off, '4': off, '5': off, '6': off };
  expect(openingAt(never, 600)).toEqual({ open: false, minute: null });
});

it("computes a zone's offset and minute of the week, in summer and winter", () => {
  const winter = Date.parse('2026-01-05T00:30:59.999Z');
  expect(utcOffsetMinutes('Europe/Moscow', winter)).toBe(180);
  expect(utcOffsetMinutes('America/New_York', winter)).toBe(-300);
  expect(utcOffsetMinutes('America/New_York', Date.parse('2026-07-01T00:00:00Z'))).toBe(-240);
  expect(utcOffsetMinutes('Asia/Kathmandu', winter)).toBe(345);
  expect(minuteOfWeek('UTC', winter)).toBe(30);
  expect(minuteOfWeek('America/New_York', winter)).toBe(6 * 1440 + 19 * 60 + 30);
});

it.each([
  [0, '0 min'],
  [59, '59 min'],
  [60, '1 h'],
  [90, '1 h 30 min'],
  [1440, '1 d'],
  [3125, '2 d 4 h 5 min'],
])('formats %i minutes as %s', (minutes, expected) => expect(formatMinutes(minutes)).toBe(expected));

describe('a time of the day is after working hours', () => {
  const SEND_AT = 10 * 60 + 30;
  it.each([
    ['on no day of the default schedule in the same zone', DEFAULT_DAYS, SEND_AT, 0, false],
    ['when it is the closing time, which is not included', DEFAULT_DAYS, 18 * 60, 0, true],
    ['not a minute before', DEFAULT_DAYS, 18 * 60 - 1, 0, false],
    ['when the product is so far behind that the hours are over there', DEFAULT_DAYS, SEND_AT, -9 * 60, true],
    ['not when the hours reach past midnight there', DEFAULT_DAYS, 23 * 60, 10 * 60, false],
    ['not without working hours', completeWeek({}), SEND_AT, 0, false],
    ['not with one long day', { ...DEFAULT_DAYS, '2': { ...WORK, time_end: '20:00' } }, 19 * 60, 0, false],
  ])('%s', (_what, days, minutes, ahead, expected) => {
    expect(isAfterHours(days, minutes, ahead)).toBe(expected);
  });
});

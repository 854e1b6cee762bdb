import { describe, expect, it } from 'vitest';
import { completeWeek, DEFAULT_DAYS, dayFaults, setWorkingDay } from './schedule.ts';

const OFF = { is_working_day: false, time_start: '00:00', time_end: '00:00' };
const WORKS = { is_working_day: true, time_start: '09:00', time_end: '18:00' };

it('starts with Monday to Friday, nine to six', () => {
  expect(Object.values(DEFAULT_DAYS)).toEqual([WORKS, WORKS, WORKS, WORKS, WORKS, OFF, OFF]);
  expect(dayFaults(DEFAULT_DAYS)).toEqual([]);
});

describe('a day switched', () => {
  it('off clears its hours', () => expect(setWorkingDay({ ...WORKS, time_start: '07:00' }, false)).toEqual(OFF));
  it('on gets the usual hours where it has none', () => expect(setWorkingDay(OFF, true)).toEqual(WORKS));
  it('on keeps its hours', () => {
    const early = { is_working_day: false, time_start: '00:00', time_end: '06:00' };
    expect(setWorkingDay(early, true)).toEqual({ ...early, is_working_day: true });
  });
});

describe('the error of a day', () => {
  const faults = (day: object, key = '2') => dayFaults({ ...DEFAULT_DAYS, [key]: { ...WORKS, ...day } });
  it.each(['9:00', '24:00', '10:60', '', 'noon', '10:00 '])('names the format of %j', (time) => {
    expect(faults({ time_end: time })).toEqual([
      { key: '2', field: 'time_end', sentence: 'Invalid time format for Wednesday. Please use HH:MM format.' },
    ]);
  });
  it('requires an end after the start, on working days only', () => {
    const sentence = 'Start time must be before end time for Wednesday.';
    expect(faults({ time_start: '18:00' })).toEqual([{ key: '2', field: 'time_start', sentence }]);
    expect(faults({ time_start: '18:01' })).toHaveLength(1);
    expect(faults({ time_start: '18:00', is_working_day: false })).toEqual([]);
    expect(faults({ time_start: '17:59' })).toEqual([]);
  });
});

it('treats a missing day as off', () => {
  expect(completeWeek({ '3': WORKS })).toEqual({
    '0': OFF,
    '1': OFF,
    '2': OFF,
    '3': WORKS,
    '4': OFF,
    '5': OFF,
    '6': OFF,
  });
});

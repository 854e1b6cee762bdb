/** Working hours of a product: its days, their defaults and their validation. Shared by server and console. */
import { clockTime } from '../platform/contract.ts';
import { DEFAULT_PRODUCT_ZONE } from '../products/contract.ts';

/** Monday is 0. */
export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

export const DAY_KEYS = ['0', '1', '2', '3', '4', '5', '6'] as const;
export type DayKey = (typeof DAY_KEYS)[number];

export interface ScheduleDay {
  readonly is_working_day: boolean;
  /** Time in 24-hour `HH:MM` format. */
  readonly time_start: string;
  readonly time_end: string;
}

export type ScheduleDays = Readonly<Record<DayKey, ScheduleDay>>;

export const DEFAULT_TIMEZONE = 'Europe/Moscow';

/** Return the time zone of a new schedule: that of its product where one is set. It does not follow later changes. */
export const newScheduleZone = (productZone: string): string =>
  productZone === DEFAULT_PRODUCT_ZONE ? DEFAULT_TIMEZONE : productZone;

const DAY_OFF: ScheduleDay = { is_working_day: false, time_start: '00:00', time_end: '00:00' };
const WORKING_DAY: ScheduleDay = { is_working_day: true, time_start: '09:00', time_end: '18:00' };

/** The days of a new schedule. */
export const DEFAULT_DAYS: ScheduleDays = {
  '0': WORKING_DAY,
  '1': WORKING_DAY,
  '2': WORKING_DAY,
  '3': WORKING_DAY,
  '4': WORKING_DAY,
  '5': DAY_OFF,
  '6': DAY_OFF,
};

/** Return the seven days as stored; a missing day is off. */
export function completeWeek(days: Readonly<Record<string, ScheduleDay>>): ScheduleDays {
  const day = (key: DayKey) => days[key] ?? DAY_OFF;
  return { '0': day('0'), '1': day('1'), '2': day('2'), '3': day('3'), '4': day('4'), '5': day('5'), '6': day('6') };
}

/** Switch a day on or off. Off removes its hours; on sets the default hours if it has none. */
export function setWorkingDay(day: ScheduleDay, works: boolean): ScheduleDay {
  if (!works) return DAY_OFF;
  const blank = day.time_start === DAY_OFF.time_start && day.time_end === DAY_OFF.time_end;
  return blank ? WORKING_DAY : { ...day, is_working_day: true };
}

export interface DayFault {
  readonly key: DayKey;
  readonly field: 'time_start' | 'time_end';
  readonly sentence: string;
}

/** List what prevents the days from being saved, in the order of the days. */
export function dayFaults(days: ScheduleDays): DayFault[] {
  return DAY_KEYS.flatMap((key, index) => {
    const { is_working_day: works, time_start: start, time_end: end } = days[key];
    const weekday = WEEKDAYS[index] ?? key;
    const faults: DayFault[] = [];
    for (const [field, time] of [['time_start', start] as const, ['time_end', end] as const]) {
      if (!clockTime.safeParse(time).success)
        faults.push({ key, field, sentence: `Invalid time format for ${weekday}. Please use HH:MM format.` });
    }
    if (faults.length === 0 && works && start >= end)
      faults.push({ key, field: 'time_start', sentence: `Start time must be before end time for ${weekday}.` });
    return faults;
  });
}

/** What the page of the schedule tells the assistant, and what may be done on it. */
import type { PageContext } from '../../kit/pageContext.ts';
import { t } from '../../kit/t.ts';
import { schedules } from '../contract.ts';
import { DEFAULT_DAYS, DEFAULT_TIMEZONE } from '../schedule.ts';
import type { useSchedule } from './useSchedule.ts';

interface Doing {
  /** Whether it was saved. */
  save: () => Promise<boolean>;
  reset: () => void;
}

const NO_ARGUMENTS = { type: 'object', properties: {} };

const DAY = {
  type: 'object',
  properties: {
    is_working_day: { type: 'boolean' },
    time_start: { type: 'string', description: 'HH:MM' },
    time_end: { type: 'string', description: 'HH:MM' },
  },
  required: ['is_working_day', 'time_start', 'time_end'],
};

const SCHEDULE = {
  type: 'object',
  properties: {
    timezone: { type: 'string', description: 'IANA name' },
    days: {
      type: 'object',
      description: '0 is Monday, 6 is Sunday; a day left out is as in a new schedule. A day off is 00:00-00:00.',
      properties: Object.fromEntries(Object.keys(DEFAULT_DAYS).map((key) => [key, DAY])),
    },
  },
};

export function scheduleContext(schedule: ReturnType<typeof useSchedule>, { save, reset }: Doing): PageContext {
  const { stored, draft, state, changed, faults } = schedule;
  return {
    description: t('Working hours of the chosen product: on which days and between which times messages go out.'),
    summary: JSON.stringify({
      state: draft === null ? 'none: no restrictions' : state,
      schedule: draft,
      faults: faults.map(({ sentence }) => sentence),
    }),
    tools: [
      {
        name: 'create_schedule',
        description: t('Creates and saves a schedule where the product has none.'),
        parameters: SCHEDULE,
        confirm: true,
      },
      {
        name: 'save_schedule',
        description: t('Saves the schedule as it stands on the page.'),
        parameters: NO_ARGUMENTS,
        confirm: true,
      },
      {
        name: 'reset_schedule',
        description: t('Puts the last saved schedule back on the page.'),
        parameters: NO_ARGUMENTS,
      },
      {
        name: 'delete_schedule',
        description: t('Deletes the schedule: messages can then go out at any time.'),
        parameters: NO_ARGUMENTS,
        confirm: true,
      },
    ],
    handlers: {
      create_schedule: {
        call: async ({ timezone = DEFAULT_TIMEZONE, days = {} }) => {
          if (stored !== null) return { status: 'not created', reason: 'There is a schedule already.' };
          const wanted = typeof days === 'object' ? { ...DEFAULT_DAYS, ...days } : days;
          // The product is put in when it is stored.
          const read = schedules.create.body.safeParse({ product_id: 1, timezone, config: { days: wanted } });
          if (!read.success) return { status: 'not created', reasons: read.error.issues.map(({ message }) => message) };
          const done = await schedule.store({ timezone: read.data.timezone, days: read.data.config.days });
          return { status: done ? 'created' : 'failed' };
        },
      },
      save_schedule: {
        call: async () => {
          if (!changed || faults.length > 0)
            return { status: 'not saved', unsaved: changed, faults: faults.map(({ sentence }) => sentence) };
          return { status: (await save()) ? 'saved' : 'failed' };
        },
      },
      reset_schedule: {
        call: async () => {
          reset();
          return { status: 'reset' };
        },
      },
      delete_schedule: {
        call: async () => {
          if (stored === null) return { status: 'not deleted', reason: 'There is no schedule.' };
          await schedule.remove();
          return { status: 'deleted' };
        },
      },
    },
  };
}

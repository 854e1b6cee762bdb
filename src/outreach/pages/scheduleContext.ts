/** The context and tools that the schedule page gives the assistant. */
import { z } from 'zod';
import { timeZone } from '../../platform/zones.ts';
import { t } from '../../ui/i18n.ts';
import { type PageContext, Undoable } from '../../ui/pageContext.ts';
import { argumentsError, NO_ARGUMENTS, pageTool, pageTools } from '../../ui/pageTool.ts';
import { changeDraft, type Draft, draftUndo, type ViewRef } from '../../ui/undo.ts';
import { givenDays, schedules } from '../contract.ts';
import { DEFAULT_DAYS } from '../schedule.ts';
import { draftFromStored, type ScheduleDraft, type useSchedule } from './useSchedule.ts';

type Editing = ReturnType<typeof useSchedule>;
type Schedule = Pick<
  Editing,
  'stored' | 'draft' | 'newZone' | 'state' | 'changed' | 'faults' | 'store' | 'remove' | 'undo'
> & {
  readonly view: ViewRef<Draft<ScheduleDraft | null>>;
};

interface PageActions {
  /** Save the page; resolves to whether that succeeded. */
  save: () => Promise<boolean>;
  reset: () => void;
}

const SCHEDULE = z.strictObject({
  timezone: timeZone.optional().describe('IANA name'),
  days: givenDays
    .optional()
    .describe('0 is Monday, 6 is Sunday; omitted days keep their hours. Times are HH:MM; a day off is 00:00-00:00.'),
});

export function scheduleContext(schedule: Schedule, { save, reset }: PageActions): PageContext {
  const { stored, draft, state, changed, faults, view } = schedule;
  const sentences = faults.map(({ sentence }) => sentence);
  return {
    description: t('Working hours of the chosen product: the days and times when messages are sent.'),
    summary: JSON.stringify({
      state: draft === null ? 'none: no restrictions' : state,
      schedule: draft,
      faults: sentences,
    }),
    ...pageTools(
      pageTool({
        name: 'create_schedule',
        description: t('Creates and saves a schedule where the product has none.'),
        input: SCHEDULE,
        confirm: true,
        run: async (input) => {
          if (stored !== null) throw new Error(t('There is a schedule already.'));
          const newSchedule = mergeSchedule({ timezone: schedule.newZone, days: DEFAULT_DAYS }, input);
          if (!(await schedule.store(newSchedule))) throw new Error(t('Failed to save schedule. Please try again.'));
          return new Undoable({ status: 'created' }, schedule.undo(null, newSchedule));
        },
      }),
      pageTool({
        name: 'change_schedule',
        description: t('Changes days, hours or time zone on the page; they are not saved yet.'),
        input: SCHEDULE,
        confirm: true,
        run: async (input) => {
          if (draft === null) throw new Error(t('There is no schedule.'));
          return changeDraft(view, mergeSchedule(draft, input), { status: 'changed on the page, not saved' });
        },
      }),
      pageTool({
        name: 'save_schedule',
        description: t('Saves the schedule on the page.'),
        input: NO_ARGUMENTS,
        confirm: true,
        run: async () => {
          if (!changed || sentences.length > 0) throw new Error(sentences.join(' ') || t('Nothing has changed.'));
          if (!(await save())) throw new Error(t('Failed to save schedule. Please try again.'));
          return new Undoable({ status: 'saved' }, schedule.undo(draftFromStored(stored), draft));
        },
      }),
      pageTool({
        name: 'reset_schedule',
        description: t('Restores the last saved schedule on the page; unsaved changes are lost.'),
        input: NO_ARGUMENTS,
        confirm: true,
        run: async () => {
          if (!changed) throw new Error(t('Nothing has changed.'));
          reset();
          return new Undoable({ status: 'reset' }, draftUndo(view, draft, draftFromStored(stored)));
        },
      }),
      pageTool({
        name: 'delete_schedule',
        description: t('Deletes the schedule: messages can then go out at any time.'),
        input: NO_ARGUMENTS,
        confirm: true,
        run: async () => {
          if (stored === null) throw new Error(t('There is no schedule.'));
          await schedule.remove();
          return new Undoable({ status: 'deleted' }, schedule.undo(draftFromStored(stored), null));
        },
      }),
    ),
  };
}

/** Merge the assistant's arguments into the schedule; throws if the result is invalid. */
function mergeSchedule(previous: ScheduleDraft, { timezone, days }: z.output<typeof SCHEDULE>): ScheduleDraft {
  const body = {
    // A placeholder: the product is set when the schedule is stored.
    product_id: 1,
    timezone: timezone ?? previous.timezone,
    config: { days: { ...previous.days, ...days } },
  };
  const read = schedules.create.body.safeParse(body);
  if (!read.success) throw argumentsError(read.error);
  return { timezone: body.timezone, days: read.data.config.days };
}

/** Edit the schedule of a product: the stored one, the draft on the screen, and the conversions between them. */
import { useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { call, ifMatchOf } from '../../ui/api.ts';
import type { DocumentField } from '../../ui/documentField.ts';
import { t } from '../../ui/i18n.ts';
import type { Undo } from '../../ui/pageContext.ts';
import { keyOf, queryClient, setCachedAnswer } from '../../ui/query.ts';
import { zoneName } from '../../ui/timeZones.ts';
import { toast } from '../../ui/toast.ts';
import { type Draft, nullIfNotFound, settingUndo, useViewRef, viewRefsById } from '../../ui/undo.ts';
import { plainDraftCodec, useDraft } from '../../ui/useDraft.tsx';
import { useSaving } from '../../ui/useSaving.ts';
import { type schedule, scheduleOfProduct, schedules } from '../contract.ts';
import {
  completeWeek,
  DAY_KEYS,
  DEFAULT_DAYS,
  dayFaults,
  newScheduleZone,
  type ScheduleDays,
  WEEKDAYS,
} from '../schedule.ts';
import type { ScheduleState } from './ScheduleSummary.tsx';

export type Schedule = z.output<typeof schedule>;

export interface ScheduleDraft {
  readonly timezone: string;
  readonly days: ScheduleDays;
}

export const draftFromStored = (stored: Schedule | null): ScheduleDraft | null =>
  stored && { timezone: stored.timezone, days: completeWeek(stored.config.days) };

const day = z.object({ is_working_day: z.boolean(), time_start: z.string(), time_end: z.string() });
const DRAFT = plainDraftCodec<ScheduleDraft | null>(
  z.object({ timezone: z.string(), days: z.record(z.enum(DAY_KEYS), day) }).nullable(),
);

/** List the fields of the schedule, named as on the page. */
function describeFields(draft: ScheduleDraft | null): DocumentField[] {
  if (draft === null) return [];
  const { timezone, days } = draft;
  return [
    ...DAY_KEYS.map((key, index) => {
      const { is_working_day: works, time_start: start, time_end: end } = days[key];
      return { label: t(WEEKDAYS[index] ?? key), value: works ? `${start}–${end}` : t('Off') };
    }),
    { label: t('Time zone'), value: zoneName(timezone) },
  ];
}

interface EditorView extends Draft<ScheduleDraft | null> {
  readonly setStored: (now: Schedule | null) => void;
}
const viewOf = viewRefsById<EditorView>();

const readStored = (productId: number): Promise<Schedule | null> =>
  nullIfNotFound(call(scheduleOfProduct, { params: { product_id: productId } }));

/** Replace whatever is stored with the given schedule; null removes it. */
async function writeSchedule(productId: number, draft: ScheduleDraft | null): Promise<Schedule | null> {
  const stored = await readStored(productId);
  if (draft === null) {
    if (stored !== null) await call(schedules.remove, { params: { id: stored.id } });
    return null;
  }
  const body = { product_id: productId, timezone: draft.timezone, config: { days: draft.days } };
  return stored === null
    ? call(schedules.create, { body })
    : call(schedules.replace, { params: { id: stored.id }, body, ifMatch: ifMatchOf(stored) });
}

/** Create the undo of a save that changed `before` to `savedDraft`. */
export function scheduleUndo(productId: number, before: ScheduleDraft | null, savedDraft: ScheduleDraft | null): Undo {
  const view = viewOf(productId);
  return settingUndo(view, savedDraft, {
    after: savedDraft,
    read: async () => draftFromStored(await readStored(productId)),
    restore: async () => {
      const now = await writeSchedule(productId, before);
      setCachedAnswer(queryClient, keyOf(scheduleOfProduct, { params: { product_id: productId } }), now);
      view.current?.setStored(now);
    },
  });
}

/** Edit the schedule of a product whose time zone a new one begins with. */
export function useSchedule({ id: productId, timezone }: { id: number; timezone: string }, loaded: Schedule | null) {
  const newZone = newScheduleZone(timezone);
  const cache = useQueryClient();
  const { saving, error, clearError, run } = useSaving({
    saved: t('Schedule saved successfully!'),
    failed: t('Failed to save schedule. Please try again.'),
  });
  const edited = useDraft({
    draftKey: `schedule/${productId}`,
    what: t('Schedule Settings'),
    loaded,
    draftOf: draftFromStored,
    codec: DRAFT,
    shared: { reload: () => readStored(productId), describe: describeFields },
    onStored: (now) => {
      clearError();
      setCachedAnswer(cache, keyOf(scheduleOfProduct, { params: { product_id: productId } }), now);
    },
  });
  const { stored, draft, changed, setDraft, setStored } = edited;
  /** Store a draft. Resolves to whether that succeeded. */
  const store = ({ timezone, days }: ScheduleDraft): Promise<boolean> => {
    const body = { product_id: productId, timezone, config: { days } };
    return run(() =>
      edited.save((ifMatch) =>
        stored === null
          ? call(schedules.create, { body })
          : call(schedules.replace, { params: { id: stored.id }, body, ifMatch }),
      ),
    );
  };
  const remove = async () => {
    if (stored === null) return;
    try {
      await call(schedules.remove, { params: { id: stored.id } });
    } catch (failed) {
      toast.error(t('Failed to delete schedule. Please try again.'));
      throw failed;
    }
    setStored(null);
    toast.success(t('Schedule deleted successfully!'));
  };

  const view = viewOf(productId);
  useViewRef(view, { value: draft, set: setDraft, setStored });
  const undo = (before: ScheduleDraft | null, savedDraft: ScheduleDraft | null) =>
    scheduleUndo(productId, before, savedDraft);

  const state: ScheduleState = stored === null ? 'creating' : changed ? 'changed' : 'saved';
  return {
    stored,
    draft,
    state,
    changed,
    faults: draft === null ? [] : dayFaults(draft.days),
    saving,
    error,
    newZone,
    startDraft: () => setDraft({ timezone: newZone, days: DEFAULT_DAYS }),
    edit: (next: Partial<ScheduleDraft>) => setDraft((previous) => previous && { ...previous, ...next }),
    store,
    remove,
    view,
    undo,
    guard: edited.guard,
    notice: edited.notice,
    /** Return to what is stored; an unsaved new schedule is discarded. */
    restore: () => {
      edited.restore();
      clearError();
    },
  };
}

/** The schedule of a product while it is edited: what is stored, what is on the screen, and the ways between them. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { call, tagOf } from '../../kit/api.ts';
import type { DocumentField } from '../../kit/documentField.ts';
import { Conflict, plainDraft, useEdited } from '../../kit/edited.tsx';
import type { Undo } from '../../kit/pageContext.ts';
import { keyOf, putAnswer, queryClient } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { type Draft, settingUndo, unlessGone, useInView, viewsById } from '../../kit/undo.ts';
import { zoneName } from '../../kit/zones.ts';
import { type schedule, scheduleOfProduct, schedules } from '../contract.ts';
import {
  DAY_KEYS,
  DEFAULT_DAYS,
  DEFAULT_TIMEZONE,
  dayFaults,
  type ScheduleDays,
  WEEKDAYS,
  wholeWeek,
} from '../schedule.ts';
import type { ScheduleState } from './ScheduleSummary.tsx';

export type Schedule = z.output<typeof schedule>;

export interface ScheduleDraft {
  readonly timezone: string;
  readonly days: ScheduleDays;
}

const NEW: ScheduleDraft = { timezone: DEFAULT_TIMEZONE, days: DEFAULT_DAYS };

export const draftOf = (stored: Schedule | null): ScheduleDraft | null =>
  stored && { timezone: stored.timezone, days: wholeWeek(stored.config.days) };

const day = z.object({ is_working_day: z.boolean(), time_start: z.string(), time_end: z.string() });
const DRAFT = plainDraft<ScheduleDraft | null>(
  z.object({ timezone: z.string(), days: z.record(z.enum(DAY_KEYS), day) }).nullable(),
);

/** The schedule as the page names it. */
function describe(draft: ScheduleDraft | null): DocumentField[] {
  if (draft === null) return [];
  const { timezone, days } = draft;
  return [
    ...DAY_KEYS.map((key, index) => {
      const { is_working_day: works, time_start: start, time_end: end } = days[key];
      return { label: t(WEEKDAYS[index] ?? key), value: works ? `${start}–${end}` : t('Off') };
    }),
    { label: t('Hours are on the clock of'), value: zoneName(timezone) },
  ];
}

interface InPage extends Draft<ScheduleDraft | null> {
  readonly took: (now: Schedule | null) => void;
}
const viewOf = viewsById<InPage>();

const readStored = (productId: number): Promise<Schedule | null> =>
  unlessGone(call(scheduleOfProduct, { params: { product_id: productId } }));

/** Puts a schedule in the place of whatever is stored; null: none. */
async function write(productId: number, wanted: ScheduleDraft | null): Promise<Schedule | null> {
  const stored = await readStored(productId);
  if (wanted === null) {
    if (stored !== null) await call(schedules.remove, { params: { id: stored.id } });
    return null;
  }
  const body = { product_id: productId, timezone: wanted.timezone, config: { days: wanted.days } };
  return stored === null
    ? call(schedules.create, { body })
    : call(schedules.replace, { params: { id: stored.id }, body, ifMatch: tagOf(stored) });
}

/** Undo of what was stored: `before` was, `left` is. */
export function scheduleUndo(productId: number, before: ScheduleDraft | null, left: ScheduleDraft | null): Undo {
  const view = viewOf(productId);
  return settingUndo(view, left, {
    left,
    read: async () => draftOf(await readStored(productId)),
    putBack: async () => {
      const now = await write(productId, before);
      putAnswer(queryClient, keyOf(scheduleOfProduct, { params: { product_id: productId } }), now);
      view.now?.took(now);
    },
  });
}

export function useSchedule(productId: number, found: Schedule | null) {
  const cache = useQueryClient();
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const edited = useEdited({
    place: `schedule/${productId}`,
    what: t('Schedule Settings'),
    found,
    draftOf,
    form: DRAFT,
    shared: { reread: () => readStored(productId), describe },
    onStored: (now) => {
      setError(null);
      putAnswer(cache, keyOf(scheduleOfProduct, { params: { product_id: productId } }), now);
    },
  });
  const { stored, draft, changed, setDraft, took } = edited;
  /** Stores a draft; whether that worked. */
  const store = async ({ timezone, days }: ScheduleDraft): Promise<boolean> => {
    setSaving(true);
    const body = { product_id: productId, timezone, config: { days } };
    try {
      await edited.save((ifMatch) =>
        stored === null
          ? call(schedules.create, { body })
          : call(schedules.replace, { params: { id: stored.id }, body, ifMatch }),
      );
      toast.success(t('Schedule saved successfully!'));
      return true;
    } catch (failed) {
      if (failed instanceof Conflict) return false;
      setError(failed instanceof Error ? failed : new Error(String(failed)));
      toast.error(t('Failed to save schedule. Please try again.'));
      return false;
    } finally {
      setSaving(false);
    }
  };
  const remove = async () => {
    if (stored === null) return;
    try {
      await call(schedules.remove, { params: { id: stored.id } });
    } catch (failed) {
      toast.error(t('Failed to delete schedule. Please try again.'));
      throw failed;
    }
    took(null);
    toast.success(t('Schedule deleted successfully!'));
  };

  const view = viewOf(productId);
  useInView(view, { value: draft, put: setDraft, took });
  const undo = (before: ScheduleDraft | null, left: ScheduleDraft | null) => scheduleUndo(productId, before, left);

  const state: ScheduleState = stored === null ? 'creating' : changed ? 'changed' : 'saved';
  return {
    stored,
    draft,
    state,
    changed,
    faults: draft === null ? [] : dayFaults(draft.days),
    saving,
    error,
    begin: () => setDraft(NEW),
    edit: (next: Partial<ScheduleDraft>) => setDraft((former) => former && { ...former, ...next }),
    store,
    remove,
    view,
    undo,
    guard: edited.guard,
    notice: edited.notice,
    /** Back to what is stored; a new one goes. */
    restore: () => {
      edited.restore();
      setError(null);
    },
  };
}

/** The schedule of a product while it is edited: what is stored, what is on the screen, and the ways between them. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import { call } from '../../kit/api.ts';
import { useEdited } from '../../kit/edited.ts';
import type { Undo } from '../../kit/pageContext.ts';
import { keyOf, putAnswer, queryClient } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { type Draft, settingUndo, unlessGone, useInView, viewsById } from '../../kit/undo.ts';
import { type schedule, scheduleOfProduct, schedules } from '../contract.ts';
import { DEFAULT_DAYS, DEFAULT_TIMEZONE, dayFaults, type ScheduleDays, wholeWeek } from '../schedule.ts';
import type { ScheduleState } from './ScheduleSummary.tsx';

export type Schedule = z.output<typeof schedule>;

export interface ScheduleDraft {
  readonly timezone: string;
  readonly days: ScheduleDays;
}

const NEW: ScheduleDraft = { timezone: DEFAULT_TIMEZONE, days: DEFAULT_DAYS };

export const draftOf = (stored: Schedule | null): ScheduleDraft | null =>
  stored && { timezone: stored.timezone, days: wholeWeek(stored.config.days) };

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
    : call(schedules.replace, { params: { id: stored.id }, body });
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
  const edited = useEdited(found, draftOf);
  const { stored, draft, changed, setDraft } = edited;
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<Error | null>(null);

  const took = (now: Schedule | null) => {
    edited.took(now);
    setError(null);
    putAnswer(cache, keyOf(scheduleOfProduct, { params: { product_id: productId } }), now);
  };
  /** Stores a draft; whether that worked. */
  const store = async ({ timezone, days }: ScheduleDraft): Promise<boolean> => {
    setSaving(true);
    const body = { product_id: productId, timezone, config: { days } };
    try {
      took(
        await (stored === null
          ? call(schedules.create, { body })
          : call(schedules.replace, { params: { id: stored.id }, body })),
      );
      toast.success(t('Schedule saved successfully!'));
      return true;
    } catch (failed) {
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
    /** Back to what is stored; a new one goes. */
    restore: () => {
      edited.restore();
      setError(null);
    },
  };
}

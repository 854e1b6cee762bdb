/** Editing of a draft of an experiment: draft, faults and saving. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { usePage } from '../../../ui/page.ts';
import { keyOf, setCachedAnswer } from '../../../ui/query.ts';
import { type Draft, useViewRef, viewRefsById } from '../../../ui/undo.ts';
import { useDraft } from '../../../ui/useDraft.tsx';
import { useSaving } from '../../../ui/useSaving.ts';
import { type Experiment, experiments } from '../../experimentContract.ts';
import {
  bodyOf,
  comparedPart,
  DRAFT,
  describeDraft,
  draftOf,
  type ExperimentDraft,
  faultsOf,
} from './experimentDraft.ts';
import { useBaseRate } from './useBaseRate.ts';

/** The draft on the page by the experiment's id, 0 for a new one. */
export const draftView = viewRefsById<Draft<ExperimentDraft>>();

export function useExperimentEditor(experiment: Experiment | null, productId: number) {
  const page = usePage();
  const cache = useQueryClient();
  const saving = useSaving({
    saved: t('Experiment saved'),
    failed: t('The experiment was not saved.'),
  });
  const [isChecked, setChecked] = useState(false);
  const refresh = (now: Experiment) => {
    setCachedAnswer(cache, keyOf(experiments.get, { params: { id: now.id } }), now);
    void cache.invalidateQueries({ queryKey: keyOf(experiments.list) });
  };
  const edited = useDraft<Experiment | null, ExperimentDraft, ExperimentDraft>({
    draftKey: experiment === null ? `experiment/new/${productId}` : `experiment/${experiment.id}`,
    what: experiment === null ? t('New experiment') : t('Experiment “{{name}}”', { name: experiment.name }),
    loaded: experiment,
    draftOf,
    codec: DRAFT,
    compared: comparedPart,
    shared: {
      reload: async () => experiment && call(experiments.get, { params: { id: experiment.id } }),
      describe: (draft) => describeDraft(draft, productId),
    },
    onStored: (now) => {
      saving.clearError();
      if (now) refresh(now);
    },
  });
  const { stored, draft, setDraft, guard } = edited;
  const { base } = useBaseRate(productId, draft.kind, draft.metric);
  const body = bodyOf(draft, productId, base?.rate ?? null);
  const faults = faultsOf(body);

  /** Save the page. Resolves to whether that succeeded. */
  const save = async (): Promise<boolean> => {
    setChecked(true);
    if (faults.size > 0) return false;
    const isSaved = await saving.run(async () => {
      const parsed = experiments.create.body.parse(body);
      if (stored !== null) {
        await edited.save((ifMatch) => call(experiments.replace, { params: { id: stored.id }, body: parsed, ifMatch }));
        return;
      }
      const created = await call(experiments.create, { body: parsed });
      refresh(created);
      guard.release();
      page.go('experiment-detail', { experimentId: created.id }, { replace: true });
    });
    if (isSaved) setChecked(false);
    return isSaved;
  };
  const view = draftView(stored?.id ?? 0);
  useViewRef(view, { value: draft, set: setDraft });
  return {
    productId,
    stored,
    draft,
    view,
    changed: edited.changed,
    base,
    /** The base rate of the plan: as entered, else that of the last 90 days. */
    baseRate: draft.base_rate ?? base?.rate ?? null,
    faults,
    /** The fault of a field, once the page was checked by an attempt to save it. */
    faultAt: (path: string): string | null => (isChecked ? (faults.get(path) ?? null) : null),
    isChecked,
    edit: (change: Partial<ExperimentDraft>) => setDraft((former) => ({ ...former, ...change })),
    setDraft,
    save,
    saving: saving.saving,
    error: saving.error,
    restore: () => {
      edited.restore();
      saving.clearError();
      setChecked(false);
    },
    notice: edited.notice,
    guard,
  };
}

export type ExperimentEditorState = ReturnType<typeof useExperimentEditor>;

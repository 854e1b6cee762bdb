/** Editing of a test case: draft, faults and saving. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../ui/api.ts';
import { now } from '../../../ui/clock.ts';
import { t } from '../../../ui/i18n.ts';
import { parseId, usePage } from '../../../ui/page.ts';
import { keyOf, setCachedAnswer } from '../../../ui/query.ts';
import { type Draft, useViewRef, viewRefsById } from '../../../ui/undo.ts';
import { useDraft } from '../../../ui/useDraft.tsx';
import { useSaving } from '../../../ui/useSaving.ts';
import { type StudioCase, studioCases } from '../../caseContract.ts';
import { bodyOf, type CaseDraft, DRAFT, describeDraft, draftOf, faultsOf, parsedBody } from './caseDraft.ts';

/** The draft on the page by the case's id, 0 for a new one. */
const caseView = viewRefsById<Draft<CaseDraft>>();

export function useCaseEditor(stored: StudioCase | null, productId: number) {
  const page = usePage();
  const cache = useQueryClient();
  const saving = useSaving({ saved: t('Test case saved'), failed: t('The test case was not saved.') });
  const [isChecked, setChecked] = useState(false);
  const [openedAt] = useState(() => new Date(now()).toISOString());
  const promptId = parseId(page.params['promptId']);
  const refresh = (one: StudioCase) => {
    setCachedAnswer(cache, keyOf(studioCases.get, { params: { id: one.id } }), one);
    void cache.invalidateQueries({ queryKey: keyOf(studioCases.list) });
  };
  const edited = useDraft<StudioCase | null, CaseDraft, CaseDraft>({
    draftKey: stored === null ? `studio_case/new/${productId}` : `studio_case/${stored.id}`,
    what: stored === null ? t('New test case') : t('Test case “{{name}}”', { name: stored.name }),
    loaded: stored,
    draftOf: (one) => draftOf(one, promptId),
    codec: DRAFT,
    shared: {
      reload: async () => stored && call(studioCases.get, { params: { id: stored.id } }),
      describe: describeDraft,
    },
    onStored: (one) => {
      saving.clearError();
      if (one) refresh(one);
    },
  });
  const { draft, setDraft, guard } = edited;
  const body = bodyOf(draft, { stored: edited.stored, productId, now: openedAt });
  const faults = faultsOf(body);

  /** Save the page. Resolves to whether that succeeded. */
  const save = async (): Promise<boolean> => {
    setChecked(true);
    if (faults.size > 0) return false;
    const parsed = parsedBody(body);
    const before = edited.stored;
    const isSaved = await saving.run(async () => {
      if (before !== null) {
        await edited.save((ifMatch) => call(studioCases.replace, { params: { id: before.id }, body: parsed, ifMatch }));
        return;
      }
      const created = await call(studioCases.create, { body: studioCases.create.body.parse(parsed) });
      refresh(created);
      guard.release();
      page.go('studio-case', { caseId: created.id }, { replace: true });
    });
    if (isSaved) setChecked(false);
    return isSaved;
  };
  const view = caseView(edited.stored?.id ?? 0);
  useViewRef(view, { value: draft, set: setDraft });
  return {
    stored: edited.stored,
    draft,
    view,
    changed: edited.changed,
    faults,
    /** The fault of a field, once the page was checked by an attempt to save it. */
    faultAt: (path: string): string | null => (isChecked ? (faults.get(path) ?? null) : null),
    edit: (change: Partial<CaseDraft>) => setDraft((former) => ({ ...former, ...change })),
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

export type CaseEditorState = ReturnType<typeof useCaseEditor>;

/** Saving the present state of a list in the view that it was opened from. If it was changed meanwhile, the operator is asked. */
import { useMutation } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { etagOf } from '../../../platform/rowVersion.ts';
import { ApiError, call } from '../../../ui/api.ts';
import type { DocumentField } from '../../../ui/documentField.ts';
import { fieldLabel } from '../../../ui/fieldLabels.ts';
import { t } from '../../../ui/i18n.ts';
import type { ListMenuProps } from '../../../ui/listMenu.ts';
import { toast } from '../../../ui/toast.ts';
import { type SavedView, savedViews } from '../../viewContract.ts';
import { openedView, rememberView } from './openedView.ts';
import { updateView } from './viewActions.ts';

const ConflictDialog = lazy(() => import('../../../ui/ConflictDialog.tsx'));

interface Conflict {
  /** Null: it was deleted. */
  readonly theirs: SavedView | null;
  readonly sentence: string | null;
}

interface SaveChanges {
  readonly save: (view: SavedView) => void;
  readonly isSaving: boolean;
  /** Asks which state to keep if another operator has changed the view. */
  readonly question: ReactNode;
}

export function useSaveChanges({ list, params, open }: ListMenuProps, companyId: number): SaveChanges {
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const saving = useMutation({
    mutationFn: (view: SavedView) =>
      updateView(view, { params: { ...params } }, etagOf(openedView(list)?.version ?? view.version)),
    onSuccess: (saved) => {
      rememberView(list, saved);
      toast.success(t('Saved the view {{name}}', { name: saved.name }));
    },
    onError: async (error, view) => {
      const found = await findConflict(error, { list, companyId, id: view.id });
      if (found) setConflict(found);
      else toast.failure(error);
    },
  });
  const decide = (next: (theirs: SavedView) => void) => () => {
    if (conflict?.theirs) {
      rememberView(list, conflict.theirs);
      next(conflict.theirs);
    }
    setConflict(null);
  };
  return {
    save: (view) => saving.mutate(view),
    isSaving: saving.isPending,
    question: conflict && (
      <Suspense>
        <ConflictDialog
          sentence={conflict.sentence}
          theirs={conflict.theirs && describe(conflict.theirs.params)}
          mine={describe(params)}
          // The next save replaces what is stored now.
          onMine={decide(() => undefined)}
          onTheirs={decide((theirs) => open(theirs.params))}
        />
      </Suspense>
    ),
  };
}

/** Return what is stored if a save was refused because of it; null if the refusal had another reason. */
async function findConflict(
  refusal: unknown,
  { list, companyId, id }: { list: string; companyId: number; id: number },
): Promise<Conflict | null> {
  if (!(refusal instanceof ApiError) || (refusal.status !== 409 && refusal.status !== 404)) return null;
  try {
    const { views } = await call(savedViews, { params: { id: companyId }, query: { page: list } });
    const theirs = views.find((view) => view.id === id) ?? null;
    if (theirs && theirs.version === openedView(list)?.version) return null;
    return { theirs, sentence: refusal.status === 409 ? refusal.sentence : null };
  } catch {
    return null;
  }
}

const describe = (params: Readonly<Record<string, string>>): DocumentField[] =>
  Object.entries(params).map(([name, value]) => ({ label: fieldLabel(name), value }));

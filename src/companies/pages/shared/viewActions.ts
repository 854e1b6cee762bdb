/** Saving, changing and deleting views, shown in every menu at once; and the assistant's tools for it. */
import { z } from 'zod';
import { uncheckedId } from '../../../platform/contract.ts';
import { call, ifMatchOf } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import type { ListMenuProps } from '../../../ui/listMenu.ts';
import { Undoable } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import { storedUndo } from '../../../ui/undo.ts';
import { changeView, deleteView, type SavedView, savedViews, saveView } from '../../viewContract.ts';
import { openedView, rememberView } from './openedView.ts';

type NewView = Pick<SavedView, 'page' | 'name' | 'params' | 'shared'> & { readonly companyId: number };

const refresh = () => void queryClient.invalidateQueries({ queryKey: keyOf(savedViews) });

export async function createView({ companyId, params, ...body }: NewView): Promise<SavedView> {
  const view = await call(saveView, { params: { id: companyId }, body: { ...body, params: { ...params } } });
  refresh();
  return view;
}

/** Save a view again that was deleted. */
export const restoreView = ({ page, name, params, shared }: SavedView, companyId: number): Promise<SavedView> =>
  createView({ companyId, page, name, params, shared });

/** Change a view. Refused if it has another version than `ifMatch`, which is that of `view` if omitted. */
export async function updateView(
  view: SavedView,
  change: Partial<Pick<SavedView, 'name' | 'params' | 'shared'>>,
  ifMatch: string | null = ifMatchOf(view),
): Promise<SavedView> {
  try {
    return await call(changeView, { params: { id: view.id }, body: change, ifMatch });
  } finally {
    // After a refusal, what is stored is shown.
    refresh();
  }
}

export async function removeView({ id }: SavedView): Promise<void> {
  await call(deleteView, { params: { id } });
  refresh();
}

const CHANGE = z.strictObject({
  id: uncheckedId,
  name: z.string().trim().min(1).max(100).optional(),
  shared: z.boolean().optional().describe(t('For all members of the company')),
  replace_state: z.boolean().default(false).describe(t('Keep the present search, filters and order in it')),
});

const NAME = z.string().trim().min(1).max(100);

/** Return the assistant's tools for the views of a list. */
export function viewTools({ list, params, open }: ListMenuProps, companyId: number): ToolWithHandler[] {
  const read = async () => (await call(savedViews, { params: { id: companyId }, query: { page: list } })).views;
  const find = async (id: number) => {
    const view = (await read()).find((one) => one.id === id);
    if (!view) throw new Error(t('There is no such view.'));
    return view;
  };
  const idsOf = async () => (await read()).map(({ id }) => id);
  return [
    pageTool({
      name: 'show_saved_views',
      description: t('Lists the saved views of this list.'),
      input: NO_ARGUMENTS,
      run: async () => ({
        views: (await read()).map(({ id, name, shared, operator }) => ({ id, name, shared, operator })),
      }),
    }),
    pageTool({
      name: 'open_saved_view',
      description: t('Opens a saved view of this list by its id.'),
      input: z.strictObject({ id: uncheckedId }),
      run: async ({ id }) => {
        const view = await find(id);
        rememberView(list, view);
        open(view.params);
        return { status: 'opened', name: view.name };
      },
    }),
    pageTool({
      name: 'save_view',
      description: t('Saves the present search, filters and order of this list under a name.'),
      input: z.strictObject({
        name: NAME,
        shared: z.boolean().default(false).describe(t('For all members of the company')),
      }),
      confirm: true,
      run: async ({ name, shared }) => {
        const view = await createView({ companyId, page: list, name, params, shared });
        rememberView(list, view);
        return new Undoable(
          { status: 'saved', id: view.id },
          storedUndo({
            after: true,
            read: async () => (await idsOf()).includes(view.id),
            restore: () => removeView(view),
          }),
        );
      },
    }),
    ...changingTools({ list, params }, find),
  ];
}

function changingTools(
  { list, params }: Pick<ListMenuProps, 'list' | 'params'>,
  find: (id: number) => Promise<SavedView>,
): ToolWithHandler[] {
  return [
    pageTool({
      name: 'change_view',
      description: t('Renames a saved view by its id, shares it, or replaces its state by the present one.'),
      input: CHANGE,
      confirm: true,
      run: async ({ id, name, shared, replace_state: isReplaced }) => {
        const before = await find(id);
        const after = await updateView(before, {
          ...(name === undefined ? {} : { name }),
          ...(shared === undefined ? {} : { shared }),
          ...(isReplaced ? { params: { ...params } } : {}),
        });
        if (openedView(list)?.id === id) rememberView(list, after);
        return new Undoable(
          { status: 'changed', name: after.name, shared: after.shared },
          storedUndo({
            after: stateOf(after),
            read: async () => stateOf(await find(id)),
            restore: async () => updateView(await find(id), stateOf(before)),
          }),
        );
      },
    }),
    pageTool({
      name: 'delete_view',
      description: t('Deletes a saved view by its id.'),
      input: z.strictObject({ id: uncheckedId }),
      confirm: true,
      irreversible: t('A deleted view is gone, also for those it was shared with.'),
      run: async ({ id }) => {
        const view = await find(id);
        await removeView(view);
        return { status: 'deleted', name: view.name };
      },
    }),
  ];
}

const stateOf = ({ name, params, shared }: SavedView) => ({ name, params, shared });

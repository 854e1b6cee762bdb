/** Routes of saved views. */
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import type { Caller } from '../platform/http/caller.ts';
import { requireVersion } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { countViews, findView, insertView, listViews, removeView, updateView } from './store/views.ts';
import {
  changeView,
  deleteView,
  MAX_VIEWS,
  type SavedView,
  savedViews,
  saveView,
  viewRefusals,
} from './viewContract.ts';

export function viewRoutes(context: AppContext): Route[] {
  return [
    route(savedViews, async ({ params, query, caller }) => {
      const views = await listViews(context.reader, { callerId: caller.id, companyId: params.id, page: query.page });
      return ok(200, { views });
    }),
    route(saveView, async ({ params, body, caller, requestId }) => {
      const view = await context.transact(async (tx) => {
        if ((await countViews(tx, caller.id, params.id)) >= MAX_VIEWS)
          throw refuse(viewRefusals, 'view.too_many', { most: MAX_VIEWS });
        const id = await insertView(tx, { callerId: caller.id, companyId: params.id, ...body });
        const created = await readOrRefuse(tx, id, caller);
        await record(tx, { caller, requestId }, { action: 'created', before: null, after: created });
        return created;
      });
      return ok(201, view);
    }),
    route(changeView, async ({ params, body, caller, requestId, ifMatch }) => {
      const view = await context.transact(async (tx) => {
        const before = await readOrRefuse(tx, params.id, caller);
        requireAuthor(before, caller);
        await requireVersion(tx, { noun: 'saved_view', rowId: params.id, item: before }, ifMatch);
        const { name = before.name, params: state = before.params, shared = before.shared } = body;
        // Another operator's view that an admin no longer shares is personal again: the admin sees it a last time.
        const changed = { ...before, name, params: state, shared };
        const after = { ...changed, version: await updateView(tx, changed) };
        await record(tx, { caller, requestId }, { action: 'changed', before, after });
        return after;
      });
      return ok(200, view);
    }),
    route(deleteView, async ({ params, caller, requestId }) => {
      await context.transact(async (tx) => {
        const before = await readOrRefuse(tx, params.id, caller);
        requireAuthor(before, caller);
        await removeView(tx, params.id);
        await record(tx, { caller, requestId }, { action: 'deleted', before, after: null });
      });
      return ok(204, null);
    }),
  ];
}

/** Read a view that the caller may see. Another operator's personal view is answered like a missing one. */
async function readOrRefuse(tx: Tx, id: number, caller: Caller): Promise<SavedView> {
  const view = await findView(tx, id, caller.id);
  if (!view) throw refuse(commonRefusals, 'not_found', { noun: 'view' });
  return view;
}

function requireAuthor(view: SavedView, caller: Caller): void {
  if (!view.own && !caller.admin) throw refuse(viewRefusals, 'view.not_author');
}

function record(
  tx: Tx,
  writing: WriteContext,
  { action, before, after }: { action: string; before: SavedView | null; after: SavedView | null },
): Promise<void> {
  const view = after ?? before;
  return recordAuditEntry(tx, {
    ...writing,
    action,
    noun: 'saved_view',
    rowId: view?.id ?? null,
    companyId: view?.company_id ?? null,
    before,
    after,
  });
}

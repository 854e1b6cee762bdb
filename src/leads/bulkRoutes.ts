/** Routes that apply one action to many leads. */

import type { AppContext } from '../platform/appContext.ts';
import type { WriteContext } from '../platform/audit.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { readIds } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { refuse } from '../platform/refuse.ts';
import { type BulkAction, bulkRefusals, countBulk, leadIds, MAX_SELECTED, runBulk } from './bulkContract.ts';
import { changeMarks, marksAfter } from './changeMarks.ts';
import type { LeadDependencies } from './dependencies.ts';
import { leadListingWith } from './listing.ts';
import { changeStageAsOperator, deactivateAsOperator } from './operatorActions.ts';
import { removeLeads } from './removeLeads.ts';
import { readMarks } from './store/lists.ts';
import { countAffectedLeads } from './store.ts';

export function bulkRoutes(context: AppContext, dependencies: LeadDependencies): Route[] {
  const listing = leadListingWith(dependencies.listParts);
  return [
    route(leadIds, async ({ query, caller }) => {
      const ids = await readIds(context.pool, {
        listing,
        query,
        companies: caller.companies,
        limit: MAX_SELECTED + 1,
      });
      if (ids.length > MAX_SELECTED) {
        const count = `More than ${MAX_SELECTED}`;
        throw refuse(bulkRefusals, 'leads.too_many', { count, most: String(MAX_SELECTED) });
      }
      return ok(200, { ids });
    }),
    route(countBulk, async ({ body }) => {
      const ids = [...new Set(body.ids)];
      const [leadCounts, conversationCounts] = await Promise.all([
        countAffected(context.reader, ids, body.action),
        dependencies.countConversations(context.reader, ids),
      ]);
      return ok(200, { leads: ids.length, ...leadCounts, ...conversationCounts });
    }),
    route(runBulk, async ({ body, caller, requestId }) => {
      // Sorted, so that two concurrent calls lock leads in the same order and cannot deadlock.
      const ids = [...new Set(body.ids)].sort((one, other) => one - other);
      const affected = await context.transact((tx) =>
        applyToLeads(tx, { cipher: context.cipher, dependencies, ids, action: body.action }, { caller, requestId }),
      );
      return ok(200, { affected });
    }),
  ];
}

/** Count for how many of the leads the action changes something, and their contacts. */
async function countAffected(
  reader: Reader,
  ids: readonly number[],
  action: BulkAction,
): Promise<{ affected: number; contacts: number }> {
  if (action.kind !== 'change_tags' && action.kind !== 'set_owner') return countAffectedLeads(reader, ids, action);
  const marks = await readMarks(reader, ids);
  return { affected: marks.filter((one) => marksAfter(one, action) !== null).length, contacts: 0 };
}

/** Apply the action to the leads and return how many of them changed. */
async function applyToLeads(
  tx: Tx,
  {
    cipher,
    dependencies: { cancelPending, eraseLeads },
    ids,
    action,
  }: {
    cipher: AppContext['cipher'];
    dependencies: LeadDependencies;
    ids: readonly number[];
    action: BulkAction;
  },
  writing: WriteContext,
): Promise<number> {
  if (action.kind === 'delete') {
    await removeLeads(tx, { ids, writing, cipher, eraseLeads });
    return ids.length;
  }
  if (action.kind === 'change_tags' || action.kind === 'set_owner') return changeMarks(tx, { ids, action }, writing);
  let affected = 0;
  for (const id of ids) {
    const changed =
      action.kind === 'deactivate'
        ? await deactivateAsOperator(tx, { id, writing, cancelPending })
        : await changeStageAsOperator(tx, { id, stage: action.new_stage, writing, cancelPending });
    if (changed) affected++;
  }
  return affected;
}

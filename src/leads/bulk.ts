/** One action on many leads. */
import type { Writing } from '../platform/audit.ts';
import type { Reader, Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { readIds } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { refuse } from '../platform/refuse.ts';
import { type BulkAction, bulkRefusals, countBulk, leadIds, MOST_SELECTED, runBulk } from './bulkContract.ts';
import { deactivateByHand, moveByHand } from './byHand.ts';
import { leadListing } from './listing.ts';
import { removeLeads } from './removeLead.ts';
import type { LeadHooks } from './routes.ts';
import { countLeads } from './store.ts';

/** What hangs on leads in rooms that lean on this one. */
export type CountTalks = (
  reader: Reader,
  leadIds: readonly number[],
) => Promise<{ dialogues: number; messages: number; waiting: number }>;

export function bulkRoutes(ground: Ground, hooks: LeadHooks): Route[] {
  return [
    route(leadIds, async ({ query, caller }) => {
      const ids = await readIds(ground.pool, leadListing, query, caller.companies, MOST_SELECTED + 1);
      if (ids.length > MOST_SELECTED) {
        const count = `More than ${MOST_SELECTED}`;
        throw refuse(bulkRefusals, 'leads.too_many', { count, most: String(MOST_SELECTED) });
      }
      return ok(200, { ids });
    }),
    route(countBulk, async ({ body }) => {
      const ids = [...new Set(body.ids)];
      const [own, talks] = await Promise.all([
        countLeads(ground.reader, ids, body.action),
        hooks.countTalks(ground.reader, ids),
      ]);
      return ok(200, { leads: ids.length, ...own, ...talks });
    }),
    route(runBulk, async ({ body, caller, requestId }) => {
      // In one order, so that two at once never wait for each other.
      const ids = [...new Set(body.ids)].sort((one, other) => one - other);
      const affected = await ground.transact((tx) => actOn(tx, ground, hooks, ids, body.action, { caller, requestId }));
      return ok(200, { affected });
    }),
  ];
}

/** Gives the number of leads for whom something changed. */
async function actOn(
  tx: Tx,
  ground: Ground,
  { silence, forget }: LeadHooks,
  ids: readonly number[],
  action: BulkAction,
  writing: Writing,
): Promise<number> {
  if (action.kind === 'delete') {
    await removeLeads(tx, ids, writing, ground.seal, forget);
    return ids.length;
  }
  let affected = 0;
  for (const id of ids) {
    const changed =
      action.kind === 'deactivate'
        ? await deactivateByHand(tx, id, writing, silence)
        : await moveByHand(tx, id, action.new_stage, writing, silence);
    if (changed) affected++;
  }
  return affected;
}

/** Has the plans of leads evaluated, in the transaction that changes what they read. */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';

/**
 * Query that makes the plans of leads due, `leadIds` being their ids or a query of them. A row that this transaction has
 * made due stays as it is: nobody could evaluate it since.
 */
export const makePlansDue = (leadIds: readonly number[] | RawBuilder<unknown>): RawBuilder<unknown> => sql`
  update outreach set next_at = domain_now(), retry_at = null, attempts = 0
   where lead_id = any(${'toOperationNode' in leadIds ? sql`array(${leadIds})` : idList(leadIds)})
     and (xmin = pg_current_xact_id()::xid and next_at <= domain_now() and retry_at is null and attempts = 0) is not true`;

/** Have the plans of leads evaluated at once: something that they read has changed. */
export async function planLeads(tx: Tx, leadIds: readonly number[]): Promise<void> {
  if (leadIds.length > 0) await makePlansDue(leadIds.toSorted((a, b) => a - b)).execute(tx);
}

import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { readBudget, readPrices, writeBudget, writePrices } from './budgetContract.ts';
import { costOfDialogue, costOfLead, readSpending } from './costContract.ts';
import { budgetOf, pricesOf, replacePrices, setBudget } from './store/budget.ts';
import { costOf, spendingOf } from './store/costs.ts';

/** Resume replies that waited for the budget. Called in the transaction that changed a company's budget. */
export type ResumeReplies = (tx: Tx, companyId: number) => Promise<void>;

export function budgetRoutes(context: AppContext, resume: ResumeReplies): Route[] {
  return [
    route(readPrices, async () => ok(200, { items: await pricesOf(context.reader) })),
    route(writePrices, async ({ body, caller, requestId }) => {
      const items = await context.transact(async (tx) => {
        const before = await pricesOf(tx);
        await replacePrices(tx, body.items);
        const after = await pricesOf(tx);
        const auditEntry = { caller, action: 'changed', noun: 'llm_prices', rowId: null, requestId };
        await recordAuditEntry(tx, { ...auditEntry, before, after });
        return after;
      });
      return ok(200, { items });
    }),
    route(readBudget, async ({ params }) => ok(200, await budgetOf(context.reader, params.id))),
    route(writeBudget, async ({ params, body, caller, requestId }) => {
      const budget = await context.transact(async (tx) => {
        const { usd_per_day: before } = await budgetOf(tx, params.id);
        await setBudget(tx, params.id, body.usd_per_day);
        const auditEntry = {
          caller,
          action: 'budget changed',
          noun: 'company',
          rowId: params.id,
          companyId: params.id,
          requestId,
        };
        await recordAuditEntry(tx, { ...auditEntry, before: { usd_per_day: before }, after: body });
        await resume(tx, params.id);
        return budgetOf(tx, params.id);
      });
      return ok(200, budget);
    }),
    route(readSpending, async ({ params }) => ok(200, await spendingOf(context.reader, params.id))),
    route(costOfLead, async ({ params }) => ok(200, await costOf(context.reader, 'lead_id', params.id))),
    route(costOfDialogue, async ({ params }) => ok(200, await costOf(context.reader, 'dialogue_id', params.id))),
  ];
}

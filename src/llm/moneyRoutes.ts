import { recordDeed } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { costOfDialogue, costOfLead, readSpending } from './costContract.ts';
import { costOf, spendingOf } from './costs.ts';
import { budgetOf, pricesOf, replacePrices, setBudget } from './money.ts';
import { readBudget, readPrices, writeBudget, writePrices } from './moneyContract.ts';

/** Called in the transaction that changed a company's budget: what waited for money goes on. */
export type Resume = (tx: Tx, companyId: number) => Promise<void>;

export function moneyRoutes(ground: Ground, resume: Resume): Route[] {
  return [
    route(readPrices, async () => ok(200, { items: await pricesOf(ground.reader) })),
    route(writePrices, async ({ body, caller, requestId }) => {
      const items = await ground.transact(async (tx) => {
        const before = await pricesOf(tx);
        await replacePrices(tx, body.items);
        const after = await pricesOf(tx);
        const deed = { caller, action: 'changed', noun: 'llm_prices', rowId: null, requestId };
        await recordDeed(tx, { ...deed, before, after });
        return after;
      });
      return ok(200, { items });
    }),
    route(readBudget, async ({ params }) => ok(200, await budgetOf(ground.reader, params.id))),
    route(writeBudget, async ({ params, body, caller, requestId }) => {
      const budget = await ground.transact(async (tx) => {
        const { usd_per_day: before } = await budgetOf(tx, params.id);
        await setBudget(tx, params.id, body.usd_per_day);
        const deed = {
          caller,
          action: 'budget changed',
          noun: 'company',
          rowId: params.id,
          companyId: params.id,
          requestId,
        };
        await recordDeed(tx, { ...deed, before: { usd_per_day: before }, after: body });
        await resume(tx, params.id);
        return budgetOf(tx, params.id);
      });
      return ok(200, budget);
    }),
    route(readSpending, async ({ params }) => ok(200, await spendingOf(ground.reader, params.id))),
    route(costOfLead, async ({ params }) => ok(200, await costOf(ground.reader, 'lead_id', params.id))),
    route(costOfDialogue, async ({ params }) => ok(200, await costOf(ground.reader, 'dialogue_id', params.id))),
  ];
}

import type { AppContext } from '../platform/appContext.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { readAttentionItems } from './attention.ts';
import { readAttention } from './attentionContract.ts';
import { readSystemHealth } from './contract.ts';
import { type LocalState, readHealth } from './health.ts';

export function monitoringRoutes(context: AppContext, here: LocalState): Route[] {
  return [
    route(readSystemHealth, async () => ok(200, await readHealth(context, here))),
    route(readAttention, async ({ query: { company_id: companyId }, caller: { id: operatorId } }) =>
      ok(200, { items: await readAttentionItems(context.pool, { companyId, operatorId }) }),
    ),
  ];
}

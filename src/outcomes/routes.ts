import { stages } from '../leads/contract.ts';
import { productCosts } from '../llm/store/costs.ts';
import type { AppContext } from '../platform/appContext.ts';
import { clock } from '../platform/clock.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProduct } from '../products/product.ts';
import type { CheckGate } from '../prompts/publish.ts';
import { readDashboard } from './contract.ts';
import { experimentRoutes } from './experimentRoutes.ts';
import { outcomeLedgerRoutes } from './outcomeRoutes.ts';
import { readFigures } from './store/dashboard.ts';

export function outcomeRoutes(context: AppContext, checkGate: CheckGate): Route[] {
  return [
    route(readDashboard, async ({ query }) => {
      const product = await readProduct(context.reader, query.product_id);
      if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
      const now = Date.parse(await clock.now(context.reader));
      const [found, spent] = await Promise.all([
        readFigures(context.pool, { id: product.id, zone: product.timezone }, now),
        productCosts(context.reader, product.id),
      ]);
      const counts = new Map(found.stages.map(({ stage, count }) => [stage, count]));
      // Return every stage, in the order in which leads pass through them.
      const everyStage = stages.map((stage) => ({ stage, count: counts.get(stage) ?? 0 }));
      return ok(200, { ...found, ...spent, timezone: product.timezone, stages: everyStage });
    }),
    ...outcomeLedgerRoutes(context),
    ...experimentRoutes(context, checkGate),
  ];
}

import { stages } from '../leads/contract.ts';
import { spentOnProduct } from '../llm/costs.ts';
import { clock } from '../platform/clock.ts';
import type { Ground } from '../platform/ground.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProduct } from '../products/product.ts';
import { readDashboard } from './contract.ts';
import { figures } from './store.ts';
import { readSystemHealth } from './systemContract.ts';
import { type Here, systemHealth } from './systemHealth.ts';

export function reportRoutes(ground: Ground, here: Here): Route[] {
  return [
    route(readSystemHealth, async () => ok(200, await systemHealth(ground, here))),
    route(readDashboard, async ({ query }) => {
      const product = await readProduct(ground.reader, query.product_id);
      if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
      const now = Date.parse(await clock.now(ground.reader));
      const [found, spent] = await Promise.all([
        figures(ground.pool, { id: product.id, zone: product.timezone }, now),
        spentOnProduct(ground.reader, product.id),
      ]);
      const counts = new Map(found.stages.map(({ stage, count }) => [stage, count]));
      // Every stage is told, in the order of the way through them.
      const everyStage = stages.map((stage) => ({ stage, count: counts.get(stage) ?? 0 }));
      return ok(200, { ...found, ...spent, timezone: product.timezone, stages: everyStage });
    }),
  ];
}

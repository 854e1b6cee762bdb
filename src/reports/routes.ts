import { stages } from '../leads/contract.ts';
import { spentOnProduct } from '../llm/costs.ts';
import type { Ground } from '../platform/ground.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { readDashboard } from './contract.ts';
import { figures } from './store.ts';
import { readSystemHealth } from './systemContract.ts';
import { type Here, systemHealth } from './systemHealth.ts';

export function reportRoutes(ground: Ground, here: Here): Route[] {
  return [
    route(readSystemHealth, async () => ok(200, await systemHealth(ground, here))),
    route(readDashboard, async ({ query }) => {
      const [found, spent] = await Promise.all([
        figures(ground.pool, query.product_id),
        spentOnProduct(ground.reader, query.product_id),
      ]);
      const counts = new Map(found.stages.map(({ stage, count }) => [stage, count]));
      // Every stage is told, in the order of the way through them.
      return ok(200, { ...found, ...spent, stages: stages.map((stage) => ({ stage, count: counts.get(stage) ?? 0 })) });
    }),
  ];
}

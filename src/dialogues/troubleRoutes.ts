import type { Ground } from '../platform/ground.ts';
import { readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { countFates, retryBatch } from './retryMany.ts';
import { reasonsOf, TROUBLE_LISTING } from './store/troubles.ts';
import { countRetries, readReasons, retryMany, type Trouble, troubles } from './troubleContract.ts';

/** Messages that did not get through, over all companies. */
export function troubleRoutes(ground: Ground): Route[] {
  return [
    route(readReasons, async ({ query }) => ok(200, { items: await reasonsOf(ground.pool, query) })),
    route(troubles.list, async ({ query }) => {
      const { page, limit } = query;
      return ok(200, { ...(await readList<Trouble>(ground.pool, TROUBLE_LISTING, query, null)), page, limit });
    }),
    route(countRetries, async ({ body }) => ok(200, await countFates(ground, body))),
    route(retryMany, async ({ body, caller, requestId }) => {
      const { narrowing, ids, counted_at: since, doubtful, after } = body;
      return ok(200, await retryBatch(ground, { narrowing, ids, since, doubtful, after }, { caller, requestId }));
    }),
  ];
}

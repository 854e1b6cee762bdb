import type { Ground } from '../platform/ground.ts';
import { readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
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
    route(troubles.get, async ({ params }) => {
      const { items } = await readList<Trouble>(
        ground.pool,
        TROUBLE_LISTING,
        { page: 1, limit: 1, order: 'desc', order_by: 'id', with_total: false, id: [params.id] },
        null,
      );
      const [trouble] = items;
      if (!trouble) throw refuse(commonRefusals, 'not_found', { noun: 'message in trouble' });
      return ok(200, trouble);
    }),
    route(countRetries, async ({ body }) => ok(200, await countFates(ground, body))),
    route(retryMany, async ({ body, caller, requestId }) => {
      const { narrowing, ids, counted_at: since, doubtful, after } = body;
      return ok(200, await retryBatch(ground, { narrowing, ids, since, doubtful, after }, { caller, requestId }));
    }),
  ];
}

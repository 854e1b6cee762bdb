import type { AppContext } from '../platform/appContext.ts';
import { readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import {
  countRetries,
  type DeliveryFailure,
  deliveryFailures,
  listFailureReasons,
  retryMessages,
} from './deliveryFailureContract.ts';
import { countRetryOutcomes, retryNextBatch } from './retryMessages.ts';
import { countByReason, DELIVERY_FAILURE_LISTING } from './store/deliveryFailures.ts';

/** Routes of delivery failures, over all companies. */
export function deliveryFailureRoutes(context: AppContext): Route[] {
  return [
    route(listFailureReasons, async ({ query }) => ok(200, { items: await countByReason(context.pool, query) })),
    route(deliveryFailures.list, async ({ query }) => {
      const { page, limit } = query;
      return ok(200, {
        ...(await readList<DeliveryFailure>(context.pool, {
          listing: DELIVERY_FAILURE_LISTING,
          query,
          companies: null,
        })),
        page,
        limit,
      });
    }),
    route(deliveryFailures.get, async ({ params }) => {
      const { items } = await readList<DeliveryFailure>(context.pool, {
        listing: DELIVERY_FAILURE_LISTING,
        query: { page: 1, limit: 1, order: 'desc', order_by: 'id', with_total: false, id: [params.id] },
        companies: null,
      });
      const [failure] = items;
      if (!failure) throw refuse(commonRefusals, 'not_found', { noun: 'delivery failure' });
      return ok(200, failure);
    }),
    route(countRetries, async ({ body }) => ok(200, await countRetryOutcomes(context, body))),
    route(retryMessages, async ({ body, caller, requestId }) => {
      const { narrowing, ids, counted_at: since, doubtful: allowDuplicates, after } = body;
      return ok(
        200,
        await retryNextBatch(context, { narrowing, ids, since, allowDuplicates, after }, { caller, requestId }),
      );
    }),
  ];
}

import { selectInboundProduct } from '../channels/store.ts';
import { conversationRefusals } from '../conversations/refusals.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { adoptableReasons, adoptIgnoredItem, listIgnoredItems } from './ignoredContract.ts';
import { adoptItem, lockIgnoredItem, readIgnoredItems } from './store/ignored.ts';

/** Routes of what was ignored: a list for each channel, and making a lead of a sender. */
export function ignoredRoutes(context: AppContext): Route[] {
  return [
    route(listIgnoredItems, async ({ params, query, caller }) => {
      const { reason = null, before = null, limit } = query;
      const { companies } = caller;
      return ok(
        200,
        await readIgnoredItems(context.reader, { channelId: params.id, companies, reason, before, limit }),
      );
    }),
    route(adoptIgnoredItem, async ({ params: { id }, caller, requestId }) => {
      await context.transact(async (tx) => {
        const item = await lockIgnoredItem(tx, id);
        if (!item) throw refuse(commonRefusals, 'not_found', { noun: 'message' });
        if (!adoptableReasons.some((one) => one === item.reason)) throw refuse(conversationRefusals, 'ignored.nobody');
        const product = await selectInboundProduct(tx, item.channel_id);
        if (!product) throw refuse(conversationRefusals, 'ignored.no_product');
        await adoptItem(tx, id);
        await recordAuditEntry(tx, {
          caller,
          action: 'lead from ignored message',
          noun: 'channel',
          rowId: item.channel_id,
          productId: product.id,
          requestId,
        });
      });
      return ok(202, { accepted: 1 });
    }),
  ];
}

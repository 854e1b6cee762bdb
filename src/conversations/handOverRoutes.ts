import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { retryHandOver, summarizeDialogue } from './handOverContract.ts';
import { conversationRefusals } from './refusals.ts';
import { lockDialogue } from './store/dialogues.ts';
import { retryNewestHandOver } from './store/handOvers.ts';
import { summarizeNow } from './summarize.ts';

export function handOverRoutes(context: AppContext): Route[] {
  return [
    route(summarizeDialogue, async ({ params, caller, requestId }) =>
      ok(200, await summarizeNow(context, params.id, { caller, requestId })),
    ),
    route(retryHandOver, async ({ params: { id }, caller, requestId }) => {
      const handOver = await context.transact(async (tx) => {
        const dialogue = await lockDialogue(tx, id);
        if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
        const retried = await retryNewestHandOver(tx, id);
        if (!retried) throw refuse(conversationRefusals, 'hand_over.not_failed');
        const { product_id: productId } = dialogue;
        await recordAuditEntry(tx, {
          caller,
          action: 'hand-over retried',
          noun: 'dialogue',
          rowId: id,
          productId,
          requestId,
        });
        notify(tx, { topic: 'dialogue', product: productId, ids: [id] });
        return retried;
      });
      return ok(200, handOver);
    }),
  ];
}

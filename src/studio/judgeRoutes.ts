import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { modelFor, readProduct } from '../products/product.ts';
import { judgeName, readJudgeCalibration } from './judge/calibration.ts';
import { type JudgePair, labelJudgePair, listJudgePairs, readCalibration } from './judgeContract.ts';
import { labelPair, PAIRS } from './store/pairs.ts';

export function judgeRoutes(context: AppContext): Route[] {
  const judgeOf = async (productId: number) => {
    const product = await readProduct(context.reader, productId);
    if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
    return modelFor(context, product.config, 'judge');
  };
  const listPairs = async (filter: object, companies: readonly number[] | null) => {
    const query = { page: 1, limit: 1, order: 'desc' as const, order_by: 'id', with_total: true, ...filter };
    const found = await readList<JudgePair>(context.pool, { listing: PAIRS, query, companies });
    return { ...found, page: query.page, limit: query.limit };
  };
  return [
    route(listJudgePairs, async ({ query, caller }) => {
      const { product_id: productId, lead_id: leadId, is_labelled: isLabelled, ...rest } = query;
      const judge = await judgeOf(productId);
      const filter = {
        product_id: [productId],
        // Labels of pairs of another judge say nothing of this one.
        ...(leadId === undefined ? { judge: [judgeName(judge)] } : { lead_id: [leadId] }),
        ...(isLabelled === undefined ? {} : { is_labelled: [isLabelled] }),
      };
      return ok(200, await listPairs({ ...rest, ...filter }, caller.companies));
    }),
    route(labelJudgePair, async ({ params: { id }, body: { label }, caller, requestId }) => {
      await context.transact(async (tx) => {
        const pair = await labelPair(tx, { id, label, login: caller.login });
        if (!pair) throw refuse(commonRefusals, 'not_found', { noun: 'pair' });
        const productId = pair.product_id;
        const entry = { caller, requestId, action: 'labelled', noun: 'studio_pair', rowId: id, productId };
        await recordAuditEntry(tx, { ...entry, after: { label } });
        notify(tx, { topic: 'studio_pair', product: productId, ids: [id] });
      });
      const [pair] = (await listPairs({ id: [id] }, caller.companies)).items;
      if (!pair) throw refuse(commonRefusals, 'not_found', { noun: 'pair' });
      return ok(200, pair);
    }),
    route(readCalibration, async ({ query }) => {
      const { product_id: productId, run_id: runId = null } = query;
      const judge = await judgeOf(productId);
      return ok(200, await readJudgeCalibration(context.reader, { productId, judge, runId }));
    }),
  ];
}

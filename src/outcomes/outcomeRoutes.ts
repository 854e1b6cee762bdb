import type { AppContext } from '../platform/appContext.ts';
import { clock } from '../platform/clock.ts';
import { dayAt, parseDay } from '../platform/days.ts';
import { readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProduct } from '../products/product.ts';
import { readOutcomeSpending, readRefusals, readResponseTimes } from './insightContract.ts';
import {
  listOutcomes,
  type OutcomeFilter,
  type OutcomeRow,
  readOutcomeCohorts,
  readOutcomeStrip,
  readOutcomesBy,
  readOutcomesByStep,
} from './outcomeContract.ts';
import { readRefusalGroups, readSpent, readWaits } from './readInsights.ts';
import { type OutcomeQuestion, readBy, readSteps, readStrip } from './readOutcomes.ts';
import { readWeeklyReport } from './reportContract.ts';
import { listFilter, OUTCOME_LISTING } from './store/outcomes.ts';
import { readReport } from './weeklyReport.ts';

/** Routes of the ledger of outcomes. */
export function outcomeLedgerRoutes(context: AppContext): Route[] {
  const productOf = async (productId: number) => {
    const product = await readProduct(context.reader, productId);
    if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
    return product;
  };
  const readZone = async (productId: number): Promise<string> => (await productOf(productId)).timezone;
  const question = async (filter: OutcomeFilter): Promise<OutcomeQuestion> => ({
    filter,
    zone: await readZone(filter.product_id),
    now: Date.parse(await clock.now(context.reader)),
  });
  return [
    route(listOutcomes, async ({ query }) => {
      const { page, limit } = query;
      const found = await readList<OutcomeRow>(context.pool, {
        listing: OUTCOME_LISTING,
        query: listFilter(query, await readZone(query.product_id)),
        companies: null,
      });
      return ok(200, { ...found, page, limit });
    }),
    route(readOutcomeStrip, async ({ query }) => ok(200, await readStrip(context.pool, await question(query)))),
    route(readOutcomesByStep, async ({ query }) =>
      ok(200, { items: await readSteps(context.pool, await question(query)) }),
    ),
    route(readOutcomesBy, async ({ params, query }) =>
      ok(200, { items: await readBy(context.pool, params.dimension, await question(query)) }),
    ),
    route(readRefusals, async ({ query }) => ok(200, await readRefusalGroups(context.pool, await question(query)))),
    route(readResponseTimes, async ({ query }) => ok(200, await readWaits(context.pool, await question(query)))),
    route(readOutcomeSpending, async ({ query: { by, ...filter } }) =>
      ok(200, await readSpent(context.pool, { ...(await question(filter)), by })),
    ),
    route(readWeeklyReport, async ({ query }) => {
      const product = await productOf(query.product_id);
      const now = Date.parse(await clock.now(context.reader));
      const day = query.week === undefined ? dayAt(product.timezone, now) - 7 : parseDay(query.week);
      return ok(200, await readReport(context, { product, day, now }));
    }),
    route(readOutcomeCohorts, async ({ query }) => {
      const weeks = await readBy(context.pool, 'week', await question(query));
      const items = weeks.map(({ value, label: _label, previous: _previous, ...rest }) => ({
        ...rest,
        week: String(value),
      }));
      return ok(200, { items });
    }),
  ];
}

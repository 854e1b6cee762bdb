import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { type ProductConfig, productLlm, productRefusals, products } from './contract.ts';
import { modelFor, readProduct } from './product.ts';
import { longDayAfter } from './quotaDay.ts';
import { countDependants, quotaClockOf } from './store.ts';

const isoOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

/**
 * Refuse a config that refers to another product's rows; `productId` is null for a product that is about to be created.
 */
type CheckConfig = (tx: Tx, config: ProductConfig, productId: number | null) => Promise<void>;

export function productRoutes(context: AppContext, checkConfig: CheckConfig): Route[] {
  const crudRoutes = resource(context, products, {
    table: 'products',
    from: 'products t',
    select: {
      id: 't.id',
      name: 't.name',
      company_id: 't.company_id',
      crm_id: 't.crm_id',
      is_active: 't.is_active',
      timezone: 't.timezone',
      config: 't.config',
      reply_hours: 't.reply_hours',
      created_at: 't.created_at',
      version: 't.revision',
    },
    search: ['t.name'],
    scopeCondition: 't.company_id = any($)',
    id: 't.id',
  });
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(async (tx, body) => {
      await checkConfig(tx, body.config, null);
      return body;
    }),
    ...crudRoutes.replace(async (tx, { before, body }) => {
      await checkConfig(tx, body.config, before.id);
      if (body.company_id !== before.company_id) {
        const { leads, links } = await countDependants(tx, before.id);
        if (leads + links > 0) throw refuse(productRefusals, 'product.company_fixed');
      }
      if (body.timezone === before.timezone) return body;
      const { now, ...clock } = await quotaClockOf(tx, before.id);
      const longDay = longDayAfter(clock, body.timezone, now);
      return { ...body, long_day_from: isoOf(longDay?.from), long_day_until: isoOf(longDay?.until) };
    }),
    crudRoutes.remove(async (tx, before) => {
      const { leads } = await countDependants(tx, before.id);
      if (leads > 0) throw refuse(productRefusals, 'product.has_leads', { count: leads });
      return undefined;
    }),
    route(productLlm, async ({ params }) => {
      const product = await readProduct(context.reader, params.id);
      if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
      const { vendor, model, temperature, isDefault } = modelFor(context, product.config, 'chatbot');
      return ok(200, { vendor, model, temperature, is_default: isDefault });
    }),
  ];
}

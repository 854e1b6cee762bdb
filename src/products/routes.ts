import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import {
  type Product,
  type ProductConfig,
  pauseOutreach,
  productLlm,
  productRefusals,
  products,
  resumeOutreach,
} from './contract.ts';
import { previousLimitsAfter } from './previousLimits.ts';
import { modelFor, readProduct } from './product.ts';
import { longDayAfter } from './quotaDay.ts';
import { countLeads, firstMessageClockOf, isTiedToCompany, setOutreachPaused } from './store.ts';

const isoOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

/**
 * Refuse a config that refers to rows that it must not, or whose text has errors; `before` is null for a product that is
 * about to be created.
 */
type CheckConfig = (
  tx: Tx,
  config: ProductConfig,
  change: {
    readonly before: { readonly id: number; readonly config: ProductConfig } | null;
    /** Errors of the first message's text that the operator confirms. */
    readonly confirmed: readonly string[] | undefined;
  },
) => Promise<void>;

const PRODUCT_COLUMNS = {
  id: 't.id',
  name: 't.name',
  company_id: 't.company_id',
  crm_id: 't.crm_id',
  is_active: 't.is_active',
  timezone: 't.timezone',
  config: 't.config',
  reply_hours: 't.reply_hours',
  tag_rules: 't.tag_rules',
  target_minutes: 't.target_minutes',
  return_to_bot_hours: 't.return_to_bot_hours',
  hand_over: 't.hand_over',
  hand_over_text: 't.hand_over_text',
  round_robin: 't.round_robin',
  bot_reads_notes: 't.bot_reads_notes',
  outreach_paused_at: 't.outreach_paused_at',
  outreach_paused_by: 't.outreach_paused_by',
  created_at: 't.created_at',
  version: 't.revision',
};

export function productRoutes(context: AppContext, checkConfig: CheckConfig): Route[] {
  const crudRoutes = resource(context, products, {
    table: 'products',
    from: 'products t',
    select: PRODUCT_COLUMNS,
    search: ['t.name'],
    scopeCondition: 't.company_id = any($)',
    id: 't.id',
  });
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(async (tx, { confirm_errors: confirmed, ...body }) => {
      await checkConfig(tx, body.config, { before: null, confirmed });
      return body;
    }),
    ...crudRoutes.replace(async (tx, { before, body: { confirm_errors: confirmed, ...body } }) => {
      await checkConfig(tx, body.config, { before, confirmed });
      if (body.company_id !== before.company_id) {
        if (await isTiedToCompany(tx, before.id)) throw refuse(productRefusals, 'product.company_fixed');
      }
      return { ...body, ...(await clockAfter(tx, before, body)) };
    }),
    crudRoutes.remove(async (tx, before) => {
      const leads = await countLeads(tx, before.id);
      if (leads > 0) throw refuse(productRefusals, 'product.has_leads', { count: leads });
      return undefined;
    }),
    ...outreachRoutes(context, (reader, id) => crudRoutes.read(reader, id)),
    route(productLlm, async ({ params }) => {
      const product = await readProduct(context.reader, params.id);
      if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
      const { vendor, model, temperature, isDefault } = modelFor(context, product.config, 'chatbot');
      return ok(200, { vendor, model, temperature, is_default: isDefault });
    }),
  ];
}

type ClockSettings = Pick<Product, 'timezone' | 'config'>;

/** Compute what a change of settings does to the running day: which span it counts, and which limits hold until when. */
async function clockAfter(tx: Tx, before: ClockSettings & { readonly id: number }, after: ClockSettings) {
  const clock = await firstMessageClockOf(tx, before.id);
  const longDay = longDayAfter(clock, after.timezone, clock.now);
  const previousLimits = previousLimitsAfter(
    { zone: before.timezone, messagingConfig: before.config.messaging_config, previousLimits: clock.previousLimits },
    { zone: after.timezone, messagingConfig: after.config.messaging_config },
    clock.now,
  );
  return {
    long_day_from: isoOf(longDay?.from),
    long_day_until: isoOf(longDay?.until),
    previous_limits: previousLimits && previousLimits.limits,
    previous_limits_until: isoOf(previousLimits?.until),
  };
}

/** Pause and resume outreach. In that state already: nothing changes, and nothing is recorded. */
function outreachRoutes(context: AppContext, read: (reader: Reader, id: number) => Promise<Product | null>): Route[] {
  const switchTo = async (
    id: number,
    action: 'outreach paused' | 'outreach resumed',
    { caller, requestId }: WriteContext,
  ): Promise<Product> =>
    context.transact(async (tx) => {
      const before = await read(tx, id);
      const isChanged = await setOutreachPaused(tx, id, action === 'outreach paused' ? caller.login : null);
      const after = await read(tx, id);
      if (!after) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
      if (!isChanged) return after;
      const about = { noun: 'product', rowId: id, productId: id, companyId: after.company_id };
      await recordAuditEntry(tx, { caller, requestId, action, ...about, before, after });
      notify(tx, { topic: 'product', product: id, ids: [id] });
      return after;
    });
  return [
    route(pauseOutreach, async ({ params, caller, requestId }) =>
      ok(200, await switchTo(params.id, 'outreach paused', { caller, requestId })),
    ),
    route(resumeOutreach, async ({ params, caller, requestId }) =>
      ok(200, await switchTo(params.id, 'outreach resumed', { caller, requestId })),
    ),
  ];
}

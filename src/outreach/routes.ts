import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { AppContext } from '../platform/appContext.ts';
import type { BodyOf, Endpoint } from '../platform/contract.ts';
import type { Crud } from '../platform/crud.ts';
import { type Tx, violatedConstraint } from '../platform/db.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { DEFAULT_PRODUCT_ZONE } from '../products/contract.ts';
import { PRODUCT_SCOPE, readProduct } from '../products/product.ts';
import { requirePreparedType } from '../prompts/preparedType.ts';
import { type CountUses, type PromptReferenceSource, requireSameProduct } from '../prompts/promptReferences.ts';
import { outreachRefusals, pingConfigOfProduct, pingConfigs, scheduleOfProduct, schedules } from './contract.ts';
import { handBackRoute, rehearsalRoutes } from './rehearsalRoutes.ts';
import { newScheduleZone } from './schedule.ts';
import { countStepsUsing, findSettingId, readStepPrompts } from './store/settings.ts';

/** Count follow-up steps that refer to a prompt or prepared message. */
export const countStepUses: CountUses = async (tx, { resource, id, productId }) => ({
  what: 'ping step(s)',
  count: resource === 'document_prompt' ? 0 : await countStepsUsing(tx, { field: `${resource}_id`, id, productId }),
});

/** Prompts that write follow-up steps. */
export const stepPrompts: PromptReferenceSource = { use: 'ping_step', read: readStepPrompts };

/** Create the routes of outreach. A product has one setting of each kind. */
export function outreachRoutes(context: AppContext): Route[] {
  return [
    ...rehearsalRoutes(context),
    handBackRoute(context),
    ...settingRoutes(context, {
      crud: schedules,
      ofProduct: scheduleOfProduct,
      source: {
        table: 'schedules',
        resourceName: 'schedule',
        select: { timezone: 't.timezone', config: 't.config' },
        complete: async (tx, body: BodyOf<typeof schedules.create>) => ({
          ...body,
          timezone:
            body.timezone ??
            newScheduleZone((await readProduct(tx, body.product_id))?.timezone ?? DEFAULT_PRODUCT_ZONE),
        }),
      },
    }),
    ...settingRoutes(context, {
      crud: pingConfigs,
      ofProduct: pingConfigOfProduct,
      source: {
        table: 'ping_configs',
        resourceName: 'ping configuration',
        select: { is_enabled: 't.is_enabled', config: 't.config' },
        check: async (tx, body: BodyOf<typeof pingConfigs.create>, before) => {
          const { steps } = body.config;
          const prepared = steps.map((step) => step.prepared_message_id);
          const prompts = steps.map((step) => step.prompt_id);
          await requireSameProduct(tx, { noun: 'prepared_message', ids: prepared, productId: body.product_id });
          await requireSameProduct(tx, { noun: 'prompt', ids: prompts, productId: body.product_id });
          // What is stored can still be switched off.
          if (before && isDeepStrictEqual(body.config, Reflect.get(before, 'config'))) return;
          const references = prepared.map((id, index) => ({
            id,
            loc: ['config', 'steps', index, 'prepared_message_id'],
          }));
          await requirePreparedType(tx, 'ping', references);
        },
      },
    }),
  ];
}

type Setting = { product_id: number };
type OfProduct = Endpoint<z.ZodObject<{ product_id: z.ZodInt }>>;

function settingRoutes<I extends z.ZodObject, B extends z.ZodType<Setting>, F extends z.ZodRawShape>(
  context: AppContext,
  {
    crud,
    ofProduct,
    source,
  }: {
    crud: Crud<I, B, B, F>;
    ofProduct: OfProduct;
    source: {
      table: 'schedules' | 'ping_configs';
      resourceName: string;
      select: Record<string, string>;
      /** `before`: the row as it is; null for one that is about to be created. */
      check?: (tx: Tx, body: z.output<B>, before: object | null) => Promise<void>;
      /** Fills in what a new setting leaves out. */
      complete?: (tx: Tx, body: z.output<B>) => Promise<z.output<B>>;
    };
  },
): Route[] {
  const { table, resourceName } = source;
  const crudRoutes = resource(context, crud, {
    table,
    from: `${table} t`,
    select: {
      id: 't.id',
      product_id: 't.product_id',
      ...source.select,
      created_at: 't.created_at',
      version: 't.revision',
    },
    search: [],
    ...PRODUCT_SCOPE,
    id: 't.id',
  });
  const createRoute = crudRoutes.create(async (tx, body) => {
    await source.check?.(tx, body, null);
    if ((await findSettingId(tx, table, body.product_id)) !== undefined)
      throw refuse(outreachRefusals, 'setting.exists', { noun: resourceName });
    return source.complete ? source.complete(tx, body) : body;
  });
  return [
    crudRoutes.list,
    crudRoutes.get,
    {
      ...createRoute,
      handle: async (call) => {
        try {
          return await createRoute.handle(call);
        } catch (error) {
          // Of two concurrent requests, the unique index lets one through.
          if (violatedConstraint(error)?.name === `${table}_product_id_key`)
            throw refuse(outreachRefusals, 'setting.exists', { noun: resourceName });
          throw error;
        }
      },
    },
    ...crudRoutes.replace(async (tx, { before, body }) => {
      if (body.product_id !== (before as unknown as Setting).product_id)
        throw refuse(outreachRefusals, 'setting.product_fixed', { noun: resourceName });
      await source.check?.(tx, body, before);
      return body;
    }),
    crudRoutes.remove(),
    route(ofProduct, async ({ params }) => {
      const id = await findSettingId(context.reader, table, params.product_id);
      const setting = id === undefined ? null : await crudRoutes.read(context.reader, id);
      if (!setting) throw refuse(commonRefusals, 'not_found', { noun: resourceName });
      return ok(200, setting) as never;
    }),
  ];
}

import type { z } from 'zod';
import type { BodyOf, Endpoint } from '../platform/contract.ts';
import type { Crud } from '../platform/crud.ts';
import { brokenConstraint, type Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { type CountUses, mustBelong, type ReferringUse } from '../prompts/known.ts';
import { outreachRefusals, pingConfigOfProduct, pingConfigs, scheduleOfProduct, schedules } from './contract.ts';
import { rehearsalRoutes } from './rehearsalRoutes.ts';
import { countSteps, idOfProduct, promptsOfSteps } from './store/settings.ts';

const WITHIN = 't.product_id in (select id from products where company_id = any($))';

/** Ping steps that point to a prompt or prepared message. */
export const pingUses: CountUses = async (tx, noun, id, productId) => ({
  what: 'ping step(s)',
  count: noun === 'document_prompt' ? 0 : await countSteps(tx, `${noun}_id`, id, productId),
});

/** Prompts that write the steps of follow-ups. */
export const pingPrompts: ReferringUse = { use: 'ping_step', read: promptsOfSteps };

/** Settings of which a product has one of each kind. */
export function outreachRoutes(ground: Ground): Route[] {
  return [
    ...rehearsalRoutes(ground),
    ...settingRoutes(ground, schedules, scheduleOfProduct, {
      table: 'schedules',
      noun: 'schedule',
      select: { timezone: 't.timezone', config: 't.config' },
    }),
    ...settingRoutes(ground, pingConfigs, pingConfigOfProduct, {
      table: 'ping_configs',
      noun: 'ping configuration',
      select: { is_enabled: 't.is_enabled', config: 't.config' },
      check: async (tx, body: BodyOf<typeof pingConfigs.create>) => {
        const { steps } = body.config;
        const prepared = steps.map((step) => step.prepared_message_id);
        const prompts = steps.map((step) => step.prompt_id);
        await mustBelong(tx, 'prepared_message', prepared, body.product_id);
        await mustBelong(tx, 'prompt', prompts, body.product_id);
      },
    }),
  ];
}

type Setting = { product_id: number };
type OfProduct = Endpoint<z.ZodObject<{ product_id: z.ZodInt }>>;

function settingRoutes<I extends z.ZodObject, B extends z.ZodType<Setting>, F extends z.ZodRawShape>(
  ground: Ground,
  crud: Crud<I, B, B, F>,
  ofProduct: OfProduct,
  source: {
    table: 'schedules' | 'ping_configs';
    noun: string;
    select: Record<string, string>;
    check?: (tx: Tx, body: z.output<B>) => Promise<void>;
  },
): Route[] {
  const { table, noun } = source;
  const plain = resource(ground, crud, {
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
    within: WITHIN,
    id: 't.id',
  });
  const created = plain.create(async (tx, body) => {
    await source.check?.(tx, body);
    if ((await idOfProduct(tx, table, body.product_id)) !== undefined)
      throw refuse(outreachRefusals, 'setting.exists', { noun });
    return body;
  });
  return [
    plain.list,
    plain.get,
    {
      ...created,
      handle: async (call) => {
        try {
          return await created.handle(call);
        } catch (error) {
          // Two at once: the index decides.
          if (brokenConstraint(error)?.name === `${table}_product_id_key`)
            throw refuse(outreachRefusals, 'setting.exists', { noun });
          throw error;
        }
      },
    },
    ...plain.replace(async (tx, before, body) => {
      if (body.product_id !== (before as unknown as Setting).product_id)
        throw refuse(outreachRefusals, 'setting.product_fixed', { noun });
      await source.check?.(tx, body);
      return body;
    }),
    plain.remove(),
    route(ofProduct, async ({ params }) => {
      const id = await idOfProduct(ground.reader, table, params.product_id);
      const found = id === undefined ? null : await plain.read(ground.reader, id);
      if (!found) throw refuse(commonRefusals, 'not_found', { noun });
      return ok(200, found) as never;
    }),
  ];
}

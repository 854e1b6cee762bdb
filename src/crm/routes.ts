import { recordDeed } from '../platform/audit.ts';
import { brokenConstraint, type Reader, type Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import type { Caller } from '../platform/http/caller.ts';
import { readList } from '../platform/http/listQuery.ts';
import { mustMatch, resource, wholeAfter } from '../platform/http/resource.ts';
import { type Call, ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { Expected } from '../platform/rowVersion.ts';
import { amocrmRoutes, type CrmHooks } from './amocrmRoutes.ts';
import { crmIntegrations, crmRefusals, type ProductIntegration, productIntegrations } from './contract.ts';
import { leaveAccount } from './disconnect.ts';
import { countProductsOf, deletePair, findPair, insertPair, lockPair, updatePair } from './store.ts';

export function crmRoutes(ground: Ground, hooks: CrmHooks): Route[] {
  const plain = resource(ground, crmIntegrations, {
    table: 'crm_integrations',
    from: 'crm_integrations t',
    select: {
      id: 't.id',
      company_id: 't.company_id',
      name: 't.name',
      crm_type: 't.crm_type',
      is_active: 't.is_active',
      created_at: 't.created_at',
    },
    search: ['t.name'],
    within: 't.company_id = any($)',
    id: 't.id',
  });
  const removal = plain.remove(async (tx, before) => {
    const count = await countProductsOf(tx, before.id);
    if (count > 0) throw refuse(crmRefusals, 'integration.used', { count });
    return undefined;
  });
  return [
    plain.list,
    plain.get,
    route(crmIntegrations.remove, async (call) => {
      // amoCRM is told first: with the row the keys to it go.
      if ((await countProductsOf(ground.reader, call.params.id)) === 0) await leaveAccount(ground, call.params.id);
      await removal.handle(call);
      return ok(204, null);
    }),
    ...pairRoutes(ground),
    ...amocrmRoutes(ground, hooks),
  ];
}

type Pair = Pick<ProductIntegration, 'product_id' | 'crm_integration_id'>;

function pairRoutes(ground: Ground): Route[] {
  async function mustFind(reader: Reader, productId: number, integrationId: number): Promise<ProductIntegration> {
    const found = await findPair(reader, productId, integrationId);
    if (!found) throw refuse(commonRefusals, 'not_found', { noun: 'product integration' });
    return found;
  }

  const record = (
    tx: Tx,
    by: { caller: Caller; requestId: string },
    action: string,
    before: ProductIntegration | null,
    after: ProductIntegration | null,
  ) =>
    recordDeed(tx, {
      ...by,
      action,
      noun: 'product_integration',
      rowId: (after ?? before)?.id ?? null,
      productId: (after ?? before)?.product_id ?? null,
      before,
      after,
    });

  async function mustLock(tx: Tx, pair: Pair, ifMatch: Expected | null): Promise<ProductIntegration> {
    await lockPair(tx, pair.product_id, pair.crm_integration_id);
    const before = await mustFind(tx, pair.product_id, pair.crm_integration_id);
    await mustMatch(tx, { noun: 'product_integration', rowId: before.id, item: before }, ifMatch);
    return before;
  }

  async function change({ params, body, caller, requestId, ifMatch }: Call<typeof productIntegrations.replace>) {
    const changed = await ground.transact(async (tx) => {
      const before = await mustLock(tx, params, ifMatch);
      const whole = wholeAfter(productIntegrations.update, before, body);
      if (whole === null) return before;
      if (whole.product_id !== before.product_id || whole.crm_integration_id !== before.crm_integration_id)
        throw refuse(crmRefusals, 'integration.pair_fixed');
      await updatePair(tx, before.id, whole.config);
      const after = await mustFind(tx, params.product_id, params.crm_integration_id);
      await record(tx, { caller, requestId }, 'changed', before, after);
      return after;
    });
    return ok(200, changed);
  }

  return [
    route(productIntegrations.list, async ({ query, caller }) => {
      const found = await readList<ProductIntegration>(
        ground.pool,
        {
          from: 'product_integrations t',
          select: {
            id: 't.id',
            product_id: 't.product_id',
            crm_integration_id: 't.crm_integration_id',
            config: 't.config',
            created_at: 't.created_at',
            version: 't.revision',
          },
          search: [],
          within: 't.company_id = any($)',
          id: 't.id',
        },
        query,
        caller.companies,
      );
      return ok(200, { ...found, page: query.page, limit: query.limit });
    }),
    route(productIntegrations.get, async ({ params }) =>
      ok(200, await mustFind(ground.reader, params.product_id, params.crm_integration_id)),
    ),
    route(productIntegrations.create, async ({ body, caller, requestId }) => {
      try {
        const made = await ground.transact(async (tx) => {
          // An integration of another company answers like a missing one.
          if (!(await insertPair(tx, body))) throw refuse(commonRefusals, 'not_found', { noun: 'crm integration' });
          const after = await mustFind(tx, body.product_id, body.crm_integration_id);
          await record(tx, { caller, requestId }, 'created', null, after);
          return after;
        });
        return ok(201, made);
      } catch (error) {
        if (brokenConstraint(error)?.kind === 'unique') throw refuse(crmRefusals, 'integration.exists');
        throw error;
      }
    }),
    route(productIntegrations.replace, change),
    route(productIntegrations.change, change),
    route(productIntegrations.remove, async ({ params, caller, requestId, ifMatch }) => {
      await ground.transact(async (tx) => {
        const before = await mustLock(tx, params, ifMatch);
        await deletePair(tx, before.id);
        await record(tx, { caller, requestId }, 'deleted', before, null);
      });
      return ok(204, null);
    }),
  ];
}

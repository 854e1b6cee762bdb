import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { type Reader, type Tx, violatedConstraint } from '../platform/db.ts';
import type { Caller } from '../platform/http/caller.ts';
import { readList } from '../platform/http/listQuery.ts';
import { applyUpdate, requireVersion, resource } from '../platform/http/resource.ts';
import { type Call, ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { ExpectedVersions } from '../platform/rowVersion.ts';
import { amocrmRoutes, type CrmDependencies } from './amocrmRoutes.ts';
import { crmIntegrations, crmRefusals, type ProductIntegration, productIntegrations } from './contract.ts';
import { unsubscribeAccount } from './disconnect.ts';
import {
  countProductsOf,
  deleteProductIntegration,
  findProductIntegration,
  insertProductIntegration,
  lockProductIntegration,
  updateProductIntegration,
} from './store.ts';

export function crmRoutes(context: AppContext, dependencies: CrmDependencies): Route[] {
  const crudRoutes = resource(context, crmIntegrations, {
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
    scopeCondition: 't.company_id = any($)',
    id: 't.id',
  });
  const removal = crudRoutes.remove(async (tx, before) => {
    const count = await countProductsOf(tx, before.id);
    if (count > 0) throw refuse(crmRefusals, 'integration.used', { count });
    return undefined;
  });
  return [
    crudRoutes.list,
    crudRoutes.get,
    route(crmIntegrations.remove, async (call) => {
      // Unsubscribe first: deleting the row deletes the keys to amoCRM.
      if ((await countProductsOf(context.reader, call.params.id)) === 0)
        await unsubscribeAccount(context, call.params.id);
      await removal.handle(call);
      return ok(204, null);
    }),
    ...productIntegrationRoutes(context),
    ...amocrmRoutes(context, dependencies),
  ];
}

type IntegrationKey = Pick<ProductIntegration, 'product_id' | 'crm_integration_id'>;

function productIntegrationRoutes(context: AppContext): Route[] {
  async function findOrRefuse(reader: Reader, productId: number, integrationId: number): Promise<ProductIntegration> {
    const result = await findProductIntegration(reader, productId, integrationId);
    if (!result) throw refuse(commonRefusals, 'not_found', { noun: 'product integration' });
    return result;
  }

  const record = (
    tx: Tx,
    by: { caller: Caller; requestId: string },
    action: string,
    before: ProductIntegration | null,
    after: ProductIntegration | null,
  ) =>
    recordAuditEntry(tx, {
      ...by,
      action,
      noun: 'product_integration',
      rowId: (after ?? before)?.id ?? null,
      productId: (after ?? before)?.product_id ?? null,
      before,
      after,
    });

  async function lockOrRefuse(
    tx: Tx,
    key: IntegrationKey,
    ifMatch: ExpectedVersions | null,
  ): Promise<ProductIntegration> {
    await lockProductIntegration(tx, key.product_id, key.crm_integration_id);
    const before = await findOrRefuse(tx, key.product_id, key.crm_integration_id);
    await requireVersion(tx, { noun: 'product_integration', rowId: before.id, item: before }, ifMatch);
    return before;
  }

  async function change({ params, body, caller, requestId, ifMatch }: Call<typeof productIntegrations.replace>) {
    const changed = await context.transact(async (tx) => {
      const before = await lockOrRefuse(tx, params, ifMatch);
      const newSettings = applyUpdate(productIntegrations.update, before, body);
      if (newSettings === null) return before;
      if (newSettings.product_id !== before.product_id || newSettings.crm_integration_id !== before.crm_integration_id)
        throw refuse(crmRefusals, 'integration.pair_fixed');
      await updateProductIntegration(tx, before.id, newSettings.config);
      const after = await findOrRefuse(tx, params.product_id, params.crm_integration_id);
      await record(tx, { caller, requestId }, 'changed', before, after);
      return after;
    });
    return ok(200, changed);
  }

  return [
    route(productIntegrations.list, async ({ query, caller }) => {
      const result = await readList<ProductIntegration>(
        context.pool,
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
          scopeCondition: 't.company_id = any($)',
          id: 't.id',
        },
        query,
        caller.companies,
      );
      return ok(200, { ...result, page: query.page, limit: query.limit });
    }),
    route(productIntegrations.get, async ({ params }) =>
      ok(200, await findOrRefuse(context.reader, params.product_id, params.crm_integration_id)),
    ),
    route(productIntegrations.create, async ({ body, caller, requestId }) => {
      try {
        const created = await context.transact(async (tx) => {
          // An integration of another company is answered like a missing one.
          if (!(await insertProductIntegration(tx, body)))
            throw refuse(commonRefusals, 'not_found', { noun: 'crm integration' });
          const after = await findOrRefuse(tx, body.product_id, body.crm_integration_id);
          await record(tx, { caller, requestId }, 'created', null, after);
          return after;
        });
        return ok(201, created);
      } catch (error) {
        if (violatedConstraint(error)?.kind === 'unique') throw refuse(crmRefusals, 'integration.exists');
        throw error;
      }
    }),
    route(productIntegrations.replace, change),
    route(productIntegrations.change, change),
    route(productIntegrations.remove, async ({ params, caller, requestId, ifMatch }) => {
      await context.transact(async (tx) => {
        const before = await lockOrRefuse(tx, params, ifMatch);
        await deleteProductIntegration(tx, before.id);
        await record(tx, { caller, requestId }, 'deleted', before, null);
      });
      return ok(204, null);
    }),
  ];
}

/** Routes of the integrations of products. */
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import { type Reader, type Tx, violatedConstraint } from '../platform/db.ts';
import { type Listing, readList } from '../platform/http/listQuery.ts';
import { changeRow, requireVersion } from '../platform/http/resource.ts';
import { type Call, ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { crmRefusals, type ProductIntegration, productIntegrations } from './contract.ts';
import {
  deleteProductIntegration,
  findProductIntegration,
  insertProductIntegration,
  lockProductIntegration,
  updateProductIntegration,
} from './store.ts';

type IntegrationKey = Pick<ProductIntegration, 'product_id' | 'crm_integration_id'>;

const NOUN = 'product_integration';

const LISTING: Listing = {
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
};

export function productIntegrationRoutes(context: AppContext): Route[] {
  async function change({ params, body, caller, requestId, ifMatch }: Call<typeof productIntegrations.replace>) {
    const changed = await context.transact(async (tx) => {
      const before = await lockOrRefuse(tx, params);
      const row = { noun: NOUN, rowId: before.id, before, shape: productIntegrations.update, body, ifMatch };
      return changeRow(tx, row, async ({ product_id, crm_integration_id, config }) => {
        if (product_id !== before.product_id || crm_integration_id !== before.crm_integration_id)
          throw refuse(crmRefusals, 'integration.pair_fixed');
        await updateProductIntegration(tx, before.id, config);
        const after = await findOrRefuse(tx, params);
        await record(tx, { caller, requestId }, { action: 'changed', before, after });
        return after;
      });
    });
    return ok(200, changed);
  }

  return [
    route(productIntegrations.list, async ({ query, caller }) => {
      const result = await readList<ProductIntegration>(context.pool, {
        listing: LISTING,
        query,
        companies: caller.companies,
      });
      return ok(200, { ...result, page: query.page, limit: query.limit });
    }),
    route(productIntegrations.get, async ({ params }) => ok(200, await findOrRefuse(context.reader, params))),
    route(productIntegrations.create, async ({ body, caller, requestId }) => {
      try {
        const created = await context.transact(async (tx) => {
          // An integration of another company is answered like a missing one.
          if (!(await insertProductIntegration(tx, body)))
            throw refuse(commonRefusals, 'not_found', { noun: 'crm integration' });
          const after = await findOrRefuse(tx, body);
          await record(tx, { caller, requestId }, { action: 'created', before: null, after });
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
        const before = await lockOrRefuse(tx, params);
        await requireVersion(tx, { noun: NOUN, rowId: before.id, item: before }, ifMatch);
        await deleteProductIntegration(tx, before.id);
        await record(tx, { caller, requestId }, { action: 'deleted', before, after: null });
      });
      return ok(204, null);
    }),
  ];
}

async function findOrRefuse(reader: Reader, key: IntegrationKey): Promise<ProductIntegration> {
  const result = await findProductIntegration(reader, key.product_id, key.crm_integration_id);
  if (!result) throw refuse(commonRefusals, 'not_found', { noun: 'product integration' });
  return result;
}

async function lockOrRefuse(tx: Tx, key: IntegrationKey): Promise<ProductIntegration> {
  await lockProductIntegration(tx, key.product_id, key.crm_integration_id);
  return findOrRefuse(tx, key);
}

function record(
  tx: Tx,
  writing: WriteContext,
  change: { action: string; before: ProductIntegration | null; after: ProductIntegration | null },
): Promise<void> {
  const item = change.after ?? change.before;
  return recordAuditEntry(tx, {
    ...writing,
    ...change,
    noun: NOUN,
    rowId: item?.id ?? null,
    productId: item?.product_id ?? null,
  });
}

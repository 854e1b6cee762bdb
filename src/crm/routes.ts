import type { AppContext } from '../platform/appContext.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { refuse } from '../platform/refuse.ts';
import { amocrmRoutes, type CrmDependencies } from './amocrmRoutes.ts';
import { crmIntegrations, crmRefusals } from './contract.ts';
import { unsubscribeAccount } from './disconnect.ts';
import { productIntegrationRoutes } from './productIntegrationRoutes.ts';
import { countProductsOf } from './store.ts';

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

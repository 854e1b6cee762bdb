import type { AppContext } from '../platform/appContext.ts';
import { resource } from '../platform/http/resource.ts';
import type { Route } from '../platform/http/routes.ts';
import { refuse } from '../platform/refuse.ts';
import { companies, companyRefusals } from './contract.ts';
import { countChannels, countProducts } from './store.ts';

export function companyRoutes(context: AppContext): Route[] {
  const crudRoutes = resource(context, companies, {
    table: 'companies',
    from: 'companies t',
    select: { id: 't.id', name: 't.name', created_at: 't.created_at', version: 't.revision' },
    search: ['t.name'],
    scopeCondition: 't.id = any($)',
    id: 't.id',
  });
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(),
    ...crudRoutes.replace(),
    crudRoutes.remove(async (tx, company) => {
      const count = await countProducts(tx, company.id);
      if (count > 0) throw refuse(companyRefusals, 'company.has_products', { count });
      const channels = await countChannels(tx, company.id);
      if (channels > 0) throw refuse(companyRefusals, 'company.has_channels', { count: channels });
      return undefined;
    }),
  ];
}

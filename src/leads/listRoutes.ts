/** Routes of what lists of leads can be narrowed by. */
import type { AppContext } from '../platform/appContext.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { PRODUCT_SCOPE } from '../products/product.ts';
import { declaredImports, leadFacets, leadOwners } from './listContract.ts';
import { listOwners, readLeadFacets } from './store/lists.ts';

export function leadListRoutes(context: AppContext): Route[] {
  const imports = resource(context, declaredImports, {
    table: 'lead_imports',
    from: 'lead_imports t',
    select: {
      id: 't.id',
      product_id: 't.product_id',
      import_key: 't.import_key',
      name: 't.name',
      operator: 't.operator',
      leads: 't.leads',
      created_at: 't.created_at',
    },
    search: ['t.name'],
    ...PRODUCT_SCOPE,
    id: 't.id',
  });
  return [
    imports.list,
    imports.get,
    route(leadFacets, async ({ query }) => ok(200, await readLeadFacets(context.reader, query.product_id))),
    route(leadOwners, async ({ query }) => ok(200, { owners: await listOwners(context.reader, query.product_id) })),
  ];
}

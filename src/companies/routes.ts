import type { Ground } from '../platform/ground.ts';
import { resource } from '../platform/http/resource.ts';
import type { Route } from '../platform/http/routes.ts';
import { refuse } from '../platform/refuse.ts';
import { companies, companyRefusals } from './contract.ts';
import { countChannels, countProducts } from './store.ts';

export function companyRoutes(ground: Ground): Route[] {
  const plain = resource(ground, companies, {
    table: 'companies',
    from: 'companies t',
    select: { id: 't.id', name: 't.name', created_at: 't.created_at', version: 't.revision' },
    search: ['t.name'],
    within: 't.id = any($)',
    id: 't.id',
  });
  return [
    plain.list,
    plain.get,
    plain.create(),
    ...plain.replace(),
    plain.remove(async (tx, company) => {
      const count = await countProducts(tx, company.id);
      if (count > 0) throw refuse(companyRefusals, 'company.has_products', { count });
      const channels = await countChannels(tx, company.id);
      if (channels > 0) throw refuse(companyRefusals, 'company.has_channels', { count: channels });
      return undefined;
    }),
  ];
}

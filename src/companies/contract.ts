/** Contract of companies, to which products, credentials and CRM integrations belong. */
import { z } from 'zod';
import { instant, name } from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';

export const company = z.object({ id: z.int(), name: z.string(), created_at: instant, version: rowVersion });
export type Company = z.output<typeof company>;

const companyWrite = z.strictObject({ name });

export const companies = crud(
  {
    resource: 'company',
    plural: 'companies',
    path: '/v1/companies/',
    item: company,
    create: companyWrite,
    update: companyWrite,
    filters: {},
    orderBy: ['id', 'name', 'created_at'],
    search: ['name'],
  },
  { read: 'session', write: 'admin' },
);

export const companyRefusals = {
  'company.has_products': {
    status: 409,
    sentence: 'This company still has {count} product(s). Delete them first.',
  },
  'company.has_channels': {
    status: 409,
    sentence: 'This company still owns {count} channel(s). Delete them or give them to another company first.',
  },
} satisfies RefusalKinds;

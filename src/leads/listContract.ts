/** What lists of leads can be narrowed by: imports, the tags and CRM fields in use, and possible owners. */
import { z } from 'zod';
import { endpoint, errorReply, instant, nameShape, reference } from '../platform/contract.ts';
import { crud, readOnlyCrud } from '../platform/crud.ts';

const leadImport = z.object({
  id: z.int(),
  product_id: z.int(),
  import_key: z.uuid(),
  /** As the operator named it, by default the file's name. */
  name: z.string(),
  /** Login of the operator who imported it; null if that is not known. */
  operator: z.string().nullable(),
  /** The number of leads it has created, less those that its undo removed. */
  leads: z.int(),
  created_at: instant,
});
export type LeadImport = z.output<typeof leadImport>;
nameShape('LeadImport', leadImport);

/** Imports are created by importing leads. */
export const declaredImports = crud({
  resource: 'lead_import',
  plural: 'imports',
  path: '/v1/lead-imports/',
  item: leadImport,
  create: z.strictObject({}),
  update: z.strictObject({}),
  filters: {},
  orderBy: ['id', 'created_at', 'name'],
  search: ['name'],
});

export const leadImports = readOnlyCrud(declaredImports);

const productQuery = z.strictObject({ product_id: reference('product') });

export const leadFacets = endpoint({
  operation: 'listLeadFacets',
  method: 'GET',
  path: '/v1/leads/facets',
  access: 'session',
  summary: 'Tags and names of CRM fields in use among the newest leads of a product, the most frequent first',
  slowReason: 'Reads the newest 20,000 leads of a product.',
  query: productQuery,
  replies: {
    200: z.object({
      tags: z.array(z.object({ tag: z.string(), leads: z.int() })),
      crm_fields: z.array(z.string()),
    }),
    404: errorReply,
  },
});

export const leadOwners = endpoint({
  operation: 'listLeadOwners',
  method: 'GET',
  path: '/v1/leads/owners',
  access: 'session',
  summary: 'Operators with access to a product, who can own its leads',
  query: productQuery,
  replies: { 200: z.object({ owners: z.array(z.object({ id: z.int(), login: z.string() })) }), 404: errorReply },
});

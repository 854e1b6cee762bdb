import type { AppContext } from '../platform/appContext.ts';
import { resource } from '../platform/http/resource.ts';
import type { Route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { PRODUCT_SCOPE } from '../products/product.ts';
import { documentRefusals, leadDocuments } from './documentContract.ts';
import { findLead } from './store.ts';

export function leadDocumentRoutes(context: AppContext): Route[] {
  const crudRoutes = resource(context, leadDocuments, {
    table: 'lead_documents',
    from: 'lead_documents t',
    select: {
      id: 't.id',
      lead_id: 't.lead_id',
      product_id: 't.product_id',
      name: 't.name',
      type: 't.type',
      document: 't.document',
      document_url: 't.document_url',
      created_at: 't.created_at',
      version: 't.revision',
    },
    search: ['t.name', 't.type'],
    ...PRODUCT_SCOPE,
    id: 't.id',
  });
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(async (tx, body) => {
      const lead = await findLead(tx, body.lead_id);
      if (!lead) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
      return { ...body, product_id: lead.product_id };
    }),
    ...crudRoutes.replace(async (_tx, { before, body }) => {
      if (body.lead_id !== before.lead_id) throw refuse(documentRefusals, 'document.lead_fixed');
      return body;
    }),
    crudRoutes.remove(),
  ];
}

import { PRODUCT_SCOPE } from '../products/product.ts';
/** The columns, scope and search of the lead list. */
export const leadListing = {
  table: 'leads',
  from: 'leads t',
  select: {
    id: 't.id',
    product_id: 't.product_id',
    name: 't.name',
    crm_id: 't.crm_id',
    crm_fields: 't.crm_fields',
    created_at: 't.created_at',
    version: 't.revision',
    updated_at: 't.updated_at',
    recognized_deactivation_request: 't.recognized_deactivation_request',
    timezone: 't.timezone',
    status: 't.status',
    stage: 't.stage',
    is_active: 't.is_active',
    crm_pending: 't.crm_pending',
  },
  search: ['t.name'],
  ...PRODUCT_SCOPE,
  id: 't.id',
};

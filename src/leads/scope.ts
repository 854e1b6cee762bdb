import type { AccessRules } from '../access/accessChecker.ts';

export const leadScopes: AccessRules = {
  lead: { by: 'product', sql: 'select id, product_id from leads where id = any($1::bigint[])' },
  lead_event: { by: 'product', sql: 'select id, product_id from lead_events where id = any($1::bigint[])' },
  contact: { by: 'product', sql: 'select id, product_id from contacts where id = any($1::bigint[])' },
  lead_import: { by: 'product', sql: 'select id, product_id from lead_imports where id = any($1::bigint[])' },
  lead_document: { by: 'product', sql: 'select id, product_id from lead_documents where id = any($1::bigint[])' },
};

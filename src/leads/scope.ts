import type { AccessRules } from '../access/accessChecker.ts';

export const leadScopes: AccessRules = {
  lead: { by: 'product', sql: 'select id, product_id from leads where id = any($1::bigint[])' },
  lead_event: { by: 'product', sql: 'select id, product_id from lead_events where id = any($1::bigint[])' },
  contact: { by: 'product', sql: 'select id, product_id from contacts where id = any($1::bigint[])' },
  lead_import: { by: 'product', sql: 'select id, product_id from lead_imports where id = any($1::bigint[])' },
  // Operators whom the caller may know: admins, and those who share a company with the caller.
  owner: {
    by: 'own',
    sql: `select o.id from operators o
           where o.id = any($1::bigint[])
             and ($2::bigint[] is null or o.role = 'admin'
                  or exists (select 1 from operator_companies m where m.operator_id = o.id and m.company_id = any($2::bigint[])))`,
  },
  lead_document: { by: 'product', sql: 'select id, product_id from lead_documents where id = any($1::bigint[])' },
};

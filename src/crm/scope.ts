import type { AccessRules } from '../access/accessChecker.ts';

export const crmScopes: AccessRules = {
  product_integration: {
    by: 'company',
    sql: 'select id, company_id from product_integrations where id = any($1::bigint[])',
  },
  crm_integration: { by: 'company', sql: 'select id, company_id from crm_integrations where id = any($1::bigint[])' },
};

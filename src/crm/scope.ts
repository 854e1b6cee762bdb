import type { ScopeRules } from '../companies/scope.ts';

export const crmScopes: ScopeRules = {
  crm_integration: { by: 'company', sql: 'select id, company_id from crm_integrations where id = any($1::bigint[])' },
};

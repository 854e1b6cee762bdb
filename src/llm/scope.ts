import type { ScopeRules } from '../companies/scope.ts';

export const llmScopes: ScopeRules = {
  company_llm: { by: 'company', sql: 'select id, company_id from company_llms where id = any($1::bigint[])' },
};

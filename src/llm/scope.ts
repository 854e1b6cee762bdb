import type { AccessRules } from '../access/accessChecker.ts';

export const llmScopes: AccessRules = {
  llm_run: { by: 'product', sql: 'select id, product_id from llm_runs where id = any($1::bigint[])' },
  company_llm: { by: 'company', sql: 'select id, company_id from company_llms where id = any($1::bigint[])' },
};

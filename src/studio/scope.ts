import type { AccessRules } from '../access/accessChecker.ts';

export const studioScopes: AccessRules = {
  studio_case: { by: 'product', sql: 'select id, product_id from studio_cases where id = any($1::bigint[])' },
  studio_persona: { by: 'product', sql: 'select id, product_id from studio_personas where id = any($1::bigint[])' },
  studio_pair: { by: 'product', sql: 'select id, product_id from studio_pairs where id = any($1::bigint[])' },
  studio_run: { by: 'product', sql: 'select id, product_id from studio_runs where id = any($1::bigint[])' },
};

import type { ScopeRules } from '../companies/scope.ts';

export const outreachScopes: ScopeRules = {
  schedule: { by: 'product', sql: 'select id, product_id from schedules where id = any($1::bigint[])' },
  ping_config: { by: 'product', sql: 'select id, product_id from ping_configs where id = any($1::bigint[])' },
};

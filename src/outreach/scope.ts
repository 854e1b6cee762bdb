import type { AccessRules } from '../access/accessChecker.ts';

export const outreachScopes: AccessRules = {
  schedule: { by: 'product', sql: 'select id, product_id from schedules where id = any($1::bigint[])' },
  ping_config: { by: 'product', sql: 'select id, product_id from ping_configs where id = any($1::bigint[])' },
};

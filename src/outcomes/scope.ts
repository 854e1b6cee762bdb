import type { AccessRules } from '../access/accessChecker.ts';

export const outcomeScopes: AccessRules = {
  experiment: { by: 'product', sql: 'select id, product_id from experiments where id = any($1::bigint[])' },
};

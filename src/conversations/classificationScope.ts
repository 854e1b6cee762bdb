import type { AccessRules } from '../access/accessChecker.ts';

export const classificationScopes: AccessRules = {
  classification_config: {
    by: 'product',
    sql: 'select id, product_id from classification_configs where id = any($1::bigint[])',
  },
  classification_result: {
    by: 'product',
    sql: 'select id, product_id from classification_results where id = any($1::bigint[])',
  },
};

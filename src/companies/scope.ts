import type { AccessRules } from '../access/accessChecker.ts';

export const viewScopes: AccessRules = {
  saved_view: { by: 'company', sql: 'select id, company_id from saved_views where id = any($1::bigint[])' },
};

import type { AccessRules } from '../access/accessChecker.ts';

export const webhookScopes: AccessRules = {
  webhook: { by: 'company', sql: 'select id, company_id from webhooks where id = any($1::bigint[])' },
  webhook_delivery: {
    by: 'company',
    sql: 'select d.id, w.company_id from webhook_deliveries d join webhooks w on w.id = d.webhook_id where d.id = any($1::bigint[])',
  },
};

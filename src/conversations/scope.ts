import type { AccessRules } from '../access/accessChecker.ts';

export const conversationScopes: AccessRules = {
  dialogue: { by: 'product', sql: 'select id, product_id from dialogues where id = any($1::bigint[])' },
  message: { by: 'product', sql: 'select id, product_id from messages where id = any($1::bigint[])' },
};

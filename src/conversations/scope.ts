import type { AccessRules } from '../access/accessChecker.ts';

export const conversationScopes: AccessRules = {
  dialogue: { by: 'product', sql: 'select id, product_id from dialogues where id = any($1::bigint[])' },
  dialogue_link: {
    by: 'product',
    sql: 'select k.id, d.product_id from dialogue_links k join dialogues d on d.id = k.dialogue_id where k.id = any($1::bigint[])',
  },
  message: { by: 'product', sql: 'select id, product_id from messages where id = any($1::bigint[])' },
};

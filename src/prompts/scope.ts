import type { AccessRules } from '../access/accessChecker.ts';

export const promptScopes: AccessRules = {
  prompt: { by: 'product', sql: 'select id, product_id from prompts where id = any($1::bigint[])' },
  prompt_group: { by: 'product', sql: 'select id, product_id from prompt_groups where id = any($1::bigint[])' },
  prepared_message: { by: 'product', sql: 'select id, product_id from prepared_messages where id = any($1::bigint[])' },
  document_prompt: { by: 'product', sql: 'select id, product_id from document_prompts where id = any($1::bigint[])' },
};

import type { ScopeRules } from '../companies/scope.ts';

/** Nouns whose rows carry their product. */
export const productScopes: ScopeRules = {
  prompt: { by: 'product', sql: 'select id, product_id from prompts where id = any($1::bigint[])' },
};

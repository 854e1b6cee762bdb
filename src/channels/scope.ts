import type { ScopeRules } from '../companies/scope.ts';

/** A channel linked to one's own companies' products, or to none; `$` stands for the company ids. */
export const CHANNEL_WITHIN = `(not exists (select 1 from product_channels l where l.channel_id = t.id)
  or exists (select 1 from product_channels l join products p on p.id = l.product_id
              where l.channel_id = t.id and p.company_id = any($)))`;

export const channelScopes: ScopeRules = {
  channel: {
    by: 'own',
    sql: `select t.id from channels t where t.id = any($1::bigint[])
             and ($2::bigint[] is null or ${CHANNEL_WITHIN.replaceAll('$', '$2')})`,
  },
};

import type { AccessRules } from '../access/accessChecker.ts';

/** Matches channels of the caller's own companies, or shared with one of them; `$` is replaced by the company ids. */
export const CHANNEL_SCOPE_CONDITION = `exists (select 1 from channel_companies s
  where s.channel_id = t.id and s.company_id = any($))`;

export const channelScopes: AccessRules = {
  channel: {
    by: 'own',
    sql: `select t.id from channels t where t.id = any($1::bigint[])
             and ($2::bigint[] is null or ${CHANNEL_SCOPE_CONDITION.replaceAll('$', '$2')})`,
  },
};

import type { AccessRules } from '../access/accessChecker.ts';

/** Ignored items of channels that the caller's companies own: other companies may use a channel, and learn nothing. */
export const inboxScopes: AccessRules = {
  ignored_item: {
    by: 'own',
    sql: `select i.id from inbox i join channels h on h.id = i.channel_id
           where i.id = any($1::bigint[]) and i.ignored_at is not null and ($2::bigint[] is null or h.company_id = any($2))`,
  },
};

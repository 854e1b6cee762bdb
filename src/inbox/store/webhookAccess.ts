/** Reads who may submit messages for a channel. */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';

/**
 * Whether the channel exists and everything its account's ids may refer to belongs to these companies, or is shared
 * with them: the account, its channels, and the dialogues on them. Null: all companies.
 */
export async function canSubmitWebhook(
  reader: Reader,
  channelId: number,
  companies: readonly number[] | null,
): Promise<boolean> {
  if (companies === null) {
    const { rows } = await sql`select 1 from channels where id = ${channelId}`.execute(reader);
    return rows.length > 0;
  }
  const own = sql`any(${[...companies]}::bigint[])`;
  const { rows } = await sql<{ may: boolean }>`
    select (a.company_id is null
            or exists (select 1 from vendor_account_companies s where s.account_id = a.id and s.company_id = ${own}))
       and not exists (select 1 from channels t where t.account_id = a.id and not exists (
             select 1 from channel_companies s where s.channel_id = t.id and s.company_id = ${own}))
       and not exists (select 1 from products p join channels t on t.account_id = a.id
            where p.company_id <> all(${[...companies]}::bigint[])
              and exists (select 1 from dialogues d where d.channel_id = t.id and d.product_id = p.id)) as may
      from channels c join vendor_accounts a on a.id = c.account_id where c.id = ${channelId}`.execute(reader);
  return rows[0]?.may ?? false;
}

export async function findCompanyOfChannel(reader: Reader, channelId: number): Promise<number | null> {
  const { rows } = await sql<{ company_id: number | null }>`
    select company_id from channels where id = ${channelId}`.execute(reader);
  return rows[0]?.company_id ?? null;
}

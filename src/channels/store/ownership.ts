/** Every SQL statement about ownership and sharing of channels and vendor accounts. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import type { Ownership } from '../ownershipContract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    channel_companies: Row<'channel_companies'>;
    vendor_account_companies: Row<'vendor_account_companies'>;
  }
}

/** A channel or an account: its owner, and all companies that may use it. */
export interface Owned {
  id: number;
  company_id: number | null;
  companies: number[];
}

/** Lock the channel until the transaction ends, against concurrent links, shares and deletes. */
export async function lockOwnedChannel(tx: Tx, id: number): Promise<(Owned & { account_id: number }) | undefined> {
  const { rows } = await sql<Omit<Owned, 'companies'> & { account_id: number }>`
    select id, account_id, company_id from channels where id = ${id} for no key update`.execute(tx);
  const [row] = rows;
  if (!row) return undefined;
  // Query after the row is locked, to see what the transaction that held the lock committed.
  const { rows: shares } = await sql<{ company_id: number }>`
    select company_id from channel_companies where channel_id = ${id}`.execute(tx);
  return { ...row, companies: shares.map(({ company_id }) => company_id) };
}

/** Lock the account until the transaction ends. */
export async function lockOwnedAccount(tx: Tx, id: number): Promise<Owned | undefined> {
  const { rows } = await sql<Omit<Owned, 'companies'>>`
    select id, company_id from vendor_accounts where id = ${id} for no key update`.execute(tx);
  const [row] = rows;
  if (!row) return undefined;
  const { rows: shares } = await sql<{ company_id: number }>`
    select company_id from vendor_account_companies where account_id = ${id}`.execute(tx);
  return { ...row, companies: shares.map(({ company_id }) => company_id) };
}

/** List the companies whose products are linked to a channel or have dialogues on it. */
export async function companiesUsing(reader: Reader, channelId: number): Promise<number[]> {
  const { rows } = await sql<{ company_id: number }>`
    select company_id from product_channels where channel_id = ${channelId}
    union
    select p.company_id from products p
     where exists (select 1 from dialogues d where d.channel_id = ${channelId} and d.product_id = p.id)`.execute(
    reader,
  );
  return rows.map(({ company_id }) => company_id);
}

/** Count the products linked to a channel, by company. */
export async function linksByCompany(reader: Reader, channelId: number): Promise<Map<number, number>> {
  const { rows } = await sql<{ company_id: number; count: number }>`
    select company_id, count(*) as count from product_channels where channel_id = ${channelId} group by company_id`.execute(
    reader,
  );
  return new Map(rows.map(({ company_id, count }) => [company_id, count]));
}

/** Check whether a product's company may use a channel. */
export async function canProductUse(reader: Reader, productId: number, channelId: number): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select exists (select 1 from products p join channel_companies s on s.company_id = p.company_id
                    where p.id = ${productId} and s.channel_id = ${channelId}) as may`.execute(reader);
  return rows[0]?.may ?? false;
}

/** Check whether a channel belongs to a product's company. */
export async function isOwnChannel(reader: Reader, productId: number, channelId: number): Promise<boolean> {
  const { rows } = await sql<{ own: boolean }>`
    select exists (select 1 from products p join channels h on h.company_id = p.company_id
                    where p.id = ${productId} and h.id = ${channelId}) as own`.execute(reader);
  return rows[0]?.own ?? false;
}

/** Return the installation's only company; null if there are several, or none. */
export async function onlyCompany(reader: Reader): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`select id from companies order by id limit 2`.execute(reader);
  return rows.length === 1 ? (rows[0]?.id ?? null) : null;
}

export async function companyOfProduct(reader: Reader, productId: number): Promise<number | undefined> {
  const { rows } = await sql<{ company_id: number }>`
    select company_id from products where id = ${productId}`.execute(reader);
  return rows[0]?.company_id;
}

export async function setChannelOwner(tx: Tx, id: number, companyId: number): Promise<void> {
  await sql`update channels set company_id = ${companyId} where id = ${id}`.execute(tx);
}

export async function setAccountOwner(tx: Tx, id: number, companyId: number): Promise<void> {
  await sql`update vendor_accounts set company_id = ${companyId} where id = ${id}`.execute(tx);
}

/** Set the owner of an account without one to the owner of its channels, once all of them have the same owner. */
export async function inferAccountOwner(tx: Tx, id: number): Promise<void> {
  await sql`
    update vendor_accounts a set company_id = o.company_id
      from (select account_id, min(company_id) as company_id from channels where account_id = ${id}
             group by account_id having count(*) = count(company_id) and count(distinct company_id) = 1) o
     where a.id = o.account_id and a.company_id is null`.execute(tx);
}

/** Replace the set of companies that may use the channel. */
export async function setChannelCompanies(tx: Tx, id: number, companies: readonly number[]): Promise<void> {
  await sql`delete from channel_companies where channel_id = ${id} and company_id <> all(${[...companies]}::bigint[])`.execute(
    tx,
  );
  await sql`insert into channel_companies (channel_id, company_id) select ${id}::bigint, unnest(${[...companies]}::bigint[])
            on conflict do nothing`.execute(tx);
}

/** Replace the set of companies that may have channels of the account. */
export async function setAccountCompanies(tx: Tx, id: number, companies: readonly number[]): Promise<void> {
  await sql`delete from vendor_account_companies
             where account_id = ${id} and company_id <> all(${[...companies]}::bigint[])`.execute(tx);
  await sql`insert into vendor_account_companies (account_id, company_id) select ${id}::bigint, unnest(${[...companies]}::bigint[])
            on conflict do nothing`.execute(tx);
}

/** Find a channel of the account whose owner is none of these companies. */
export async function findChannelOutside(
  reader: Reader,
  accountId: number,
  companies: readonly number[],
): Promise<{ name: string } | undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from channels where account_id = ${accountId} and company_id <> all(${[...companies]}::bigint[])
     order by id limit 1`.execute(reader);
  return rows[0];
}

/** Read who owns a channel and its account, and the companies they are shared with. */
export async function selectOwnership(reader: Reader, channelId: number): Promise<Ownership | undefined> {
  const { rows } = await sql<Ownership>`
    select c.company_id,
           coalesce((select jsonb_agg(s.company_id order by s.company_id) from channel_companies s
                      where s.channel_id = c.id and s.company_id is distinct from c.company_id), '[]') as shared_company_ids,
           a.company_id as account_company_id,
           coalesce((select jsonb_agg(s.company_id order by s.company_id) from vendor_account_companies s
                      where s.account_id = a.id and s.company_id is distinct from a.company_id), '[]')
             as account_shared_company_ids,
           a.key_mask as account_key,
           (select count(*) from channels o where o.account_id = a.id) as account_channels
      from channels c join vendor_accounts a on a.id = c.account_id where c.id = ${channelId}`.execute(reader);
  return rows[0];
}

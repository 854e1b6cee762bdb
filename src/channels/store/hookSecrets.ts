/** SQL of the secrets in hook addresses: the present one of each account, and former ones that are still accepted. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import type { ChannelVendor } from '../contract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    former_hook_secrets: Row<'former_hook_secrets'>;
  }
}

/** Seconds for which a former secret is accepted once the vendor has the new address: hooks may be on their way. */
const GRACE_SECONDS = 600;

/** Find the accounts that accept one of these secrets, by their hashes. */
export async function findAccountsBySecrets(
  reader: Reader,
  hashes: readonly Buffer[],
): Promise<{ id: number; vendor: ChannelVendor; hash: Buffer }[]> {
  const { rows } = await sql<{ id: number; vendor: ChannelVendor; hash: Buffer }>`
    select a.id, a.vendor, asked.hash from unnest(${[...hashes]}::bytea[]) as asked (hash)
      join vendor_accounts a on a.id = account_of_hook_secret(asked.hash)`.execute(reader);
  return rows;
}

/** Return the hashes of all secrets that an account has or had. */
export async function hashesOfAccount(reader: Reader, accountId: number): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hook_secret_hash as hash from vendor_accounts where id = ${accountId}
    union all select secret_hash from former_hook_secrets where account_id = ${accountId}`.execute(reader);
  return rows.map(({ hash }) => hash);
}

/** Return the company that owns an account; null: none does. */
export async function findOwnerOfAccount(reader: Reader, accountId: number): Promise<number | null> {
  const row = await reader
    .selectFrom('vendor_accounts')
    .select('company_id')
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row?.company_id ?? null;
}

/**
 * Give an account another secret, unless one of these hashes is known already. The former one is accepted until the
 * vendor has the new address. Returns whether it was replaced.
 */
export async function replaceHookSecret(
  tx: Tx,
  { accountId, hash, sealed }: { accountId: number; hash: Buffer; sealed: string },
): Promise<boolean> {
  await sql`select 1 from vendor_accounts where id = ${accountId} for no key update`.execute(tx);
  const { rows } = await sql`
    with former as (
      select hook_secret_hash as hash from vendor_accounts
       where id = ${accountId}
         and not exists (select 1 from vendor_accounts where hook_secret_hash = ${hash})
         and not exists (select 1 from former_hook_secrets where secret_hash = ${hash})
    ), kept as (
      insert into former_hook_secrets (secret_hash, account_id) select hash, ${accountId} from former
    )
    update vendor_accounts set hook_secret_hash = ${hash}, hook_secret_sealed = ${sealed}, hook_registered_at = null
     where id = ${accountId} and exists (select 1 from former) returning 1`.execute(tx);
  return rows.length > 0;
}

/**
 * Record that the vendor has the address with this secret, and let former ones end. Returns when the last of them does;
 * false: the account has another secret meanwhile.
 */
export async function confirmHookSecret(
  tx: Tx,
  { accountId, hash }: { accountId: number; hash: Buffer },
): Promise<{ formerUntil: string | null } | false> {
  const { rows } = await sql`
    update vendor_accounts set hook_registered_at = domain_now(), key_rejected_reason = null
     where id = ${accountId} and hook_secret_hash = ${hash} returning 1`.execute(tx);
  if (rows.length === 0) return false;
  await sql`update former_hook_secrets set valid_until = clock_timestamp() + make_interval(secs => ${GRACE_SECONDS})
             where account_id = ${accountId} and valid_until is null`.execute(tx);
  const { rows: former } = await sql<{ until: string | null }>`
    select max(valid_until) as until from former_hook_secrets
     where account_id = ${accountId} and valid_until > clock_timestamp()`.execute(tx);
  return { formerUntil: former[0]?.until ?? null };
}

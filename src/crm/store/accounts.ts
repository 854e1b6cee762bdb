/** All SQL statements about amoCRM accounts and their keys. All times are of the database's real clock. */
import { sql } from 'kysely';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';
import type { IntegrationState } from '../amocrmContract.ts';
import type { Directory } from '../directory.ts';
import { REFRESH } from './tokens.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    amocrm_accounts: Row<
      'amocrm_accounts',
      {
        state: 'connected' | 'reconnect' | 'disconnected';
        hooks: 'unknown' | 'subscribed' | 'unavailable';
        last_sync: Record<string, number>;
        directory: Directory | null;
      }
    >;
  }
}

export interface Account {
  readonly crm_integration_id: number;
  readonly company_id: number;
  readonly account_id: number;
  readonly host: string;
  readonly client_id: string;
  readonly client_secret_sealed: string | null;
  readonly redirect_uri: string;
  readonly access_token_sealed: string | null;
  readonly refresh_token_sealed: string | null;
  readonly token_version: number;
  readonly state: 'connected' | 'reconnect' | 'disconnected';
  readonly state_reason: string | null;
  readonly hooks: 'unknown' | 'subscribed' | 'unavailable';
  readonly hook_secret_sealed: string;
  readonly disconnect_requested: boolean;
  /** True if the access token ends so soon that it must be replaced. */
  readonly ends_soon: boolean;
  /** True if the access token has already ended. */
  readonly ended: boolean;
  /** True if the pair is so old that it is replaced even without use: refresh tokens end after three months. */
  readonly idle: boolean;
  readonly refreshing: boolean;
  readonly polled_until: number;
  /** Number of the requested full sync; null if none is requested. */
  readonly whole: number | null;
  readonly hooks_due: boolean;
  readonly poll_due: boolean;
  readonly directory: Directory | null;
  readonly directory_old: boolean;
  readonly attempts: number;
}

/** Refresh an hour before the end, or a twentieth of the token's lifetime if that is shorter. */
const REFRESH_AHEAD = sql`least(interval '1 hour', (a.access_expires_at - a.refreshed_at) / 20)`;

const accountSql = (where: ReturnType<typeof sql>, pollSeconds: number) => sql<Account>`
  select a.crm_integration_id, i.company_id, a.account_id, a.host, a.client_id, a.client_secret_sealed, a.redirect_uri,
         a.access_token_sealed, a.refresh_token_sealed, a.token_version, a.state, a.state_reason, a.hooks, a.hook_secret_sealed,
         a.disconnect_requested_at is not null as disconnect_requested,
         coalesce(a.access_expires_at - ${REFRESH_AHEAD} < clock_timestamp(), true) as ends_soon,
         coalesce(a.access_expires_at < clock_timestamp(), true) as ended,
         coalesce(a.refreshed_at < clock_timestamp() - interval '25 days', true) as idle,
         coalesce(a.refresh_claimed_until > clock_timestamp(), false) as refreshing,
         a.polled_until, case when a.full_sync_requested > a.full_sync_done then a.full_sync_requested end as whole, a.attempts, a.directory,
         coalesce(a.hooks_checked_at < clock_timestamp() - interval '1 day', true) as hooks_due,
         coalesce(a.polled_at < clock_timestamp() - make_interval(secs => ${pollSeconds}::float8
                    * case when a.hooks = 'subscribed' then 6 else 1 end), true) as poll_due,
         coalesce(a.directory_read_at < clock_timestamp() - interval '1 hour', true) as directory_old
    from amocrm_accounts a join crm_integrations i on i.id = a.crm_integration_id
   where ${where}`;

export async function findAccount(
  reader: Reader,
  integrationId: number,
  pollSeconds = 300,
): Promise<Account | undefined> {
  const { rows } = await accountSql(sql`a.crm_integration_id = ${integrationId}`, pollSeconds).execute(reader);
  return rows[0];
}

/** Find the accounts with this number connected by this client: those that a disconnect hook may mean. */
export async function findAccountsOfClient(reader: Reader, accountId: number, clientId: string): Promise<Account[]> {
  const { rows } = await accountSql(
    sql`a.account_id = ${accountId} and a.client_id = ${clientId} and a.state <> 'disconnected'`,
    300,
  ).execute(reader);
  return rows;
}

export async function findBySecret(
  reader: Reader,
  secretHash: Buffer,
): Promise<{ id: number; account_id: number } | undefined> {
  const [account] = await findBySecrets(reader, [secretHash]);
  return account;
}

/** Find the connected accounts with one of these hook secrets. */
export async function findBySecrets(
  reader: Reader,
  hashes: readonly Buffer[],
): Promise<{ id: number; account_id: number; hook_secret_hash: Buffer }[]> {
  const { rows } = await sql<{ id: number; account_id: number; hook_secret_hash: Buffer }>`
    select crm_integration_id as id, account_id, hook_secret_hash from amocrm_accounts
     where hook_secret_hash = any(${[...hashes]}::bytea[]) and state <> 'disconnected'`.execute(reader);
  return rows;
}

/** Find the company's integration with this account, in any state, and lock it until the transaction ends. */
export async function findIntegrationOfAccount(
  tx: Tx,
  companyId: number,
  accountId: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select i.id from crm_integrations i join amocrm_accounts a on a.crm_integration_id = i.id
     where i.company_id = ${companyId} and a.account_id = ${accountId} order by i.id limit 1 for update`.execute(tx);
  return rows[0]?.id;
}

export async function insertIntegration(tx: Tx, companyId: number, name: string): Promise<number> {
  const row = await tx
    .insertInto('crm_integrations')
    .values({ company_id: companyId, name })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export interface Connection {
  readonly accountId: number;
  readonly accountName: string;
  readonly host: string;
  readonly clientId: string;
  readonly encryptedClientSecret: string | null;
  readonly redirectUri: string;
  readonly encryptedAccessToken: string;
  readonly encryptedRefreshToken: string;
  readonly expiresIn: number;
  readonly hookSecretHash: Buffer;
  readonly encryptedHookSecret: string;
}

/** Save a new connection; an account that is already known keeps its hook address. */
export async function saveConnection(tx: Tx, integrationId: number, connection: Connection): Promise<void> {
  await sql`
    insert into amocrm_accounts as a (crm_integration_id, account_id, account_name, host, client_id, client_secret_sealed,
       redirect_uri, access_token_sealed, refresh_token_sealed, access_expires_at, refreshed_at, token_version,
       hook_secret_hash, hook_secret_sealed, polled_until)
    values (${integrationId}, ${connection.accountId}, ${connection.accountName}, ${connection.host}, ${connection.clientId}, ${connection.encryptedClientSecret},
       ${connection.redirectUri}, ${connection.encryptedAccessToken}, ${connection.encryptedRefreshToken},
       clock_timestamp() + make_interval(secs => ${connection.expiresIn}), clock_timestamp(), 1,
       ${connection.hookSecretHash}, ${connection.encryptedHookSecret}, extract(epoch from clock_timestamp() - interval '5 minutes')::bigint)
    on conflict (crm_integration_id) do update
      set account_name = excluded.account_name, host = excluded.host, client_id = excluded.client_id,
          client_secret_sealed = excluded.client_secret_sealed, redirect_uri = excluded.redirect_uri,
          access_token_sealed = excluded.access_token_sealed, refresh_token_sealed = excluded.refresh_token_sealed,
          access_expires_at = excluded.access_expires_at, refreshed_at = excluded.refreshed_at, token_version = a.token_version + 1,
          ${release(REFRESH)}, state = 'connected', state_reason = null,
          state_since = clock_timestamp(), disconnect_requested_at = null, hooks = 'unknown', hooks_reason = null,
          hooks_checked_at = null, polled_at = null, full_sync_requested = a.full_sync_requested + 1, next_sync_at = clock_timestamp(), attempts = 0,
          directory_read_at = null`.execute(tx);
  await sql`update crm_integrations set is_active = true where id = ${integrationId}`.execute(tx);
}

/** Drop the tokens and stop the work. Pending writes are dropped too. */
export async function markDisconnected(tx: Tx, id: number, reason: string): Promise<boolean> {
  const { rows } = await sql`
    update amocrm_accounts
       set state = 'disconnected', state_reason = ${reason}, state_since = clock_timestamp(), access_token_sealed = null,
           refresh_token_sealed = null, access_expires_at = null, ${release(REFRESH)},
           disconnect_requested_at = null, hooks = 'unknown', hooks_reason = null
     where crm_integration_id = ${id} and state <> 'disconnected' returning 1`.execute(tx);
  if (rows.length === 0) return false;
  await sql`update crm_integrations set is_active = false where id = ${id}`.execute(tx);
  await sql`update leads l set crm_pending = false from crm_cards c
             where c.crm_integration_id = ${id} and c.lead_id = l.id and l.crm_pending`.execute(tx);
  await sql`update crm_cards set pending_stage = null, retry_at = null, error = null
             where crm_integration_id = ${id} and pending_stage is not null`.execute(tx);
  await sql`delete from crm_changes where crm_integration_id = ${id}`.execute(tx);
  return true;
}

/** Record a disconnect hook and make the account due now. */
export async function requestDisconnect(reader: Reader, id: number): Promise<void> {
  await sql`update amocrm_accounts set disconnect_requested_at = clock_timestamp(), next_sync_at = clock_timestamp(), attempts = 0
             where crm_integration_id = ${id} and state <> 'disconnected'`.execute(reader);
}

export async function clearDisconnectRequest(reader: Reader, id: number): Promise<void> {
  await sql`update amocrm_accounts set disconnect_requested_at = null where crm_integration_id = ${id}`.execute(reader);
}

/** Accounts whose sync an instance has claimed. */
export const SYNCED_ACCOUNTS: Claimable<{ crm_integration_id: number }> = {
  table: 'amocrm_accounts',
  key: { crm_integration_id: 'bigint' },
};

/** Claim an account that is due; undefined if another instance has claimed it, or it is not due. */
export async function claimAccount(
  reader: Reader,
  id: number,
  claimant: Claimant,
): Promise<{ attempts: number } | undefined> {
  const { rows } = await sql<{ attempts: number }>`
    update amocrm_accounts a set ${claim(claimant)}
     where a.crm_integration_id = ${id} and a.next_sync_at <= clock_timestamp() and ${isUnclaimed('a')}
    returning a.attempts`.execute(reader);
  return rows[0];
}

export async function releaseAccount(reader: Reader, id: number, instanceId: string): Promise<void> {
  await sql`update amocrm_accounts set ${release()} where crm_integration_id = ${id} and claimed_by = ${instanceId}`.execute(
    reader,
  );
}

const DUE_ACCOUNTS = sql`
  amocrm_accounts a
   where a.next_sync_at <= clock_timestamp() and (a.state = 'connected' or (a.state = 'reconnect' and a.disconnect_requested_at is not null))
     and ${isUnclaimed('a')}`;

export const ACCOUNTS_DUE_IN = dueIf(sql`exists (select 1 from ${DUE_ACCOUNTS})`);

/** Find the accounts that are due for a sync. */
export async function findDueAccounts(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select a.crm_integration_id as id from ${DUE_ACCOUNTS} order by a.next_sync_at limit ${limit}`.execute(reader);
  return rows.map((row) => row.id);
}

export async function scheduleSync(
  reader: Reader,
  { id, seconds, attempts }: { id: number; seconds: number; attempts: number },
): Promise<void> {
  await sql`update amocrm_accounts
       set next_sync_at = case when full_sync_requested > full_sync_done and ${attempts} = 0 then clock_timestamp() else clock_timestamp() + make_interval(secs => ${seconds}) end,
           attempts = ${attempts}
     where crm_integration_id = ${id}`.execute(reader);
}

/** Request a full sync now. */
export async function requestSync(reader: Reader, id: number): Promise<void> {
  await sql`update amocrm_accounts set next_sync_at = clock_timestamp(), attempts = 0, polled_at = null, hooks_checked_at = null,
                   directory_read_at = null, full_sync_requested = full_sync_requested + 1
             where crm_integration_id = ${id} and state = 'connected'`.execute(reader);
  await sql`update crm_cards set retry_at = null where crm_integration_id = ${id} and pending_stage is not null`.execute(
    reader,
  );
}

export async function saveHooks(
  reader: Reader,
  { id, hooks, reason }: { id: number; hooks: 'subscribed' | 'unavailable'; reason: string | null },
): Promise<void> {
  await sql`update amocrm_accounts set hooks = ${hooks}, hooks_reason = ${reason}, hooks_checked_at = clock_timestamp()
             where crm_integration_id = ${id}`.execute(reader);
}

export async function saveDirectory(reader: Reader, id: number, directory: Directory): Promise<void> {
  await sql`update amocrm_accounts set directory = ${JSON.stringify(directory)}::jsonb, directory_read_at = clock_timestamp()
             where crm_integration_id = ${id}`.execute(reader);
}

/** Times of cards that lie in the future are not believed: nothing older would ever be read again. */
const until = (cursor: number) =>
  sql`greatest(polled_until, least(${cursor}::bigint, floor(extract(epoch from domain_now()))::bigint))`;

/** Save that all changes before `cursor` were read (unix seconds, the CRM's clock): a sync that fails goes on from there. */
export async function saveProgress(reader: Reader, id: number, cursor: number): Promise<void> {
  await sql`update amocrm_accounts set polled_until = ${until(cursor)} where crm_integration_id = ${id}`.execute(
    reader,
  );
}

/** Save the result of a sync. `until` is the newest change seen (unix seconds, the CRM's clock). */
export async function saveSync(
  reader: Reader,
  {
    id,
    until: cursor,
    whole,
    counts,
  }: { id: number; until: number; whole: number | null; counts: Readonly<Record<string, number>> },
): Promise<void> {
  await sql`
    update amocrm_accounts
       set polled_at = clock_timestamp(), polled_until = ${until(cursor)},
           full_sync_done = greatest(full_sync_done, coalesce(${whole}::int, 0)),
           last_sync_at = clock_timestamp(), last_sync = ${JSON.stringify(counts)}::jsonb, last_error = null
     where crm_integration_id = ${id}`.execute(reader);
}

export async function saveError(reader: Reader, id: number, error: string): Promise<void> {
  await sql`update amocrm_accounts set last_error = ${error.slice(0, 500)}, last_error_at = clock_timestamp()
             where crm_integration_id = ${id}`.execute(reader);
}

/** Read the state of an account, as the API shows it. */
export async function readAccountState(
  reader: Reader,
  integrationId: number,
): Promise<
  Omit<IntegrationState, 'integration_id' | 'cards' | 'to_read' | 'to_write' | 'refused' | 'refusal'> | undefined
> {
  return reader
    .selectFrom('amocrm_accounts')
    .select([
      'state',
      'state_reason as reason',
      'state_since as since',
      'account_id',
      'account_name',
      'host',
      // The vendor's refresh tokens last three months (its manual, 2026-11).
      sql<string | null>`case when refresh_token_sealed is not null then refreshed_at + interval '3 months' end`.as(
        'keys_until',
      ),
      'hooks',
      'hooks_reason',
      'last_sync_at',
      'last_sync',
      'last_error',
      'last_error_at',
    ])
    .where('crm_integration_id', '=', integrationId)
    .executeTakeFirst();
}

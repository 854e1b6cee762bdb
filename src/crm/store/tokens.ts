/**
 * All SQL statements about the pair of tokens: claiming its refresh, replacing it, and marking it as no longer
 * accepted.
 */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';

/** Prefix of the columns of a refresh's claim. */
export const REFRESH = 'refresh_claimed';

/** Accounts whose pair an instance refreshes. */
export const REFRESHED_ACCOUNTS: Claimable<{ crm_integration_id: number }> = {
  table: 'amocrm_accounts',
  key: { crm_integration_id: 'bigint' },
  prefix: REFRESH,
};

/** Claim the refresh for an instance, if this pair is still the account's and no live instance has claimed it. */
export async function claimRefresh(
  reader: Reader,
  { id, tokenVersion, claimant }: { id: number; tokenVersion: number; claimant: Claimant },
): Promise<boolean> {
  const { rows } = await sql`
    update amocrm_accounts a set ${claim(claimant, REFRESH)}
     where crm_integration_id = ${id} and token_version = ${tokenVersion} and state = 'connected'
       and ${isUnclaimed('a', REFRESH)}
    returning 1`.execute(reader);
  return rows.length > 0;
}

export async function releaseRefresh(reader: Reader, id: number, instanceId: string): Promise<void> {
  await sql`update amocrm_accounts set ${release(REFRESH)}
             where crm_integration_id = ${id} and refresh_claimed_by = ${instanceId}`.execute(reader);
}

/** Replace the pair `tokenVersion` with a new one; a newer pair stays. */
export async function saveTokens(
  reader: Reader,
  {
    id,
    tokenVersion,
    tokens,
  }: {
    id: number;
    tokenVersion: number;
    tokens: { encryptedAccessToken: string; encryptedRefreshToken: string; expiresIn: number };
  },
): Promise<void> {
  await sql`
    update amocrm_accounts
       set access_token_sealed = ${tokens.encryptedAccessToken}, refresh_token_sealed = ${tokens.encryptedRefreshToken}, token_version = token_version + 1,
           access_expires_at = clock_timestamp() + make_interval(secs => ${tokens.expiresIn}), refreshed_at = clock_timestamp(),
           ${release(REFRESH)},
           state = case when state = 'reconnect' then 'connected' else state end,
           state_reason = case when state = 'reconnect' then null else state_reason end
     where crm_integration_id = ${id} and token_version = ${tokenVersion} and state <> 'disconnected'`.execute(reader);
}

/**
 * Mark the account as needing a new connection, because its keys are no longer accepted. Only if `tokenVersion` is
 * still the account's pair.
 */
export async function markReconnectNeeded(
  reader: Reader,
  { id, tokenVersion, reason }: { id: number; tokenVersion: number; reason: string },
): Promise<void> {
  await sql`
    update amocrm_accounts set state = 'reconnect', state_reason = ${reason}, state_since = clock_timestamp(),
           ${release(REFRESH)}
     where crm_integration_id = ${id} and token_version = ${tokenVersion} and state = 'connected'`.execute(reader);
}

/**
 * All SQL statements about the pair of tokens: claiming its refresh, replacing it, and marking it as no longer
 * accepted.
 */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';

/** Claim the refresh for an instance, if this pair is still the account's and no live instance has claimed it. */
export async function claimRefresh(
  reader: Reader,
  { id, tokenVersion, instanceId }: { id: number; tokenVersion: number; instanceId: string },
): Promise<boolean> {
  const { rows } = await sql`
    update amocrm_accounts set refresh_claimed_by = ${instanceId}, refresh_claimed_until = clock_timestamp() + interval '45 seconds'
     where crm_integration_id = ${id} and token_version = ${tokenVersion} and state = 'connected'
       and (refresh_claimed_until is null or refresh_claimed_until < clock_timestamp()
            or not exists (select 1 from nodes n where n.instance_id = refresh_claimed_by and n.ended_at is null))
    returning 1`.execute(reader);
  return rows.length > 0;
}

export async function releaseRefresh(reader: Reader, id: number, instanceId: string): Promise<void> {
  await sql`update amocrm_accounts set refresh_claimed_by = null, refresh_claimed_until = null
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
           refresh_claimed_by = null, refresh_claimed_until = null,
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
           refresh_claimed_by = null, refresh_claimed_until = null
     where crm_integration_id = ${id} and token_version = ${tokenVersion} and state = 'connected'`.execute(reader);
}

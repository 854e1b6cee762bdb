/** All SQL statements about started connections. State and session tokens are stored as hashes only. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    amocrm_states: Row<'amocrm_states', { flow: 'ordinary' | 'external' }>;
  }
}

const STATE_TTL = sql`interval '30 minutes'`;

export async function insertState(
  tx: Tx,
  state: { stateHash: Buffer; sessionHash: Buffer; companyId: number; flow: 'ordinary' | 'external' },
): Promise<void> {
  await sql`delete from amocrm_states where created_at < clock_timestamp() - interval '1 day'`.execute(tx);
  await sql`insert into amocrm_states (state_hash, session_hash, company_id, flow)
            values (${state.stateHash}, ${state.sessionHash}, ${state.companyId}, ${state.flow})`.execute(tx);
}

/** Store the first secrets posted for a valid state; false if there is no such state, or it already has some. */
export async function saveSecrets(
  reader: Reader,
  { stateHash, clientId, encryptedSecret }: { stateHash: Buffer; clientId: string; encryptedSecret: string },
): Promise<boolean> {
  const { rows } = await sql`
    update amocrm_states set secrets_at = clock_timestamp(), client_id = ${clientId}, client_secret_sealed = ${encryptedSecret}
     where state_hash = ${stateHash} and flow = 'external' and secrets_at is null and completed_at is null
       and created_at > clock_timestamp() - ${STATE_TTL}
    returning 1`.execute(reader);
  return rows.length > 0;
}

export interface OauthState {
  readonly company_id: number;
  readonly flow: 'ordinary' | 'external';
  readonly has_secrets: boolean;
  readonly client_id: string | null;
  readonly client_secret_sealed: string | null;
}

/** Find a state that is valid, was started in this session and has not been used for a landing. */
export async function findState(
  reader: Reader,
  stateHash: Buffer,
  sessionHash: Buffer,
): Promise<OauthState | undefined> {
  const { rows } = await sql<OauthState>`
    select company_id, flow, secrets_at is not null as has_secrets, client_id, client_secret_sealed
      from amocrm_states
     where state_hash = ${stateHash} and session_hash = ${sessionHash} and completed_at is null
       and created_at > clock_timestamp() - ${STATE_TTL}`.execute(reader);
  return rows[0];
}

/** Mark the state as used; false if it was already used or is not valid. */
export async function consumeState(reader: Reader, stateHash: Buffer, sessionHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    update amocrm_states set completed_at = clock_timestamp(), client_secret_sealed = null
     where state_hash = ${stateHash} and session_hash = ${sessionHash} and completed_at is null
       and created_at > clock_timestamp() - ${STATE_TTL}
    returning 1`.execute(reader);
  return rows.length > 0;
}

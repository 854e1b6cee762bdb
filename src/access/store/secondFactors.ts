/** SQL statements about second factors. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    operator_authenticators: Row<'operator_authenticators'>;
    operator_recovery_codes: Row<'operator_recovery_codes'>;
    operator_passkeys: Row<'operator_passkeys', { transports: string }>;
  }
}

export interface PasskeyRow {
  id: number;
  operator_id: number;
  name: string;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
  created_at: string;
  last_used_at: string | null;
}

/** Condition for operators `o` who have a confirmed second factor. */
export const HAS_SECOND_FACTOR = `(exists (select 1 from operator_passkeys p where p.operator_id = o.id)
  or exists (select 1 from operator_authenticators a where a.operator_id = o.id and a.confirmed_at is not null))`;

export async function hasSecondFactor(reader: Reader, operatorId: number): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select ${sql.raw(HAS_SECOND_FACTOR)} as has from operators o where o.id = ${operatorId}`.execute(reader);
  return rows[0]?.has === true;
}

export async function isSecondFactorRequired(reader: Reader): Promise<boolean> {
  const { rows } = await sql<{ required: boolean }>`
    select second_factor_required as required from installation`.execute(reader);
  return rows[0]?.required === true;
}

export async function setSecondFactorRequired(tx: Tx, required: boolean): Promise<void> {
  await sql`update installation set second_factor_required = ${required}`.execute(tx);
}

/** Lock an operator while their second factors change. */
export async function lockSecondFactors(tx: Tx, id: number): Promise<void> {
  await sql`select 1 from operators where id = ${id} for no key update`.execute(tx);
}

export interface Authenticator {
  secret_sealed: string;
  confirmed_at: string | null;
  last_step: number | null;
  /** Unix seconds of the database's real clock. */
  now: number;
}

/** Lock the authenticator of an operator and return it. */
export async function lockAuthenticator(tx: Tx, operatorId: number): Promise<Authenticator | undefined> {
  const { rows } = await sql<Authenticator>`
    select secret_sealed, confirmed_at, last_step, extract(epoch from clock_timestamp())::float8 as now
      from operator_authenticators where operator_id = ${operatorId} for update`.execute(tx);
  return rows[0];
}

/** Store a secret that is still to be confirmed. Returns false if there is a confirmed one. */
export async function insertPendingAuthenticator(
  tx: Tx,
  operatorId: number,
  encryptedSecret: string,
): Promise<boolean> {
  const { rows } = await sql`
    insert into operator_authenticators (operator_id, secret_sealed) values (${operatorId}, ${encryptedSecret})
    on conflict (operator_id) do update set secret_sealed = excluded.secret_sealed, last_step = null
      where operator_authenticators.confirmed_at is null
    returning 1`.execute(tx);
  return rows.length > 0;
}

export async function recordTotpStep(tx: Tx, operatorId: number, step: number): Promise<void> {
  await sql`
    update operator_authenticators set last_step = ${step}, confirmed_at = coalesce(confirmed_at, clock_timestamp())
     where operator_id = ${operatorId}`.execute(tx);
}

export async function readAuthenticator(reader: Reader, operatorId: number): Promise<{ confirmed_at: string } | null> {
  const { rows } = await sql<{ confirmed_at: string }>`
    select confirmed_at from operator_authenticators
     where operator_id = ${operatorId} and confirmed_at is not null`.execute(reader);
  return rows[0] ?? null;
}

export async function deleteAuthenticator(tx: Tx, operatorId: number): Promise<boolean> {
  const { rows } = await sql`
    delete from operator_authenticators where operator_id = ${operatorId} and confirmed_at is not null
    returning 1`.execute(tx);
  return rows.length > 0;
}

export async function passkeysOf(reader: Reader, operatorId: number): Promise<PasskeyRow[]> {
  const { rows } = await sql<PasskeyRow>`
    select * from operator_passkeys where operator_id = ${operatorId} order by id`.execute(reader);
  return rows;
}

export async function insertPasskey(
  tx: Tx,
  passkey: Pick<PasskeyRow, 'operator_id' | 'name' | 'credential_id' | 'public_key' | 'counter' | 'transports'>,
): Promise<void> {
  const { operator_id, name, credential_id, public_key, counter, transports } = passkey;
  await sql`
    insert into operator_passkeys (operator_id, name, credential_id, public_key, counter, transports)
    values (${operator_id}, ${name}, ${credential_id}, ${public_key}, ${counter}, ${JSON.stringify(transports)}::jsonb)
  `.execute(tx);
}

/** Record a signature. Returns false if the counter did not grow, or the passkey is gone. */
export async function recordPasskeyUse(tx: Tx, id: number, counter: number): Promise<boolean> {
  const { rows } = await sql`
    update operator_passkeys set counter = ${counter}, last_used_at = clock_timestamp()
     where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0)) returning 1`.execute(tx);
  return rows.length > 0;
}

export async function deletePasskey(tx: Tx, operatorId: number, id: number): Promise<boolean> {
  const { rows } = await sql`
    delete from operator_passkeys where id = ${id} and operator_id = ${operatorId} returning 1`.execute(tx);
  return rows.length > 0;
}

export async function replaceRecoveryCodes(tx: Tx, operatorId: number, hashes: readonly Buffer[]): Promise<void> {
  await sql`delete from operator_recovery_codes where operator_id = ${operatorId}`.execute(tx);
  for (const hash of hashes)
    await sql`insert into operator_recovery_codes (code_hash, operator_id) values (${hash}, ${operatorId})`.execute(tx);
}

/** Delete a recovery code. Returns false if the operator has no such code. */
export async function deleteRecoveryCode(tx: Tx, operatorId: number, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    delete from operator_recovery_codes where operator_id = ${operatorId} and code_hash = ${hash}
    returning 1`.execute(tx);
  return rows.length > 0;
}

export async function countRecoveryCodes(reader: Reader, operatorId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from operator_recovery_codes where operator_id = ${operatorId}`.execute(reader);
  return rows[0]?.count ?? 0;
}

export async function deleteSecondFactors(tx: Tx, operatorId: number): Promise<void> {
  await sql`delete from operator_authenticators where operator_id = ${operatorId}`.execute(tx);
  await sql`delete from operator_passkeys where operator_id = ${operatorId}`.execute(tx);
  await sql`delete from operator_recovery_codes where operator_id = ${operatorId}`.execute(tx);
}

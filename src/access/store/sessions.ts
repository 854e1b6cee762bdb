/** SQL statements about sessions. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import type { roles } from '../contract.ts';
import { lockIfPasswordUnchanged } from './operators.ts';
import { HAS_SECOND_FACTOR } from './secondFactors.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    sessions: Row<'sessions'>;
  }
}

export const IDLE_TIMEOUT = '12 hours';
export const MAX_AGE = '7 days';
/** Maximum number of sessions per operator. The one that was used longest ago is deleted. */
const MAX_SESSIONS = 20;

/** Time limit for the second step of a sign-in, and for a passkey's answer. */
const STEP_TIMEOUT = '5 minutes';

/** Condition for a session `s` that is neither idle for too long nor too old, and whose sign-in is complete. */
export const IS_OPEN = `s.last_seen_at > clock_timestamp() - interval '${IDLE_TIMEOUT}'
  and s.created_at > clock_timestamp() - interval '${MAX_AGE}' and not s.second_factor_due`;

export interface NewSession {
  readonly operatorId: number;
  /** Hash that the password was compared with. */
  readonly passwordHash: string;
  readonly tokenHash: Buffer;
  readonly network: string;
  readonly browser: string | null;
  /** Present session of this browser, which ends. */
  readonly former: Buffer | null;
  /** Whether the second factor is still missing. */
  readonly secondFactorDue: boolean;
}

/**
 * Store a session, unless the operator was disabled or got another password since it was compared. Such a change locks
 * the same row, so the session is either refused here or ended there.
 */
export async function insertSession(tx: Tx, session: NewSession): Promise<boolean> {
  const { operatorId, passwordHash, tokenHash, network, browser, former, secondFactorDue } = session;
  if (!(await lockIfPasswordUnchanged(tx, operatorId, passwordHash))) return false;
  if (former !== null) await deleteSession(tx, former);
  await tx
    .insertInto('sessions')
    .values({ operator_id: operatorId, token_hash: tokenHash, network, browser, second_factor_due: secondFactorDue })
    .execute();
  if (!secondFactorDue)
    await sql`update operators set last_sign_in_at = clock_timestamp() where id = ${operatorId}`.execute(tx);
  await sql`delete from sessions where last_seen_at < clock_timestamp() - interval ${sql.lit(IDLE_TIMEOUT)}`.execute(
    tx,
  );
  await sql`
    delete from sessions where id in
      (select id from sessions where operator_id = ${operatorId} and second_factor_due = ${secondFactorDue}
        order by last_seen_at desc, id desc offset ${MAX_SESSIONS})`.execute(tx);
  return true;
}

/** Delete a session and return its operator's id; null if there was none. */
export async function deleteSession(tx: Tx, tokenHash: Buffer): Promise<number | null> {
  const row = await tx
    .deleteFrom('sessions')
    .where('token_hash', '=', tokenHash)
    .returning('operator_id')
    .executeTakeFirst();
  return row?.operator_id ?? null;
}

interface SessionOwner {
  id: number;
  login: string;
  role: (typeof roles)[number];
  companies: number[];
  session_id: number;
  must_enrol: boolean;
  must_change_password: boolean;
  /** Seconds since the password or a passkey was proved. */
  proved_seconds: number;
}

/** Find the operator of an open session. */
export async function findSession(reader: Reader, tokenHash: Buffer): Promise<SessionOwner | null> {
  const { rows } = await sql<SessionOwner>`
    select o.id, o.login, o.role, o.must_change_password, s.id as session_id,
           (select second_factor_required from installation) and not ${sql.raw(HAS_SECOND_FACTOR)} as must_enrol,
           extract(epoch from clock_timestamp() - s.reauthenticated_at)::float8 as proved_seconds,
           coalesce((select jsonb_agg(c.company_id) from operator_companies c where c.operator_id = o.id), '[]') as companies
      from sessions s join operators o on o.id = s.operator_id
     where s.token_hash = ${tokenHash} and o.is_active and ${sql.raw(IS_OPEN)}`.execute(reader);
  return rows[0] ?? null;
}

/** Record that the session was used, at most once a minute and without invalidating the caches of other nodes. */
export async function touchSession(reader: Reader, tokenHash: Buffer): Promise<void> {
  await sql`update sessions set last_seen_at = clock_timestamp()
             where token_hash = ${tokenHash} and last_seen_at < clock_timestamp() - interval '1 minute'`.execute(
    reader,
  );
}

/** End the sessions of an operator, except the session `except`. */
export async function endSessions(tx: Tx, operatorId: number, except: Buffer | null = null): Promise<void> {
  await sql`delete from sessions where operator_id = ${operatorId} and (${except}::bytea is null or token_hash <> ${except})`.execute(
    tx,
  );
}

export interface SessionRow {
  id: number;
  created_at: string;
  last_seen_at: string;
  network: string | null;
  browser: string | null;
}

/** List the open sessions of an operator, the most recently used first. */
export async function sessionsOf(reader: Reader, operatorId: number): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select s.id, s.created_at, s.last_seen_at, s.network, s.browser from sessions s
     where s.operator_id = ${operatorId} and ${sql.raw(IS_OPEN)}
     order by s.last_seen_at desc, s.id desc`.execute(reader);
  return rows;
}

/** End one session of an operator. Returns false if they have none with this id. */
export async function endSession(tx: Tx, operatorId: number, id: number): Promise<boolean> {
  const { rows } = await sql`delete from sessions where id = ${id} and operator_id = ${operatorId} returning 1`.execute(
    tx,
  );
  return rows.length > 0;
}

interface PendingSignIn {
  id: number;
  login: string;
  role: (typeof roles)[number];
  password_hash: string;
}

/** Find the operator whose password was right and whose second factor is still missing. */
export async function findPendingSignIn(reader: Reader, tokenHash: Buffer): Promise<PendingSignIn | null> {
  const { rows } = await sql<PendingSignIn>`
    select o.id, o.login, o.role, o.password_hash from sessions s join operators o on o.id = s.operator_id
     where s.token_hash = ${tokenHash} and s.second_factor_due and o.is_active
       and s.created_at > clock_timestamp() - interval ${sql.lit(STEP_TIMEOUT)}`.execute(reader);
  return rows[0] ?? null;
}

/** Store the challenge that a passkey must sign. */
export async function storeChallenge(tx: Tx, tokenHash: Buffer, challenge: string): Promise<void> {
  await sql`update sessions set challenge = ${challenge}, challenge_at = clock_timestamp()
             where token_hash = ${tokenHash}`.execute(tx);
}

/** Return and clear the challenge that a passkey must sign: it can be answered once. */
export async function consumeChallenge(tx: Tx, tokenHash: Buffer): Promise<string | null> {
  const { rows } = await sql<{ challenge: string }>`
    with asked as (
      select token_hash, challenge from sessions
       where token_hash = ${tokenHash} and challenge is not null
         and challenge_at > clock_timestamp() - interval ${sql.lit(STEP_TIMEOUT)} for update)
    update sessions s set challenge = null, challenge_at = null from asked
     where s.token_hash = asked.token_hash returning asked.challenge`.execute(tx);
  return rows[0]?.challenge ?? null;
}

/** Record that the operator has confirmed their identity. */
export async function markReauthenticated(tx: Tx, tokenHash: Buffer): Promise<void> {
  await sql`update sessions set reauthenticated_at = clock_timestamp() where token_hash = ${tokenHash}`.execute(tx);
}

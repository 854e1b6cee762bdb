/** Every SQL statement about sessions. */
import { type Generated, sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db.ts';
import type { roles } from '../contract.ts';
import { holdUnchanged } from './operators.ts';

interface SessionTable {
  token_hash: Buffer;
  operator_id: number;
  created_at: Generated<string>;
  last_seen_at: Generated<string>;
  id: Generated<number>;
  network: string | null;
  browser: string | null;
  proved_at: Generated<string>;
}

declare module '../../platform/db.ts' {
  interface Tables {
    sessions: SessionTable;
  }
}

export const IDLE = '12 hours';
export const WHOLE = '7 days';
/** Sessions of one operator at a time; the one that was used longest ago gives way. */
const MOST_SESSIONS = 20;

/** A session `s` that is neither idle for too long nor too old. */
export const IS_OPEN = `s.last_seen_at > clock_timestamp() - interval '${IDLE}'
  and s.created_at > clock_timestamp() - interval '${WHOLE}'`;

export interface NewSession {
  readonly operatorId: number;
  /** The hash that the password was compared with. */
  readonly passwordHash: string;
  readonly tokenHash: Buffer;
  readonly network: string;
  readonly browser: string | null;
  /** The session that this browser had so far; it ends. */
  readonly former: Buffer | null;
}

/**
 * Stores a session, unless the operator was shut out or given another password since it was compared: whoever changes
 * those holds the same row, so the session is either refused here or ended there.
 */
export async function insertSession(tx: Tx, session: NewSession): Promise<boolean> {
  const { operatorId, passwordHash, tokenHash, network, browser, former } = session;
  if (!(await holdUnchanged(tx, operatorId, passwordHash))) return false;
  if (former !== null) await deleteSession(tx, former);
  await tx
    .insertInto('sessions')
    .values({ operator_id: operatorId, token_hash: tokenHash, network, browser })
    .execute();
  await sql`update operators set last_sign_in_at = clock_timestamp() where id = ${operatorId}`.execute(tx);
  await sql`delete from sessions where last_seen_at < clock_timestamp() - interval ${sql.lit(IDLE)}`.execute(tx);
  await sql`
    delete from sessions where id in
      (select id from sessions where operator_id = ${operatorId} order by last_seen_at desc, id desc
        offset ${MOST_SESSIONS})`.execute(tx);
  return true;
}

/** Gives the operator of the session that is no more; null: there was none. */
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
}

/** The operator of a live session. */
export async function findSession(reader: Reader, tokenHash: Buffer): Promise<SessionOwner | null> {
  const { rows } = await sql<SessionOwner>`
    select o.id, o.login, o.role, s.id as session_id,
           coalesce((select jsonb_agg(c.company_id) from operator_companies c where c.operator_id = o.id), '[]') as companies
      from sessions s join operators o on o.id = s.operator_id
     where s.token_hash = ${tokenHash} and o.is_active and ${sql.raw(IS_OPEN)}`.execute(reader);
  return rows[0] ?? null;
}

/** Notes that the session was used; at most once a minute, without waking the other nodes' memories. */
export async function touchSession(reader: Reader, tokenHash: Buffer): Promise<void> {
  await sql`update sessions set last_seen_at = clock_timestamp()
             where token_hash = ${tokenHash} and last_seen_at < clock_timestamp() - interval '1 minute'`.execute(
    reader,
  );
}

/** Ends the sessions of an operator, but for the one of `except`. */
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

/** The open sessions of an operator, the one used last first. */
export async function sessionsOf(reader: Reader, operatorId: number): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select s.id, s.created_at, s.last_seen_at, s.network, s.browser from sessions s
     where s.operator_id = ${operatorId} and ${sql.raw(IS_OPEN)}
     order by s.last_seen_at desc, s.id desc`.execute(reader);
  return rows;
}

/** Ends one session of an operator. False: he has none of this id. */
export async function endSession(tx: Tx, operatorId: number, id: number): Promise<boolean> {
  const { rows } = await sql`delete from sessions where id = ${id} and operator_id = ${operatorId} returning 1`.execute(
    tx,
  );
  return rows.length > 0;
}

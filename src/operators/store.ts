/** Every SQL statement about operators, sessions and failed logins. */
import { type Generated, sql } from 'kysely';
import type { Reader, Tx } from '../platform/db.ts';
import type { roles } from './contract.ts';

type OperatorRole = (typeof roles)[number];

interface OperatorTable {
  id: Generated<number>;
  login: string;
  password_hash: string;
  role: OperatorRole;
  is_active: Generated<boolean>;
  created_at: Generated<string>;
  last_sign_in_at: string | null;
  revision: Generated<number>;
}
interface SessionTable {
  token_hash: Buffer;
  operator_id: number;
  created_at: Generated<string>;
  last_seen_at: Generated<string>;
}
interface LoginFailureTable {
  id: Generated<number>;
  login: string;
  address: string;
  at: Generated<string>;
}
interface OperatorCompanyTable {
  operator_id: number;
  company_id: number;
}

declare module '../platform/db.ts' {
  interface Tables {
    operators: OperatorTable;
    sessions: SessionTable;
    login_failures: LoginFailureTable;
    operator_companies: OperatorCompanyTable;
  }
}

export interface OperatorRow {
  id: number;
  login: string;
  password_hash: string;
  role: OperatorRole;
  is_active: boolean;
}

export const IDLE = '12 hours';
export const WHOLE = '7 days';

export function findOperator(reader: Reader, login: string): Promise<OperatorRow | undefined> {
  return reader
    .selectFrom('operators')
    .select(['id', 'login', 'password_hash', 'role', 'is_active'])
    .where(sql<boolean>`lower(login) = lower(${login})`)
    .executeTakeFirst();
}

export async function insertSession(tx: Tx, operatorId: number, tokenHash: Buffer): Promise<void> {
  await tx.insertInto('sessions').values({ operator_id: operatorId, token_hash: tokenHash }).execute();
  await sql`update operators set last_sign_in_at = clock_timestamp() where id = ${operatorId}`.execute(tx);
  await sql`delete from sessions where last_seen_at < clock_timestamp() - interval ${sql.lit(IDLE)}`.execute(tx);
}

export async function deleteSession(tx: Tx, tokenHash: Buffer): Promise<void> {
  await tx.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
}

interface SessionOwner {
  id: number;
  login: string;
  role: OperatorRole;
  companies: number[];
}

/** The operator of a live session. */
export async function findSession(reader: Reader, tokenHash: Buffer): Promise<SessionOwner | null> {
  const { rows } = await sql<SessionOwner>`
    select o.id, o.login, o.role,
           coalesce((select jsonb_agg(c.company_id) from operator_companies c where c.operator_id = o.id), '[]') as companies
      from sessions s join operators o on o.id = s.operator_id
     where s.token_hash = ${tokenHash} and o.is_active
       and s.last_seen_at > clock_timestamp() - interval ${sql.lit(IDLE)}
       and s.created_at > clock_timestamp() - interval ${sql.lit(WHOLE)}`.execute(reader);
  return rows[0] ?? null;
}

/** Notes that the session was used; at most once a minute, without waking the other nodes' memories. */
export async function touchSession(reader: Reader, tokenHash: Buffer): Promise<void> {
  await sql`update sessions set last_seen_at = clock_timestamp()
             where token_hash = ${tokenHash} and last_seen_at < clock_timestamp() - interval '1 minute'`.execute(
    reader,
  );
}

interface Failures {
  /** Of this login, and how long ago the oldest of them was, in seconds. */
  readonly count: number;
  readonly age: number;
  /** Of the address under any name, and the same of its oldest. */
  readonly all: number;
  readonly oldest: number;
}

/** Wrong logins from an address in the last five minutes. */
export async function countFailures(tx: Tx, login: string, address: string): Promise<Failures> {
  const { rows } = await sql<Failures>`
    select count(*) filter (where its_own) as count, count(*) as "all",
           coalesce(extract(epoch from clock_timestamp() - min(at) filter (where its_own)), 0)::float8 as age,
           coalesce(extract(epoch from clock_timestamp() - min(at)), 0)::float8 as oldest
      from (select at, login = lower(${login}) as its_own from login_failures
             where address = ${address} and at > clock_timestamp() - interval '5 minutes') f`.execute(tx);
  return rows[0] ?? { count: 0, age: 0, all: 0, oldest: 0 };
}

/** Serialises the attempts from one address, so that parallel guesses are counted. */
export async function lockAttempts(tx: Tx, address: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`login ${address}`}, 0))`.execute(tx);
}

export async function insertFailure(tx: Tx, login: string, address: string): Promise<void> {
  await sql`insert into login_failures (login, address) values (lower(${login}), ${address})`.execute(tx);
  await sql`delete from login_failures where at < clock_timestamp() - interval '1 hour'`.execute(tx);
}

export async function clearFailures(tx: Tx, login: string, address: string): Promise<void> {
  await sql`delete from login_failures where login = lower(${login}) and address = ${address}`.execute(tx);
}

export async function insertOperator(
  tx: Tx,
  operator: { login: string; passwordHash: string; role: OperatorRole; companies: readonly number[] },
): Promise<number> {
  const row = await tx
    .insertInto('operators')
    .values({ login: operator.login, password_hash: operator.passwordHash, role: operator.role })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const company of operator.companies) {
    await tx.insertInto('operator_companies').values({ operator_id: row.id, company_id: company }).execute();
  }
  return row.id;
}

export async function setPassword(tx: Tx, operatorId: number, passwordHash: string): Promise<void> {
  await tx.updateTable('operators').set({ password_hash: passwordHash }).where('id', '=', operatorId).execute();
}

/** Ends the sessions of an operator, but for the one of `except`. */
export async function endSessions(tx: Tx, operatorId: number, except: Buffer | null = null): Promise<void> {
  await sql`delete from sessions where operator_id = ${operatorId} and (${except}::bytea is null or token_hash <> ${except})`.execute(
    tx,
  );
}

/** Holds all admins who can sign in, so that no two of them shut each other out at once. Gives their ids. */
export async function holdAdmins(tx: Tx): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from operators where role = 'admin' and is_active order by id for update`.execute(tx);
  return rows.map((row) => row.id);
}

/** An operator with the companies he belongs to, locked. */
export async function lockOperator(tx: Tx, id: number): Promise<OperatorLine | undefined> {
  const { rows } = await sql<OperatorLine>`
    select o.id, o.login, o.role, o.is_active,
           coalesce((select jsonb_agg(c.company_id order by c.company_id) from operator_companies c where c.operator_id = o.id), '[]') as companies
      from operators o where o.id = ${id} for update`.execute(tx);
  return rows[0];
}

export async function setRole(
  tx: Tx,
  id: number,
  to: { role: OperatorRole; isActive: boolean; companies: readonly number[] },
): Promise<void> {
  await sql`
    update operators set role = ${to.role}, is_active = ${to.isActive}, revision = revision + 1
     where id = ${id}`.execute(tx);
  await tx.deleteFrom('operator_companies').where('operator_id', '=', id).execute();
  await sql`
    insert into operator_companies (operator_id, company_id)
    select ${id}, company from unnest(${[...to.companies]}::bigint[]) company`.execute(tx);
}

export interface OperatorLine {
  id: number;
  login: string;
  role: OperatorRole;
  is_active: boolean;
  companies: number[];
}

export async function listOperators(reader: Reader): Promise<OperatorLine[]> {
  const { rows } = await sql<OperatorLine>`
    select o.id, o.login, o.role, o.is_active,
           coalesce((select jsonb_agg(c.company_id order by c.company_id) from operator_companies c where c.operator_id = o.id), '[]') as companies
      from operators o order by o.id`.execute(reader);
  return rows;
}

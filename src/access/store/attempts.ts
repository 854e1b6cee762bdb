/** SQL statements about attempts at a password or second factor. */
import { sql } from 'kysely';
import type { Row, Tx } from '../../platform/db.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    login_failures: Row<'login_failures'>;
  }
}

interface Failures {
  /** Failures of this login, and seconds since the oldest of them. */
  readonly count: number;
  readonly age: number;
  /** Failures of the address with any login, and seconds since the oldest of them. */
  readonly all: number;
  readonly oldest: number;
}

/** Count the wrong logins from an address in the last five minutes. */
export async function countFailures(tx: Tx, login: string, address: string): Promise<Failures> {
  const { rows } = await sql<Failures>`
    select count(*) filter (where its_own) as count, count(*) as "all",
           coalesce(extract(epoch from clock_timestamp() - min(at) filter (where its_own)), 0)::float8 as age,
           coalesce(extract(epoch from clock_timestamp() - min(at)), 0)::float8 as oldest
      from (select at, login = lower(${login}) as its_own from login_failures
             where address = ${address} and at > clock_timestamp() - interval '5 minutes') f`.execute(tx);
  return rows[0] ?? { count: 0, age: 0, all: 0, oldest: 0 };
}

/** Serialize the attempts from one address, so that parallel guesses are counted. */
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

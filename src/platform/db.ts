/** The database: its types, and what its errors mean. */
import type { Generated, Kysely, Transaction } from 'kysely';
import type pg from 'pg';
import type { Rows } from './postgres/rows.ts';

/** All tables, by name. Each module adds its own by declaration merging, beside its store. */
// Modules fill it in by declaration merging
export interface Tables {}

/**
 * A table's row as PostgreSQL stores it, with columns whose values are narrower than its types say: unions, JSON. Null
 * and defaults stay as they are.
 */
export type Row<Name extends keyof Rows, Narrow extends { [Column in keyof Rows[Name]]?: unknown } = object> = Omit<
  Rows[Name],
  keyof Narrow
> & {
  [Column in keyof Narrow & keyof Rows[Name]]: Rows[Name][Column] extends Generated<infer Stored>
    ? Generated<Narrow[Column] | Extract<Stored, null>>
    : Narrow[Column] | Extract<Rows[Name][Column], null>;
};

/** A reader: the pool or a transaction. */
export type Reader = Kysely<Tables>;
/** A transaction. Only code that has one may write. */
export type Tx = Transaction<Tables> & { readonly isTransaction: true };

/** Connections of one use, and the ways to use them. */
export interface Connections {
  readonly pool: pg.Pool;
  readonly reader: Reader;
  /** Run `work` in a transaction. Repeats it after a deadlock or a serialisation conflict. */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** The database as requests use it, and apart from that what must not wait behind them. */
export interface Db extends Connections {
  /** Connections for vendors' hooks alone: hooks do not wait behind other work for the database. */
  readonly hookPool: pg.Pool;
  /**
   * Reader for sessions and the owners of secrets. It has its own connections, so authentication does not wait behind
   * other work.
   */
  readonly authReader: Reader;
  /**
   * Connections of jobs and sweeps. They read and write nearly every table, and PostgreSQL keeps what it knows of tables
   * and statements for each connection: 12 MB against the 2 MB of one that answers requests.
   */
  readonly background: Connections;
  close(): Promise<void>;
}

/** Return PostgreSQL's code of an error, if it has one. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Return the unique, foreign key or check constraint that refused a write; null for any other error. */
export function violatedConstraint(error: unknown): { kind: 'unique' | 'foreign' | 'check'; name: string } | null {
  const state = sqlState(error);
  const name = error instanceof Error && 'constraint' in error ? String(error.constraint) : '';
  if (state === '23505') return { kind: 'unique', name };
  if (state === '23503') return { kind: 'foreign', name };
  if (state === '23514') return { kind: 'check', name };
  return null;
}

/** Whether an error means that the database is unavailable, not that the statement was wrong. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined && /^(08|57P0[123]|53)/.test(state)) return true;
  // Any error that ends the session itself, such as a refused connection.
  if (error instanceof Error && 'severity' in error && error.severity === 'FATAL') return true;
  if (state !== undefined && ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'].includes(state))
    return true;
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
      error.message,
    )
  );
}

/** Whether the database cancelled a statement because it took too long, or waited too long for a lock. */
export function isTooSlow(error: unknown): boolean {
  return ['57014', '55P03'].includes(sqlState(error) ?? '');
}

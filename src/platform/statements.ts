/**
 * Prepared statements: the database keeps them parsed by name, and planned where one plan fits, up to a limit per
 * connection.
 */
import { createHash } from 'node:crypto';
import { type PostgresDialectConfig, type RawBuilder, sql } from 'kysely';
import type pg from 'pg';

type Pool = Exclude<PostgresDialectConfig['pool'], (...args: never[]) => unknown>;

export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * Number of prepared statements that a connection keeps, for lists and for all others. The least recently used is
 * dropped first. A list's statement varies with the given filters, and the plan of one takes up to 100 KB of the
 * connection's memory. [2,146 lists with other filters each took 16 connections from 31 MB to 3.6 GB]
 */
export const MAX_PREPARED = { list: 24, other: 300 } as const;

/**
 * Number of names that this process caches; a name is derived from the text, so that a dropped one costs only a hash.
 */
const MAX_NAMES = 2000;

const statements = new Map<string, Statement>();

const LIST = 'list-';

function remember(text: string, prefix: string): Statement {
  const existing = statements.get(text);
  if (existing) return existing;
  const statement = { name: prefix + createHash('sha1').update(text).digest('base64url').slice(0, 24), text };
  const [oldest] = statements.keys();
  if (statements.size >= MAX_NAMES && oldest !== undefined) statements.delete(oldest);
  statements.set(text, statement);
  return statement;
}

/** Return a named statement for this text; the name is derived from the text, so that all nodes and restarts agree. */
export const prepared = (text: string): Statement => remember(text, '');

/** Return a named statement for a list, whose text depends on the request. */
export const preparedList = (text: string): Statement => remember(text, LIST);

/**
 * Return a list of ids as a value whose length the planner does not see: one plan then fits all lists, and the database
 * keeps it. A short list's own plan always looks cheaper, so that the statement would be planned for every call, which
 * for the facts of a lead takes 5 ms.
 */
export const idList = (ids: readonly number[]): RawBuilder<number[]> => sql`(select ${[...ids]}::bigint[])::bigint[]`;

/**
 * In a statement of a transaction: those that follow are planned without looking at their values, once for each
 * connection and not six times. Only where no statement needs its values for its plan, as one would whose partial index
 * fits a value. [The facts of leads: 2.5 ms for each batch of first messages]
 */
export const planOnce = sql`set_config('plan_cache_mode', 'force_generic_plan', true)`;

/**
 * Whether an error means that a newer node's migration has changed the result of a prepared statement; the statement is
 * dropped with its connection.
 */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof Error && /cached plan must not change result type/.test(error.message);

/** Make a connection drop its least recently used statements beyond `MAX_PREPARED`. */
export function limitPreparedStatements(client: pg.Client | pg.PoolClient): void {
  const preparedNames = { list: new Set<string>(), other: new Set<string>() };
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;

  function touch(name: string): void {
    const kind = name.startsWith(LIST) ? 'list' : 'other';
    const names = preparedNames[kind];
    names.delete(name);
    names.add(name);
    const [oldest] = names;
    if (names.size <= MAX_PREPARED[kind] || oldest === undefined) return;
    names.delete(oldest);
    query(`deallocate "${oldest}"`, (error: Error | null) => {
      // In a failed transaction no statement can be dropped: keep it, and drop it later.
      if (error) names.add(oldest);
      else forgetParsed(client, oldest);
    });
  }

  const limitedQuery = (first: unknown, ...rest: unknown[]): unknown => {
    if (typeof first === 'object' && first !== null && 'name' in first && typeof first.name === 'string')
      touch(first.name);
    return query(first, ...rest);
  };
  Reflect.set(client, 'query', limitedQuery);
}

/** Clear the driver's record of a parsed statement; otherwise it would not have it parsed again. */
function forgetParsed(client: pg.Client | pg.PoolClient, name: string): void {
  const connection: unknown = Reflect.get(client, 'connection');
  if (typeof connection !== 'object' || connection === null) return;
  const parsed: unknown = Reflect.get(connection, 'parsedStatements');
  if (typeof parsed === 'object' && parsed !== null) Reflect.deleteProperty(parsed, name);
}

/** Wrap the pool for the query builder: every statement with values becomes a named one. */
export function withPreparedStatements(pool: pg.Pool): Pool {
  const wrappedClients = new WeakMap<pg.PoolClient, pg.PoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const wrapped = wrappedClients.get(client) ?? wrapClient(client);
      wrappedClients.set(client, wrapped);
      return wrapped;
    },
  };
}

/** Longest statement without values that is not prepared, characters: `begin`, `commit`, reads of the clock. */
const MAX_UNPREPARED = 200;

function wrapClient(client: pg.PoolClient): pg.PoolClient {
  let isStale = false;
  const query = async (text: string, values: readonly unknown[]) => {
    try {
      const isPrepared = values.length > 0 || text.length > MAX_UNPREPARED;
      return await client.query(isPrepared ? { ...prepared(text), values: [...values] } : text);
    } catch (error) {
      isStale ||= isStalePlan(error);
      throw error;
    }
  };
  const release = (destroy?: boolean) => client.release(destroy === true || isStale);
  return new Proxy(client, {
    get(target, key) {
      if (key === 'query') return query;
      return key === 'release' ? release : Reflect.get(target, key, target);
    },
  });
}

/** Statements that the database keeps parsed, and planned where one plan serves: by name, so many a connection. */
import { createHash } from 'node:crypto';
import type { PostgresDialectConfig } from 'kysely';
import type pg from 'pg';

type Pool = Exclude<PostgresDialectConfig['pool'], (...args: never[]) => unknown>;

export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * Statements that a connection keeps at once, those of lists and all others. The least recently used gives way. A list's
 * varies with the filters that are given, and the plan of one takes up to 100 KB of the connection's memory. [2,146 lists
 * with other filters each took 16 connections from 31 MB to 3.6 GB]
 */
export const MAX_PREPARED = { list: 24, other: 300 } as const;

/** Names that this process remembers; they follow from the text, so that forgetting one costs a hash. */
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

/** A named statement for this text; the name follows from the text, so all nodes and restarts agree. */
export const prepared = (text: string): Statement => remember(text, '');

/** The same for a text that depends on what somebody asks for. */
export const preparedList = (text: string): Statement => remember(text, LIST);

/** A migration of a newer node changed what a kept statement answers; the statement is gone with its connection. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof Error && /cached plan must not change result type/.test(error.message);

/** Has a connection give up the least recently used statements beyond `MOST_KEPT`. */
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
      // In a transaction that has failed nothing can be given up: it is kept, and given up later.
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

/** The driver remembers what it has had parsed, and would not have it parsed again. */
function forgetParsed(client: pg.Client | pg.PoolClient, name: string): void {
  const connection: unknown = Reflect.get(client, 'connection');
  if (typeof connection !== 'object' || connection === null) return;
  const parsed: unknown = Reflect.get(connection, 'parsedStatements');
  if (typeof parsed === 'object' && parsed !== null) Reflect.deleteProperty(parsed, name);
}

/** The pool as the query builder sees it: every statement with values is a named one. */
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

function wrapClient(client: pg.PoolClient): pg.PoolClient {
  let isStale = false;
  const query = async (text: string, values: readonly unknown[]) => {
    try {
      // What takes no values is short or rare: `begin`, `commit`, looks at a clock.
      return await client.query(values.length > 0 ? { ...prepared(text), values: [...values] } : text);
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

/** Statements that the database keeps parsed, and planned where one plan serves: by name, a connection each. */
import { createHash } from 'node:crypto';
import type { PostgresDialectConfig } from 'kysely';
import type pg from 'pg';

type Pool = Exclude<PostgresDialectConfig['pool'], (...given: never[]) => unknown>;

export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Texts that vary (lists of values written out) would fill every connection's memory without end. */
const MOST_NAMES = 2000;

const statements = new Map<string, Statement>();

/** A named statement for this text; the name follows from the text, so all nodes and restarts agree. */
export function prepared(text: string): Statement {
  const known = statements.get(text);
  if (known) return known;
  const made = { name: createHash('sha1').update(text).digest('base64url').slice(0, 24), text };
  statements.set(text, made);
  return made;
}

const nameOf = (text: string): Statement | { text: string } =>
  statements.has(text) || statements.size < MOST_NAMES ? prepared(text) : { text };

/** A migration of a newer node changed what a kept statement answers; the statement is gone with its connection. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof Error && /cached plan must not change result type/.test(error.message);

/** The pool as the query builder sees it: every statement with values is a named one. */
export function named(pool: pg.Pool): Pool {
  const known = new WeakMap<pg.PoolClient, pg.PoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const made = known.get(client) ?? ofClient(client);
      known.set(client, made);
      return made;
    },
  };
}

function ofClient(client: pg.PoolClient): pg.PoolClient {
  let outdated = false;
  const query = async (text: string, values: readonly unknown[]) => {
    try {
      // What takes no values is short or rare: `begin`, `commit`, looks at a clock.
      return await client.query(values.length > 0 ? { ...nameOf(text), values: [...values] } : text);
    } catch (error) {
      outdated ||= isOutdated(error);
      throw error;
    }
  };
  const release = (destroy?: boolean) => client.release(destroy === true || outdated);
  return new Proxy(client, {
    get(target, key) {
      if (key === 'query') return query;
      return key === 'release' ? release : Reflect.get(target, key, target);
    },
  });
}

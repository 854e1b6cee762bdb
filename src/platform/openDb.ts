/** Opens the database: its pools, the conversion of its types, and transactions. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { type CommitSink, flushAfterCommit } from './afterCommit.ts';
import { DEFAULT_DATABASE_CONNECTIONS } from './config.ts';
import { type Connections, type Db, type Reader, sqlState, type Tables, type Tx } from './db.ts';
import { failpoint } from './failpoint.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { sendNotifications } from './notifications.ts';
import { isStalePlan, limitPreparedStatements, withPreparedStatements } from './statements.ts';

const OID = { int8: 20, timestamptz: 1184, date: 1082, numeric: 1700 };

/**
 * Convert PostgreSQL's text of a timestamptz in UTC to ISO-8601 with milliseconds and Z. Text instead of Date: measured
 * at 1.7 times the rows per second, and no precision is invented.
 */
export function isoFromText(value: string): string {
  // 2026-01-02 03:04:05.6+00
  const end = value.length - 3;
  const fraction = end > 20 ? value.slice(20, Math.min(end, 23)).padEnd(3, '0') : '000';
  return `${value.slice(0, 10)}T${value.slice(11, 19)}.${fraction}Z`;
}

const parsers: Record<number, (value: string) => unknown> = {
  [OID.int8]: Number,
  [OID.numeric]: Number,
  [OID.timestamptz]: isoFromText,
  [OID.date]: (value) => value,
};

/** Return how PostgreSQL's text of a type is read. */
export const parserOf = (oid: number): ((value: string) => unknown) => parsers[oid] ?? pg.types.getTypeParser(oid);

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    format === 'binary'
      ? pg.types.getTypeParser(oid, 'binary')
      : parserOf(oid)) as pg.CustomTypesConfig['getTypeParser'],
};

/** SQLSTATEs after which the same transaction may succeed. */
const RETRYABLE = new Set(['40001', '40P01']);
const MAX_RETRIES = 5;

interface PoolOptions {
  readonly max: number;
  readonly name: string;
  readonly rawTypes?: boolean;
  /** Seconds a caller may wait for a connection. */
  readonly waitSeconds?: number;
  /** Seconds a statement may take. */
  readonly statementSeconds?: number;
  /** Whether statements are planned once, not for the values of each call. */
  readonly genericPlan?: boolean;
  readonly metrics?: Metrics | undefined;
}

/** Open a pool on `url`. Timestamps are returned as ISO strings, bigints as numbers. */
export function openPool(url: string, log: Log, options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max,
    application_name: options.name,
    connectionTimeoutMillis: (options.waitSeconds ?? 5) * 1000,
    idleTimeoutMillis: 30_000,
    statement_timeout: (options.statementSeconds ?? 20) * 1000,
    idle_in_transaction_session_timeout: 60_000,
    options: `-c timezone=UTC${options.genericPlan ? ' -c plan_cache_mode=force_generic_plan' : ''}`,
    ...(options.rawTypes ? {} : { types }),
  });
  // Without a listener the process would crash when PostgreSQL restarts.
  pool.on('error', (error) => {
    // While the pool is closing, the server may cut a connection that we are about to close.
    if (!pool.ending) log.warn({ error: error.message, pool: options.name }, 'database connection lost');
  });
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    limitPreparedStatements(client);
  });
  const { metrics, max, name } = options;
  if (metrics) measurePoolWaits(pool, max, (seconds) => metrics.poolWaits.observe({ pool: name }, seconds));
  return pool;
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** Report how long each caller waited that found all connections in use. */
function measurePoolWaits(pool: pg.Pool, max: number, onWait: (seconds: number) => void): void {
  const connectNow = pool.connect.bind(pool);
  function connect(): Promise<pg.PoolClient>;
  function connect(callback: ConnectCallback): void;
  function connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    const isFree = pool.idleCount > 0 || pool.totalCount < max;
    const startedAt = performance.now();
    const report = () => isFree || onWait((performance.now() - startedAt) / 1000);
    if (!callback) return isFree ? connectNow() : connectNow().finally(report);
    connectNow((error, client, done) => {
      report();
      callback(error, client, done);
    });
  }
  pool.connect = connect;
}

/**
 * Hooks are written one batch at a time; the second connection is for the moment when the first breaks. Their statement
 * has only one possible plan, so planning it for each batch is wasted [a sixth of its time].
 */
const HOOK_POOL = { max: 2, name: 'rapport intake', statementSeconds: 10, genericPlan: true };

/** Each of these statements is one index lookup. */
const AUTH_POOL = { max: 2, name: 'rapport access', statementSeconds: 5 };

interface DbOptions {
  readonly max?: number;
  /** Seconds a caller may wait for a connection. */
  readonly waitSeconds?: number;
  /** Receives the counts of transactions and the waiting times for connections. */
  readonly metrics?: Metrics;
}

/** Open the pools on `url`: `max` connections for requests, and as many for jobs and sweeps. */
export function openDb(
  url: string,
  log: Log,
  { max = DEFAULT_DATABASE_CONNECTIONS, waitSeconds = 5, metrics }: DbOptions = {},
): Db {
  const open = (options: PoolOptions) => openPool(url, log, { waitSeconds, metrics, ...options });
  const pools = {
    requests: open({ max, name: 'rapport' }),
    background: open({ max, name: 'rapport background' }),
    intake: open(HOOK_POOL),
    access: open(AUTH_POOL),
  };
  const sink: CommitSink = { log, count: (name, labels) => metrics?.count(name, labels) };
  return {
    ...connectionsOf(pools.requests, sink),
    background: connectionsOf(pools.background, sink),
    hookPool: pools.intake,
    authReader: createReader(pools.access),
    close: async () => void (await Promise.all(Object.values(pools).map((pool) => pool.end()))),
  };
}

const createReader = (pool: pg.Pool): Reader =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool: withPreparedStatements(pool) }) });

function connectionsOf(pool: pg.Pool, sink: CommitSink): Connections {
  const reader = createReader(pool);
  return {
    pool,
    reader,
    async transact(work) {
      for (let attempt = 0; ; attempt++) {
        try {
          let committed: Tx | null = null;
          const result = await reader.transaction().execute(async (tx) => {
            committed = tx;
            const outcome = await work(tx);
            await sendNotifications(tx);
            failpoint('db.beforeCommit');
            return outcome;
          });
          failpoint('db.afterCommit');
          if (committed !== null) flushAfterCommit(committed, sink);
          return result;
        } catch (error) {
          const state = sqlState(error);
          const isRetryable = (state !== undefined && RETRYABLE.has(state)) || isStalePlan(error);
          if (!isRetryable || attempt >= MAX_RETRIES) throw error;
        }
      }
    },
  };
}

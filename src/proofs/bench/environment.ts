/**
 * The environment of the measurements: a PostgreSQL of its own with fsync on, a hundred products of a thousand leads,
 * and both servers.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../platform/migrate.ts';
import { startPostgres } from '../../platform/postgres/supervisor.ts';
import type { Client } from '../../testing/client.ts';
import { connectHooks, type ServerProcess, startServer } from '../../testing/serverProcess.ts';
import { createWorld, freePort, type World } from '../../testing/world.ts';
import { TABLES } from './bareIngest.ts';

/** Production settings, not those of the tests. */
export const PRODUCTION_SETTINGS = {
  RAPPORT_STRICT_REPLIES: 'off',
  RAPPORT_SWEEP_SECONDS: '1',
  RAPPORT_HEARTBEAT_SECONDS: '4',
  RAPPORT_RETRY_BASE_SECONDS: '2',
  RAPPORT_LOG_LEVEL: 'info',
};

export interface BenchEnvironment {
  readonly postgres: string;
  readonly world: World;
  readonly pool: pg.Pool;
  readonly operator: Client;
  readonly bareUrl: string;
  readonly barePid: number | undefined;
  /** A product with a thousand leads. */
  readonly productId: number;
  /** Address of the account's hook. */
  readonly hookUrl: string;
  /** Stop the running server and start one with these settings. */
  serve(env: Record<string, string>): Promise<ServerProcess>;
  close(): Promise<void>;
}

export interface Cluster {
  /** Address of an empty database that exists from the start. */
  readonly url: string;
  /** Version of the server, as `18.4`. */
  readonly version: string;
  /** Process id of the postmaster. */
  readonly postmaster: number;
  stop(): Promise<void>;
}

/** Start a PostgreSQL of its own with production settings. `stop` deletes its data. */
export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-bench-'));
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log: quiet });
  const client = new pg.Client({ connectionString: postgres.superuserUrl });
  await client.connect();
  const { rows } = await client.query<{ version: string; cluster: string }>(
    "select current_setting('server_version') as version, current_setting('data_directory') as cluster",
  );
  await client.end();
  const [server] = rows;
  if (!server) throw new Error('PostgreSQL does not say what it is');
  return {
    url: postgres.superuserUrl,
    version: server.version,
    postmaster: Number(readFileSync(join(server.cluster, 'postmaster.pid'), 'utf8').split('\n', 1)[0]),
    async stop() {
      await postgres.stop();
      // Root's cluster lies outside the data directory, see locateCluster; a million messages are two gigabytes.
      for (const path of [server.cluster, `${server.cluster}.belongs-to`, folder])
        rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Create a world on an empty database, for servers that are started in it with production settings. */
export async function createWorldOn(url: string, env: Readonly<Record<string, string>> = {}): Promise<World> {
  await migrate(url);
  return createWorld({
    serve: false,
    database: { url, drop: async () => undefined },
    env: { ...PRODUCTION_SETTINGS, ...env },
  });
}

export async function openEnvironment(): Promise<BenchEnvironment> {
  const postgres = await startCluster();
  const world = await createWorldOn(postgres.url);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
  const productId = await fill(pool, world.companyId);
  let server = startServer(world);
  await server.waitUntilReady();
  const operator = await world.operator();
  await connectHooks(world);
  const [account] = await world.control.accounts();
  const barePort = await freePort();
  const bare = await startBaseline(postgres.url, barePort);
  return {
    postgres: postgres.version,
    world,
    pool,
    operator,
    productId,
    bareUrl: `http://127.0.0.1:${barePort}`,
    barePid: bare.pid,
    hookUrl: account?.webhooksUri ?? '',
    async serve(env) {
      await server.stop();
      server = startServer(world, env);
      await server.waitUntilReady();
      return server;
    },
    async close() {
      await server.stop();
      bare.kill();
      await pool.end();
      await world.close();
      await postgres.stop();
    },
  };
}

/** Start a bare handler on loopback and wait until it answers. */
export async function startBaseline(
  databaseUrl: string,
  port: number,
  program = 'bare.ts',
  extraEnv: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, program)], {
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, PORT: String(port), ...extraEnv },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.once('exit', () => child.kill());
  for (let tries = 0; tries < 500; tries++) {
    const isUp = await fetch(`http://127.0.0.1:${port}/?product_id=1&limit=1&page=1`).then(
      () => true,
      () => false,
    );
    if (isUp) return child;
    await pause(20);
  }
  throw new Error('The bare server does not start');
}

/** Create 100,000 leads, mixed as in production; return a product that has 1,000 of them. */
async function fill(pool: pg.Pool, companyId: number): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(
    "insert into products (company_id, name) select $1, 'Product ' || n from generate_series(1, 100) n returning id",
    [companyId],
  );
  const ids = rows.map((row) => Number(row.id));
  await pool.query(
    `insert into leads (product_id, name, crm_fields, stage, timezone, created_at)
     select ($1::bigint[])[1 + n % 100], 'Lead ' || n, jsonb_build_object('city', 'City ' || n % 50, 'budget', n),
            (array['initial', 'started', 'ongoing', 'pending'])[1 + n / 100 % 4], 'Europe/Moscow', now() - n * interval '1 minute'
       from generate_series(1, 100000) n`,
    [ids],
  );
  await pool.query(TABLES);
  await pool.query('vacuum analyze');
  return ids[50] ?? 0;
}

/** Build a Wazzup24 hook with one new message; `[<id>]` becomes another id in every request. */
export const hookBody = (channelRef: string): string =>
  JSON.stringify({
    messages: [
      {
        messageId: '[<id>]',
        channelId: channelRef,
        chatType: 'whatsapp',
        chatId: '79005550000',
        dateTime: new Date().toISOString(),
        type: 'text',
        status: 'inbound',
        isEcho: false,
        contact: { name: 'Anna' },
        text: 'How long does delivery take?',
      },
    ],
  });

/** The environment of the measurements: our server and the baseline beside it, on one database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Client } from '../../testing/client.ts';
import { hookUrl, inboundItem } from '../../testing/messageRows.ts';
import { freePort, type World } from '../../testing/world.ts';
import { type Cluster, type ServerNode, withNodes } from '../harness/world.ts';

/** Create the tables that the baseline writes hooks to. */
export const BARE_TABLES = `
  create table bare_messages (id bigint generated always as identity primary key, ext_id text not null, chat_id bigint not null,
                              body text not null, sent_at timestamptz not null);
  create table bare_chats (id bigint primary key, last_at timestamptz, unread int not null default 0);
  insert into bare_chats (id) select n from generate_series(1, 1000) n`;

export interface Baseline {
  readonly url: string;
  readonly child: ChildProcess;
  /** Milliseconds from the start of the process to its first answer. */
  readonly startMs: number;
}

interface BaselineOptions {
  readonly program?: 'bareServer.ts' | 'bareStreams.ts';
  readonly env?: Readonly<Record<string, string>>;
}

/** Start a baseline on loopback and wait until it answers. */
export async function startBaseline(
  databaseUrl: string,
  { program = 'bareServer.ts', env = {} }: BaselineOptions = {},
): Promise<Baseline> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(import.meta.dirname, program)], {
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, PORT: String(port), ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.once('exit', () => child.kill());
  for (let tries = 0; tries < 2000; tries++) {
    const isUp = await fetch(`${url}/?product_id=1&limit=1`).then(
      () => true,
      () => false,
    );
    if (isUp) return { url, child, startMs: performance.now() - startedAt };
    await pause(5);
  }
  throw new Error('The baseline does not start');
}

export interface BenchEnvironment {
  readonly world: World;
  readonly cluster: Cluster;
  readonly node: ServerNode;
  readonly operator: Client;
  readonly bare: Baseline;
  /** A product with a thousand of a hundred thousand leads. */
  readonly productId: number;
  /** Address of the account's hook. */
  readonly hookUrl: string;
}

/** Fill a hundred products with a thousand leads each, serve them by a node and the baseline, and measure. */
export function withBaseline<T>(
  env: Record<string, string>,
  work: (environment: BenchEnvironment) => Promise<T>,
): Promise<T> {
  return withNodes({ production: true, nodes: [env] }, async (world, [node], cluster) => {
    if (!node) throw new Error('There is no node');
    const productId = await fill(world);
    const bare = await startBaseline(cluster.url);
    const operator = await world.operator();
    return work({ world, cluster, node, operator, bare, productId, hookUrl: await hookUrl(world) }).finally(() =>
      bare.child.kill(),
    );
  });
}

/** Create 100,000 leads, mixed as in production; return a product that has 1,000 of them. */
async function fill({ pool, companyId }: World): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    "insert into products (company_id, name) select $1, 'Product ' || n from generate_series(1, 100) n returning id::int",
    [companyId],
  );
  await pool.query(
    `insert into leads (product_id, name, crm_fields, stage, timezone, created_at)
     select ($1::bigint[])[1 + n % 100], 'Lead ' || n, jsonb_build_object('city', 'City ' || n % 50, 'budget', n),
            (array['initial', 'started', 'ongoing', 'pending'])[1 + n / 100 % 4], 'Europe/Moscow', now() - n * interval '1 minute'
       from generate_series(1, 100000) n`,
    [rows.map(({ id }) => id)],
  );
  await pool.query(BARE_TABLES);
  await pool.query('vacuum analyze');
  return rows[50]?.id ?? 0;
}

/** Build a Wazzup24 hook with one new message; `[<id>]` becomes another id in every request of autocannon. */
export const hookBody = (world: World): string =>
  JSON.stringify({
    messages: [inboundItem(world, '79005550000', 'How long does delivery take?', { messageId: '[<id>]' })],
  });

export const JSON_HEADERS = { 'content-type': 'application/json; charset-utf-8' };

/** Open a pool that may take as long as filling a large table does. */
export const openFillPool = (url: string): pg.Pool => new pg.Pool({ connectionString: url, max: 2 });

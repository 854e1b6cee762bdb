/** A PostgreSQL and a world of its own for each proof, and the server processes in it. */
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type App, startApp } from '../../app.ts';
import { type Config, readConfig } from '../../platform/config.ts';
import { createLog } from '../../platform/log.ts';
import { migrate } from '../../platform/migrate.ts';
import { openDb } from '../../platform/openDb.ts';
import { type Postgres, type PostgresOptions, startPostgres } from '../../platform/postgres/supervisor.ts';
import { connectHooks, type ServerProcess, startServer } from '../../testing/serverProcess.ts';
import { createWorld, freePort, type World, type WorldOptions } from '../../testing/world.ts';
import { startBalancer } from './balancer.ts';
import type { Outcome, Run } from './command.ts';

export interface Cluster {
  /** Address of an empty database that exists from the start. */
  readonly url: string;
  /** Process id of the postmaster. */
  readonly postmaster: number;
  readonly postgres: Postgres;
  /** Folder for logs and whatever else a proof leaves; removed at the end unless `keep` was called. */
  readonly folder: string;
  keep(): void;
}

interface ClusterOptions {
  /** Settings of PostgreSQL on top of those of the product. */
  readonly postgres?: PostgresOptions['settings'];
  /** Where its data lies; by default in the cluster's folder. */
  readonly dataDir?: string;
  /** Called with every error that the supervisor logs. */
  readonly onError?: (sentence: string) => void;
}

/** Start a PostgreSQL, run the work, stop it and delete its data. */
export async function withCluster<T>(options: ClusterOptions, work: (cluster: Cluster) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-proof-'));
  // As root, PostgreSQL runs as another user, which must be able to pass this folder; otherwise the database would be
  // created, and stay, elsewhere.
  chmodSync(folder, 0o711);
  const none = (): undefined => undefined;
  const postgres = await startPostgres({
    dataDir: options.dataDir ?? join(folder, 'postgres'),
    log: { info: none, warn: none, error: (_facts: object, sentence: string) => options.onError?.(sentence) },
    settings: options.postgres ?? {},
  });
  const data = await dataDirectory(postgres.superuserUrl);
  let isKept = false;
  try {
    return await work({
      url: postgres.superuserUrl,
      postmaster: Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]),
      postgres,
      folder,
      keep: () => {
        isKept = true;
      },
    });
  } finally {
    await postgres.stop();
    // Root's cluster may lie outside the data directory, see locateCluster.
    if (!isKept)
      for (const path of [data, `${data}.belongs-to`, folder]) rmSync(path, { recursive: true, force: true });
  }
}

async function dataDirectory(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  await client.end();
  return rows[0]?.data_directory ?? '';
}

/** Run work with an app in this process; by default it serves nothing. */
export async function withApp<T>(
  world: World,
  work: (app: App) => Promise<T>,
  roles: Config['roles'] = [],
): Promise<T> {
  const env = world.env({ PORT: '0', RAPPORT_PUBLIC_URL: world.url });
  const app = await startApp({ ...readConfig(env), roles }, createLog('silent'));
  return work(app).finally(() => app.stop());
}

/** Settings of a product in use, not those of the tests. */
const PRODUCTION_SETTINGS = {
  RAPPORT_STRICT_REPLIES: 'off',
  RAPPORT_SWEEP_SECONDS: '1',
  RAPPORT_HEARTBEAT_SECONDS: '4',
  RAPPORT_RETRY_BASE_SECONDS: '2',
  RAPPORT_LOG_LEVEL: 'error',
};

interface ProofWorldOptions extends Omit<WorldOptions, 'database'>, ClusterOptions {
  /** Use the settings of a product in use. */
  readonly production?: boolean;
}

/** Create a world on a cluster of its own, run the work, and remove both. It serves nothing unless requested. */
export function withWorld<T>(
  options: ProofWorldOptions,
  work: (world: World, cluster: Cluster) => Promise<T>,
): Promise<T> {
  return withCluster(options, async (cluster) => {
    const world = await createWorldOn(cluster.url, options);
    try {
      return await work(world, cluster);
    } finally {
      await world.close();
    }
  });
}

/** Create a world on an empty database. */
export async function createWorldOn(url: string, options: ProofWorldOptions = {}): Promise<World> {
  await migrate(url);
  return createWorld({
    serve: options.serve ?? false,
    ...(options.emulators ? { emulators: options.emulators } : {}),
    database: { url, drop: async () => undefined },
    env: { ...(options.production ? PRODUCTION_SETTINGS : {}), ...options.env },
  });
}

/** Open a pool as the product does: it parses numbers and instants likewise. */
export const openProductPool = (url: string, max: number) => openDb(url, createLog('silent'), { max });

/** Create a database on the cluster and return its address. */
export async function createDatabase(cluster: Cluster, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await client.query(`create database ${pg.escapeIdentifier(name)}`);
  await client.end();
  const address = new URL(cluster.url);
  address.pathname = `/${name}`;
  return address.href;
}

/** A server process that can be killed and started again. */
export interface ServerNode {
  readonly port: number;
  pid(): number | undefined;
  /** Start it unless it runs; resolves when it is ready. Retries while the database is unavailable. */
  start(): Promise<void>;
  /** Send SIGKILL and wait for the exit. */
  kill(): Promise<void>;
  /** Send SIGTERM; resolves to the milliseconds that it took to exit. */
  stop(): Promise<number>;
  /** Return what all its processes printed. */
  output(): string;
}

/** Far longer than a start takes: four of them may start at once on a busy machine. */
export const READY_MS = 180_000;

/** Create a node on a port; it does not run yet. */
export function createNode(world: World, port: number, env: Record<string, string>): ServerNode {
  const started: ServerProcess[] = [];
  return {
    port,
    pid: () => started.at(-1)?.child.pid,
    async start() {
      for (const end = performance.now() + READY_MS; performance.now() < end; await pause(20)) {
        let server = started.at(-1);
        if (!server || server.child.exitCode !== null || server.child.signalCode !== null) {
          server = startServer(world, { RAPPORT_PUBLIC_URL: world.url, ...env, PORT: String(port) });
          started.push(server);
        }
        const isReady = await server.waitUntilReady(end - performance.now()).then(
          () => true,
          () => false,
        );
        if (isReady) return;
      }
      throw new Error(`The server on port ${port} does not become ready:\n${started.at(-1)?.output() ?? ''}`);
    },
    async kill() {
      await started.at(-1)?.kill();
    },
    async stop() {
      const startedAt = performance.now();
      await started.at(-1)?.stop();
      return performance.now() - startedAt;
    },
    output: () => started.map((one) => one.output()).join(''),
  };
}

export interface Nodes {
  readonly nodes: readonly ServerNode[];
  /** Kill all nodes and close the balancer. */
  readonly close: () => Promise<void>;
}

const isWeb = (env: Record<string, string>): boolean => env['RAPPORT_ROLES'] !== 'worker';

/** Start nodes with these environments. Those with the role web share the world's address, behind a balancer. */
export async function startNodes(world: World, envs: readonly Record<string, string>[]): Promise<Nodes> {
  const webCount = envs.filter(isWeb).length;
  // A single one is requested directly.
  const nodes = await Promise.all(
    envs.map(async (env) => createNode(world, isWeb(env) && webCount === 1 ? world.port : await freePort(), env)),
  );
  const ports = nodes.flatMap(({ port }, index) => (isWeb(envs[index] ?? {}) ? [port] : []));
  const balancer = webCount > 1 ? await startBalancer(world.port, ports) : null;
  const close = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.kill()));
    await balancer?.close();
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    return { nodes, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A world under load: production settings, and emulators in a process of their own. */
export const LOAD_WORLD = { production: true, emulators: 'process' } as const;

interface NodesOptions extends ProofWorldOptions {
  /** Environments of the nodes, at least one of which serves; by default one node with both roles. */
  readonly nodes?: readonly Record<string, string>[];
}

/** Create a world with running nodes, connect the vendor's hooks, run the work, and remove everything. */
export function withNodes<T>(
  { nodes: envs = [{}], ...options }: NodesOptions,
  work: (world: World, nodes: readonly ServerNode[], cluster: Cluster) => Promise<T>,
): Promise<T> {
  return withWorld(options, async (world, cluster) => {
    const { nodes, close } = await startNodes(world, envs);
    try {
      if (envs.some(isWeb)) await connectHooks(world);
      return await work(world, nodes, cluster);
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
      await close();
    }
  });
}

interface Evidence {
  readonly world: World;
  readonly cluster: Cluster;
  readonly nodes: readonly ServerNode[];
  readonly log: Run['log'];
}

/** Run a scenario. If it throws or violates something, keep database, journal and what the nodes printed. */
export async function keepIfViolated({ world, cluster, nodes, log }: Evidence, run: () => Promise<Outcome>) {
  let isClean = false;
  try {
    const outcome = await run();
    isClean = outcome.violations.length === 0;
    return outcome;
  } finally {
    if (!isClean) {
      for (const [index, node] of nodes.entries())
        writeFileSync(join(cluster.folder, `node${index + 1}.log`), node.output());
      cpSync(world.emulatorDir, join(cluster.folder, 'emulators'), { recursive: true });
      cluster.keep();
      log(`The database, the journal and the logs are kept in ${cluster.folder}.`);
    }
  }
}

/** Return environments of `count` nodes with both roles. */
export const namedNodes = (count: number, env: Record<string, string> = {}): Record<string, string>[] =>
  Array.from({ length: count }, (_none, index) => ({ RAPPORT_NODE_NAME: `node ${index + 1}`, ...env }));

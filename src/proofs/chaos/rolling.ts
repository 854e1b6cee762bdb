/**
 * `npm run rolling [-- --nodes 2 --rounds 2 --seconds 4 --people 12 --readers 6 --streams 12 --sockets 4]`: stops
 * several nodes behind HAProxy (with the file in ops/haproxy) by SIGTERM and starts them again, one after the other,
 * while leads write, operators read and type, consoles listen and chat sockets are open. No request may fail and no
 * message be lost; streams and sockets must reconnect by themselves. Writes bench/ROLLING.md; exits with code 1 if
 * something is wrong. Takes about `rounds * nodes * (2 * seconds + 8)` seconds plus a minute.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { migrate } from '../../platform/migrate.ts';
import { startPostgres } from '../../platform/postgres/supervisor.ts';
import { connectHooks } from '../../testing/serverProcess.ts';
import { createWorld, freePort, type World } from '../../testing/world.ts';
import { type RollingFigures, writeRollingReport } from './rollingReport.ts';
import { startTraffic } from './rollingTraffic.ts';
import { type ServerNode, serverNode } from './serverNode.ts';
import { verifyMessages } from './verifyMessages.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '4' },
    people: { type: 'string', default: '12' },
    readers: { type: 'string', default: '6' },
    streams: { type: 'string', default: '12' },
    sockets: { type: 'string', default: '4' },
  },
});

function integerOption(name: keyof typeof values, least: number, most: number): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  console.error(`--${name} has to be a whole number from ${least} to ${most}, not "${values[name]}".`);
  process.exit(2);
}

const CONFIG = join(import.meta.dirname, '../../../ops/haproxy/haproxy.cfg');
const HAPROXY = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/usr/bin/haproxy'].find((path) => existsSync(path));
const START_TRIES = 4;
const log = (line: string): void => console.log(line);

async function startProxy(port: number, nodes: readonly number[]): Promise<ChildProcess> {
  if (HAPROXY === undefined) throw new Error('HAProxy is not installed: apt-get install haproxy');
  const addresses = Object.fromEntries(nodes.map((node, index) => [`RAPPORT_NODE${index + 1}`, `127.0.0.1:${node}`]));
  const child = spawn(HAPROXY, ['-db', '-f', CONFIG], {
    env: { PATH: process.env['PATH'], RAPPORT_BIND: `127.0.0.1:${port}`, ...addresses },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

/** Start a node, with several attempts: on a busy machine a start may exceed the node's own timeout. */
async function startNode(node: ServerNode): Promise<void> {
  for (let attempts = START_TRIES; ; attempts--) {
    try {
      return await node.start();
    } catch (error) {
      if (attempts === 1) throw error;
      log('The machine is busy: a node is still starting.');
    }
  }
}

/** Wait until the proxy has a node to send requests to. */
async function waitUntilServed(world: World): Promise<void> {
  await world.waitUntil(
    async () => (await fetch(`${world.url}/readyz`).catch(() => null))?.status === 200,
    'the proxy to find a node',
    30_000,
  );
}

async function runRollingRestarts(world: World, nodes: readonly ServerNode[]): Promise<RollingFigures> {
  const seconds = integerOption('seconds', 1, 3600);
  const operator = await world.operator('root');
  await connectHooks(world);
  const traffic = await startTraffic(world, operator, {
    leads: integerOption('people', 1, 500),
    readers: integerOption('readers', 1, 200),
    streams: integerOption('streams', 0, 1000),
    sockets: integerOption('sockets', 0, 200),
  });
  const stops: number[] = [];
  const starts: number[] = [];
  const startedAt = performance.now();
  for (let round = 1; round <= integerOption('rounds', 1, 100); round++) {
    for (const [index, node] of nodes.entries()) {
      await pause(seconds * 1000);
      stops.push(await node.stop());
      const down = performance.now();
      await startNode(node);
      starts.push(performance.now() - down);
      // The proxy uses the node after two health checks; only then may the next one stop.
      await pause(seconds * 1000);
      log(`round ${round}, node ${index + 1}: stopped in ${(stops.at(-1) ?? 0).toFixed(0)} ms; ${traffic.summary()}`);
    }
  }
  const durationMs = performance.now() - startedAt;
  const observed = await traffic.stop();
  await world.drain(120_000);
  const verification = await verifyMessages(world, observed.accepted);
  const answered = await world.control.entriesOf('hook_answered');
  return {
    nodes: nodes.length,
    restarts: stops.length,
    lastedMs: durationMs,
    stops,
    starts,
    traffic: observed,
    hooks: answered.length,
    hooksFailed: answered.filter(({ status }) => status !== 200).length,
    written: verification.written,
    reached: verification.reached,
    faults: verification.faults,
    listed: verification.listed,
  };
}

async function main(): Promise<boolean> {
  const count = integerOption('nodes', 2, 3);
  const folder = mkdtempSync(join(tmpdir(), 'rapport-rolling-'));
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    log: quiet,
    settings: { max_connections: '300' },
  });
  let world: World | null = null;
  let proxy: ChildProcess | null = null;
  const nodes: ServerNode[] = [];
  const ports: number[] = [];
  let clean = false;
  try {
    await migrate(postgres.superuserUrl);
    world = await createWorld({ serve: false, database: { url: postgres.superuserUrl, drop: async () => undefined } });
    for (let index = 1; index <= count; index++) {
      const env = world.env({
        RAPPORT_NODE_NAME: `node ${index}`,
        RAPPORT_PUBLIC_URL: world.url,
        RAPPORT_TRUST_PROXY: 'on',
        RAPPORT_DRAIN_SECONDS: '2',
        RAPPORT_STRICT_REPLIES: '',
      });
      const port = await freePort();
      ports.push(port);
      nodes.push(serverNode(port, env, join(folder, `node${index}.log`)));
    }
    proxy = await startProxy(world.port, ports);
    for (const node of nodes) await startNode(node);
    await waitUntilServed(world);
    const figures = await runRollingRestarts(world, nodes);
    const { rows } = await world.pool.query<{ server_version: string }>('show server_version');
    const { faults, sentence } = writeRollingReport(figures, `PostgreSQL ${rows[0]?.server_version ?? ''}`);
    log(sentence);
    for (const one of faults.slice(0, 30)) log(`  ${one}`);
    clean = faults.length === 0;
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    if (proxy) {
      proxy.kill('SIGTERM');
      if (proxy.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit');
    }
    await world?.close().catch((error: unknown) => log(String(error)));
    await postgres.stop();
    if (clean) rmSync(folder, { recursive: true, force: true });
    else log(`The logs are kept in ${folder}.`);
  }
  return clean;
}

process.exit((await main()) ? 0 : 1);

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, realpathSync, statSync, truncateSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureDatabase, writeAccessRules } from './access.ts';
import { asAccount } from './account.ts';
import type { Binaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { explainFailure, explainFileError } from './errors.ts';
import { findPostmaster, isAlive, type Postmaster, readCommandLine, readPostmaster, signal } from './postmaster.ts';

/** Log of the supervisor; pino's loggers fit. */
export type PostgresLog = {
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
};

/** Everything that a start of the server needs. */
export type Launch = {
  readonly cluster: Cluster;
  readonly binaries: Binaries;
  readonly socketDir: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly log: PostgresLog;
};

/** A server that accepts connections. */
export type RunningServer = { readonly pid: number; readonly ended: Promise<void> };

// For a small machine shared with the application: what the buffers do not hold, the system's cache does. The application
// sets the limits of its queries itself.
const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '32MB',
  max_wal_size: '1GB',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  fsync: 'on',
  synchronous_commit: 'on',
};

// Without these, glibc raises both limits to the largest block that was ever freed, and keeps as much in every process.
const MALLOC = { MALLOC_TRIM_THRESHOLD_: '262144', MALLOC_MMAP_THRESHOLD_: '262144' };

// Reported while processes of a killed server still hold its shared memory. They end within a second or so.
const TRANSIENT_ERROR = /pre-existing shared memory block|lock file "[^"]*" already exists|is another postmaster/i;
const START_TIMEOUT_MS = 20_000;
const SLOW_START_MS = 3_000;
const LOG_LIMIT_BYTES = 5_000_000;

/**
 * Return a server for this cluster that accepts connections and has the database `rapport`. A server left running by a
 * killed parent is adopted if it runs exactly as we would run it; otherwise a new one is started.
 * @throws PostgresUnavailable with the reason
 */
export async function startOrAdopt(launch: Launch): Promise<RunningServer> {
  const orphan = findPostmaster(launch.cluster.dir, launch.socketDir);
  const hasOtherRules = writeAccessRules(launch.cluster);
  const adopted = orphan === undefined ? undefined : await adopt(launch, orphan, hasOtherRules);
  return adopted ?? (await startNew(launch));
}

/**
 * Shut the server down fast: connections are cut and everything is written to disk. A server that has not ended after 7
 * s is killed, which loses nothing committed and costs a recovery at the next start.
 */
export async function shutDown(pid: number): Promise<void> {
  for (const [name, timeoutMs] of [
    ['SIGINT', 7_000],
    ['SIGQUIT', 2_000],
    ['SIGKILL', 2_000],
  ] as const) {
    signal(pid, name);
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      if (!isAlive(pid)) return;
      await pause(5);
    }
  }
}

async function adopt(launch: Launch, orphan: Postmaster, hasOtherRules: boolean): Promise<RunningServer | undefined> {
  const { log, cluster } = launch;
  if (!hasOtherRules && orphan.status === 'ready' && readCommandLine(cluster.dir) === commandLine(launch)) {
    try {
      await ensureDatabase(launch.socketDir);
      log.info({ pid: orphan.pid }, 'Using the PostgreSQL server that an earlier process left running.');
      return { pid: orphan.pid, ended: waitForExit(orphan.pid) };
    } catch (error) {
      log.warn({ pid: orphan.pid, reason: String(error) }, 'The PostgreSQL server left running does not answer.');
    }
  }
  log.info({ pid: orphan.pid }, 'Stopping the PostgreSQL server that an earlier process left running.');
  await shutDown(orphan.pid);
  return undefined;
}

async function startNew(launch: Launch): Promise<RunningServer> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const outcome = await tryOnce(launch);
    if ('pid' in outcome) return outcome;
    if (!TRANSIENT_ERROR.test(outcome.output) || performance.now() > deadline)
      throw explainFailure(outcome.output, launch.cluster.dir);
    await pause(50);
  }
}

async function tryOnce(launch: Launch): Promise<RunningServer | { output: string }> {
  const { cluster, log, logFile } = launch;
  const { child, logStart } = spawnServer(launch);
  let failure: unknown;
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      failure = error;
      resolve();
    });
    child.once('exit', () => resolve());
  });
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  const slow = setTimeout(
    () => log.warn({}, 'PostgreSQL is still starting (recovering after a crash?).'),
    SLOW_START_MS,
  );
  try {
    while (!hasEnded) {
      const { pid } = child;
      const seen = readPostmaster(cluster.dir);
      if (pid !== undefined && seen?.pid === pid && seen.status === 'ready') {
        await ensureDatabase(launch.socketDir);
        return { pid, ended };
      }
      await pause(4);
    }
  } catch (error) {
    // The server runs but cannot be used: it must not be left behind.
    if (child.pid !== undefined) await shutDown(child.pid);
    throw explainFailure(`${readLog(logFile, logStart)}\n${String(error)}`, cluster.dir);
  } finally {
    clearTimeout(slow);
  }
  if (failure !== undefined) throw explainFileError(failure, cluster.dir);
  return { output: readLog(logFile, logStart) };
}

function spawnServer(launch: Launch): { child: ChildProcess; logStart: number } {
  const { binaries, cluster, logFile } = launch;
  let fd: number | undefined;
  try {
    // Log to a file, not a pipe: a server that outlives us can still write to it.
    fd = openSync(logFile, 'a', 0o600);
    if (statSync(logFile).size > LOG_LIMIT_BYTES) truncateSync(logFile, 0);
    const child = spawn(binaries.postgres, args(launch), {
      ...asAccount(cluster.account),
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...MALLOC },
      // Use a separate process group: Ctrl-C in the terminal is for us, and we stop the server when our work is done.
      detached: true,
      stdio: ['ignore', fd, fd],
    });
    child.unref();
    return { child, logStart: statSync(logFile).size };
  } catch (error) {
    throw explainFileError(error, logFile);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function args({ cluster, socketDir, settings }: Launch): string[] {
  // This setting separates folders by commas, so the name is quoted.
  const folders = `"${socketDir.replaceAll('"', '""')}"`;
  const all = { ...SETTINGS, unix_socket_directories: folders, ...settings };
  return ['-D', cluster.dir, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Return the command line as PostgreSQL writes it to postmaster.opts. */
function commandLine(launch: Launch): string {
  return [realpathSync(launch.binaries.postgres), ...args(launch).map((arg) => `"${arg}"`)].join(' ');
}

/** Poll until the process ends: a server that is not our child does not notify us. */
async function waitForExit(pid: number): Promise<void> {
  while (isAlive(pid)) await pause(200, undefined, { ref: false });
}

function readLog(logFile: string, from: number): string {
  return readFileSync(logFile).subarray(from).toString('utf8');
}

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type DatabaseUrls, databaseUrls } from './access.ts';
import { findBinaries } from './binaries.ts';
import { createCluster, locateCluster, prepareDataDir } from './cluster.ts';
import { lockDataDir } from './lock.ts';
import { moveToAccount } from './moveCluster.ts';
import { signal } from './postmaster.ts';
import { closeFolder, closeOwnFiles } from './privateFiles.ts';
import { type Launch, type PostgresLog, type RunningServer, shutDown, startOrAdopt } from './server.ts';
import { removeSocketFolder, socketFolder } from './sockets.ts';

export type PostgresOptions = {
  readonly dataDir: string;
  readonly log: PostgresLog;
  /** Server settings in addition to ours, for instance `{ fsync: 'off' }` for a throw-away cluster. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called once the data directory is ours alone. */
  readonly onLocked?: () => void;
};

/** A supervised server. `url` is the app's URL; all URLs stay the same across restarts. */
export type Postgres = DatabaseUrls & {
  /** Return the server's current process id; undefined while it is down. */
  readonly pid: () => number | undefined;
  /**
   * End the server (`fast` shutdown, `immediate` without writing anything to disk, or `kill` for SIGKILL) and resolve
   * when a new one accepts connections.
   */
  readonly restart: (how?: 'fast' | 'immediate' | 'kill') => Promise<void>;
  /** Shut down fast: connections are cut, everything committed is on disk. Releases the data directory. */
  readonly stop: () => Promise<void>;
};

/**
 * Start the embedded PostgreSQL on a data directory and keep it running. Creates the cluster on the first start, adopts
 * (or stops) a server whose parent was killed, and restarts the server whenever it dies.
 *
 * Signals are the caller's responsibility: on SIGTERM finish the work, then call `stop()`. If our process ends without
 * that, the server is sent a shutdown signal; if we are killed, the next start finds it.
 *
 * @throws DataDirInUse if another process uses the directory, PostgresUnavailable with a sentence otherwise
 */
export async function startPostgres({ dataDir, log, settings = {}, onLocked }: PostgresOptions): Promise<Postgres> {
  const dir = prepareDataDir(dataDir);
  closeOwnFiles(dir);
  const lock = await lockDataDir(dir);
  onLocked?.();
  try {
    const cluster = locateCluster(dir);
    const socketDir = socketFolder(cluster.dir, cluster.account);
    await moveToAccount(cluster, socketDir, log);
    closeFolder(dir, cluster, log);
    const binaries = findBinaries(cluster.account);
    if (!cluster.exists) {
      log.info({ cluster: cluster.dir }, 'Making a new database.');
      await createCluster(dir, cluster, binaries);
    }
    const logFile = join(dir, 'postgres.log');
    const supervised = await supervise({ cluster, binaries, socketDir, settings, logFile, log });
    const urls = databaseUrls(socketDir);
    lock.publish(urls);
    return {
      ...supervised,
      ...urls,
      async stop() {
        await supervised.stop();
        if (socketDir !== cluster.dir) removeSocketFolder(socketDir);
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function supervise(launch: Launch): Promise<Omit<Postgres, keyof DatabaseUrls>> {
  const { log } = launch;
  let running: RunningServer | undefined = await startOrAdopt(launch);
  let stopping = false;
  const watching = watch(running);

  async function watch(first: RunningServer): Promise<void> {
    for (let server = first; ; server = running) {
      await server.ended;
      running = undefined;
      if (stopping) return;
      log.error({ pid: server.pid, log: launch.logFile }, 'PostgreSQL has ended; starting it again.');
      running = await restartUntilUp();
      if (running === undefined) return;
      log.info({ pid: running.pid }, 'PostgreSQL is back.');
    }
  }

  /** Retry until it starts: a full disk gets space again, and nothing else will start the server. */
  async function restartUntilUp(): Promise<RunningServer | undefined> {
    for (let wait = 100; !stopping; wait = Math.min(wait * 2, 3_000)) {
      try {
        return await startOrAdopt(launch);
      } catch (error) {
        log.error({ reason: error instanceof Error ? error.message : String(error) }, 'PostgreSQL did not start.');
        await pause(wait);
      }
    }
    return undefined;
  }

  const atExit = () => {
    if (running !== undefined) signal(running.pid, 'SIGINT');
  };
  process.on('exit', atExit);

  return {
    pid: () => running?.pid,
    async restart(how = 'fast') {
      const before = running?.pid;
      if (before !== undefined) {
        if (how === 'kill') signal(before, 'SIGKILL');
        else if (how === 'immediate') signal(before, 'SIGQUIT');
        else await shutDown(before);
      }
      while (!stopping && (running === undefined || running.pid === before)) await pause(5);
    },
    async stop() {
      stopping = true;
      // Neither the server nor the poll for its end keeps our process alive; until the server is gone, this timer does.
      const keepAlive = setInterval(() => undefined, 1_000);
      if (running !== undefined) await shutDown(running.pid);
      await watching;
      // It may have come up while we were stopping.
      if (running !== undefined) await shutDown(running.pid);
      process.off('exit', atExit);
      clearInterval(keepAlive);
    },
  };
}

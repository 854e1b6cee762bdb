/** The process: environment, signals, and the error message when it cannot start. */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { App } from './app.ts';
import { type StartingEmulators, startEmulators, stopEmulators } from './loadSandbox.ts';
import { type Config, ConfigError, readConfig } from './platform/config.ts';
import { createLog, type Log } from './platform/log.ts';
import { MigrationsMissing } from './platform/migrate.ts';
import { DataDirInUse, PostgresUnavailable } from './platform/postgres/errors.ts';
import { startPostgres } from './platform/postgres/supervisor.ts';

/** Milliseconds from the signal to the exit; the next instance settles what is then still under way. */
const SHUTDOWN_TIMEOUT_MS = 9500;

/** Milliseconds from the start until what it needed is given back: by then the sweeps have run and their code is compiled. */
const START_SETTLED_MS = 5000;

/**
 * Start the app. The embedded database, and the emulators of a sandbox, start while the rest of the program is being
 * loaded. [0.35 s less than one after the other]
 */
async function startFromConfig(config: Config, log: Log): Promise<App> {
  if (config.databaseUrl !== null) return (await import('./app.ts')).startApp(config, log);
  let emulators: StartingEmulators = null;
  const onLocked = () => {
    emulators = startEmulators(config, log);
  };
  const starting = startPostgres({ dataDir: config.dataDir, log, onLocked });
  // Loading keeps this thread busy for long: the other processes begin before it.
  const loading = nextTurn().then(() => import('./app.ts'));
  try {
    const postgres = await starting;
    return await (await loading).startApp(config, log, { postgres, emulators });
  } catch (error) {
    await stopEmulators(emulators);
    throw error;
  }
}

/**
 * Give back the memory that only the start needed, and keep the heap small from here on. V8 keeps it until there is too
 * little. [30 of 115 MB; the process stands still for a tenth of a second]
 */
function releaseStartMemory(): void {
  // Collect garbage when what is in use has grown by so much; by default, it grows up to fourfold. Not while starting,
  // when hardly anything is garbage.
  setFlagsFromString('--heap-growing-percent=60');
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel, { pid: process.pid });
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
  const opening = startFromConfig(config, log);
  let stopping = false;
  // Ctrl-C may arrive twice; the second changes nothing.
  const shutDown = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    void pause(SHUTDOWN_TIMEOUT_MS).then(() => process.exit(0));
    void opening.then(
      ({ stop }) => stop().then(() => process.exit(0)),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  process.on('SIGHUP', shutDown);
  const { context } = await opening;
  setTimeout(releaseStartMemory, START_SETTLED_MS).unref();
  if (process.stdout.isTTY) {
    const signIn = config.demo ? 'sign in as demo / demo' : 'add an operator: npm run operator -- add LOGIN';
    const hint = context.mode === 'sandbox' ? `  (${signIn}; the leads' phones: /sandbox)` : '';
    console.log(`\n  Rapport is ready: ${config.publicUrl}${hint}\n`);
  }
}

main().catch((error: unknown) => {
  const kinds = [ConfigError, DataDirInUse, PostgresUnavailable, MigrationsMissing];
  const isExpected = error instanceof Error && kinds.some((kind) => error instanceof kind);
  const isPortTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  if (isPortTaken) console.error(`Port ${process.env.PORT ?? 3000} is in use. Set PORT to another one.`);
  else console.error(isExpected ? error.message : error);
  process.exit(1);
});

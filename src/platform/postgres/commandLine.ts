import { readConfig } from '../config.ts';
import { findHolder } from './lock.ts';
import type { PostgresLog } from './server.ts';
import { startPostgres } from './supervisor.ts';

/** The database that a command of its own works on, as the role that owns it, and what has to be done when the command is through. */
export type CommandDatabase = { readonly url: string; readonly keyAdvice: string; close(): Promise<void> };

const quiet: PostgresLog = {
  info: () => undefined,
  warn: (_facts, sentence) => console.error(sentence),
  error: (_facts, sentence) => console.error(sentence),
};

/**
 * The database of the installation that the environment names: DATABASE_URL, else the embedded one.
 *
 * @param sharing `join` uses the embedded server that runs, or starts it for as long as the command takes; `alone`
 *   refuses while a server runs on the data directory
 */
export async function openCommandDatabase(sharing: 'join' | 'alone'): Promise<CommandDatabase> {
  const { databaseUrl, migrationsUrl, dataDir } = readConfig(process.env);
  if (databaseUrl !== null) {
    return {
      url: migrationsUrl ?? databaseUrl,
      keyAdvice: 'the value of RAPPORT_SECRET_KEY',
      close: async () => undefined,
    };
  }
  const keyAdvice = `${dataDir}/secret.key`;
  const running = sharing === 'join' ? findHolder(dataDir)?.migrationsUrl : undefined;
  if (running !== undefined) return { url: running, keyAdvice, close: async () => undefined };
  const server = await startPostgres({ dataDir, log: quiet });
  return { url: server.migrationsUrl, keyAdvice, close: () => server.stop() };
}

/** Runs a command to its end: a failure becomes one sentence on standard error and exit code 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

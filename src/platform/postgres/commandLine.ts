import { readConfig } from '../config.ts';
import { findHolder } from './lock.ts';
import type { PostgresLog } from './server.ts';
import { startPostgres } from './supervisor.ts';

/** The database that a command works on, as the role that owns it. `close` cleans up when the command is done. */
export type CommandDatabase = { readonly url: string; readonly keyAdvice: string; close(): Promise<void> };

const quiet: PostgresLog = {
  info: () => undefined,
  warn: (_facts, sentence) => console.error(sentence),
  error: (_facts, sentence) => console.error(sentence),
};

/**
 * Open the database of the installation that the environment names: DATABASE_URL, otherwise the embedded one.
 *
 * @param sharing `join` uses the running embedded server, or starts it for the duration of the command; `alone` refuses
 * while a server runs on the data directory
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

/** Run a command. A failure is printed as one sentence on standard error and sets exit code 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

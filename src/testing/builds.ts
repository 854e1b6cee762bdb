/** The builds of console and server, made as `npm start` makes them. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** Build the console unless it is current. */
export function buildConsole(): void {
  runSetup("import { ensureConsole } from './scripts/setup.mjs'; await ensureConsole(process.execPath);");
}

/** Build the server unless it is current. Return the module to run. */
export function buildServer(): string {
  return runSetup(
    "import { ensureServer } from './scripts/setup.mjs'; process.stdout.write(await ensureServer(process.execPath));",
  );
}

const runSetup = (program: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

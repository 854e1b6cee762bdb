/** The builds of console and server, made as `npm start` makes them. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/**
 * Flags of a server's Node. With V8's default, semi-spaces grow to 64 MB each and stay that large. [8 MB instead of 16:
 * under load server and PostgreSQL take 256 to 268 MB instead of 277 to 289; CPU time of the server in five interleaved
 * pairs of runs: the same for an exchange, 1 % more for a hook, 3 % more for a list]
 */
export const NODE_FLAGS = ['--enable-source-maps', '--max-semi-space-size=8'] as const;

/**
 * What a server's process gives back of freed memory, in bytes, as in the script `start`: glibc would raise both limits
 * to the largest block that was ever freed. [14 MB less at rest]
 */
export const MALLOC = { MALLOC_TRIM_THRESHOLD_: '524288', MALLOC_MMAP_THRESHOLD_: '262144' } as const;

/**
 * Return the arguments with which Node runs a server: the build, where the caller names one (`npm test` and measurements
 * do), otherwise the sources. [A start takes 0.75 s of CPU instead of 1.85 s]
 * @param preloaded modules that are loaded before it
 */
export function serverArgs(...preloaded: readonly string[]): string[] {
  const imports = preloaded.flatMap((module) => ['--import', module]);
  const build = process.env['RAPPORT_SERVER_MODULE'];
  return build ? [...NODE_FLAGS, ...imports, build] : [...imports, join(ROOT, 'src/main.ts')];
}

/** Build the console unless it is current, by default of this tree. */
export function buildConsole(root = ROOT): void {
  runSetup("import { ensureConsole } from './scripts/setup.mjs'; await ensureConsole(process.execPath);", root);
}

/** Build the server unless it is current. Return the module to run. */
export function buildServer(): string {
  return runSetup(
    "import { ensureServer } from './scripts/setup.mjs'; process.stdout.write(await ensureServer(process.execPath));",
  );
}

const runSetup = (program: string, root = ROOT): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

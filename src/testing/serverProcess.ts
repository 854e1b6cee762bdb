/** Server processes for tests that kill them: `node src/main.ts` in a world without a server of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { registerHook } from '../channels/hookContract.ts';
import { MALLOC, serverArgs } from './builds.ts';
import { COMPILE_CACHE_DIR } from './compileCache.ts';
import { type MemoryReport, memoryReportSchema } from './memoryReport.ts';
import type { World } from './world.ts';

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Return its whole output so far. */
  output(): string;
  /** Resolve when it is ready; throw with its output if it ends before. */
  waitUntilReady(timeoutMs?: number): Promise<void>;
  /** Return what it holds in memory after a garbage collection; requires `watched`. */
  memoryReport(): Promise<MemoryReport>;
  /** Return the signal or the exit code with which it ended. Throw if it still runs after `timeoutMs`. */
  waitForExit(timeoutMs?: number): Promise<NodeJS.Signals | number | null>;
  /** Send SIGKILL and wait. */
  kill(): Promise<void>;
  /** Send SIGTERM and wait. */
  stop(): Promise<void>;
}

const FAILPOINTS = join(import.meta.dirname, 'failpoints.ts');
const MEMORY_PROBE = join(import.meta.dirname, 'memoryProbe.ts');

/** In characters. No secret is longer. */
const MAX_SECRET_LENGTH = 500;

/**
 * Start a server process in a world created with `serve: false`. It is not ready yet: see `waitUntilReady`.
 * @param watched whether it can report its memory: see `memoryReport`
 */
export function startServer(world: World, extraEnv: Record<string, string> = {}, watched = false): ServerProcess {
  const env = world.env(extraEnv);
  const url = `http://127.0.0.1:${env['PORT'] ?? world.port}`;
  const preloaded = Object.keys(env).some((name) => name.startsWith('RAPPORT_FAILPOINT')) ? [FAILPOINTS] : [];
  const args = watched ? ['--expose-gc', ...serverArgs(...preloaded, MEMORY_PROBE)] : serverArgs(...preloaded);
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: COMPILE_CACHE_DIR,
      ...MALLOC,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...(watched ? ['ipc' as const] : [])],
  });
  // Kept in chunks: a server under load prints megabytes, and searching one growing text would copy it whole for every
  // line.
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let end = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      printed.push(chunk);
      const since = end + chunk;
      world.canaries.scan('what a server printed', since);
      // A secret split between two chunks is found with the second.
      end = since.slice(-MAX_SECRET_LENGTH);
    });
  }
  const output = (): string => printed.join('');
  const exited = once(child, 'exit');
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  // A test that ends early must leave nothing behind.
  const atExit = (): void => void child.kill('SIGKILL');
  process.once('exit', atExit);
  void exited.then(() => process.off('exit', atExit));

  return {
    child,
    url,
    output,
    async waitUntilReady(timeoutMs = 150_000) {
      for (const end = performance.now() + timeoutMs; ; await pause(20)) {
        if (hasExited()) throw new Error(`The server ended before it was ready:\n${output()}`);
        const answer = await fetch(`${url}/readyz`).catch(() => null);
        if (answer?.status === 200) return;
        if (performance.now() > end) throw new Error(`The server is not ready:\n${output()}`);
      }
    },
    async memoryReport() {
      child.send('held');
      const [answer] = await once(child, 'message');
      return memoryReportSchema.parse(answer);
    },
    async waitForExit(timeoutMs = 150_000) {
      const limit = new AbortController();
      const late = pause(timeoutMs, 'late', { signal: limit.signal }).catch(() => 'late');
      if (!hasExited() && (await Promise.race([exited, late])) === 'late')
        throw new Error(`It still runs:\n${output()}`);
      limit.abort();
      return child.signalCode ?? child.exitCode;
    },
    async kill() {
      if (hasExited()) return;
      child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      if (hasExited()) return;
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Register the vendor's hooks for the running server; once per world, because the address stays the same. */
export async function connectHooks(world: World): Promise<void> {
  const admin = await world.operator();
  const answer = await admin.call(registerHook, { params: { id: world.whatsapp.id }, query: { replace: true } });
  if (answer.status >= 300) throw new Error(`The hook is not registered: ${JSON.stringify(answer.body)}`);
}

/** Server processes for tests that kill them: `node src/main.ts` in a world that serves nothing itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { registerHook } from '../channels/contract.ts';
import { COMPILED } from './compiled.ts';
import { type Held, heldSchema } from './held.ts';
import type { World } from './world.ts';

const MAIN = join(import.meta.dirname, '../main.ts');

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything it wrote so far. */
  output(): string;
  /** Resolves when it serves; throws with its output when it ends before. */
  ready(withinMs?: number): Promise<void>;
  /** What it holds in memory after a collection; of a watched one. */
  held(): Promise<Held>;
  /** How it ended: the signal, or the exit code. Throws when it still runs after `withinMs`. */
  ended(withinMs?: number): Promise<NodeJS.Signals | number | null>;
  /** SIGKILL, and waits. */
  kill(): Promise<void>;
  /** SIGTERM, and waits. */
  stop(): Promise<void>;
}

const HEAP = join(import.meta.dirname, 'heap.ts');

/** Characters; no secret that is looked for is longer. */
const LONGEST_SECRET = 500;

/**
 * Starts a server process in a world made with `serve: false`. Not ready yet: see `ready`.
 * @param watched it can be asked what it holds in memory: see `held`
 */
export function startServer(world: World, more: Record<string, string> = {}, watched = false): ServerProcess {
  const env = world.env(more);
  const url = `http://127.0.0.1:${env['PORT'] ?? world.port}`;
  const child = spawn(process.execPath, [...(watched ? ['--expose-gc', '--import', HEAP] : []), MAIN], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(watched ? ['ipc' as const] : [])],
  });
  // In pieces: a server under load prints megabytes, and looking at a growing text copies it whole for every line.
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let end = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      printed.push(chunk);
      const since = end + chunk;
      world.canaries.look('what a server printed', since);
      // What was cut in the middle is seen with the next piece.
      end = since.slice(-LONGEST_SECRET);
    });
  }
  const output = (): string => printed.join('');
  const exited = once(child, 'exit');
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  // A test that ends early must leave nothing behind.
  const atExit = (): void => void child.kill('SIGKILL');
  process.once('exit', atExit);
  void exited.then(() => process.off('exit', atExit));

  return {
    child,
    url,
    output,
    async ready(withinMs = 60_000) {
      for (const end = performance.now() + withinMs; ; await pause(20)) {
        if (isOver()) throw new Error(`The server ended before it was ready:\n${output()}`);
        const answer = await fetch(`${url}/readyz`).catch(() => null);
        if (answer?.status === 200) return;
        if (performance.now() > end) throw new Error(`The server is not ready:\n${output()}`);
      }
    },
    async held() {
      child.send('held');
      const [answer] = await once(child, 'message');
      return heldSchema.parse(answer);
    },
    async ended(withinMs = 60_000) {
      const limit = new AbortController();
      const late = pause(withinMs, 'late', { signal: limit.signal }).catch(() => 'late');
      if (!isOver() && (await Promise.race([exited, late])) === 'late') throw new Error(`It still runs:\n${output()}`);
      limit.abort();
      return child.signalCode ?? child.exitCode;
    },
    async kill() {
      if (isOver()) return;
      child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      if (isOver()) return;
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Has the vendor send its hooks to the server that runs now; once for a world, the address stays. */
export async function connectHooks(world: World): Promise<void> {
  const admin = await world.operator();
  const answer = await admin.call(registerHook, { params: { id: world.whatsapp.id }, query: { replace: true } });
  if (answer.status >= 300) throw new Error(`The hook is not registered: ${JSON.stringify(answer.body)}`);
}

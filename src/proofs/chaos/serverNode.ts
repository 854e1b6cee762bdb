/** A server process that is killed and started again at will. */
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '../../..');
/** Far beyond what a start takes: the machine may be busy with four of them at once. */
const READY_MS = 180_000;

export interface ServerNode {
  /** Resolves when the server is ready. Tries again for as long as the database is away. */
  start(): Promise<void>;
  /** SIGKILL, and the end of it. */
  kill(): Promise<void>;
  /** SIGTERM; answers how many milliseconds the server took to end. */
  stop(): Promise<number>;
}

/** `env` is all but the port. The log is appended to `log`. */
export function serverNode(port: number, env: Record<string, string>, log: string): ServerNode {
  let child: ChildProcess | null = null;
  // Whoever ends early must leave nothing behind.
  process.once('exit', () => void child?.kill('SIGKILL'));

  async function waitForExit(one: ChildProcess): Promise<void> {
    if (one.exitCode === null && one.signalCode === null) await new Promise((resolve) => one.once('exit', resolve));
  }

  return {
    async start() {
      const end = performance.now() + READY_MS;
      while (performance.now() < end) {
        if (child === null || child.exitCode !== null || child.signalCode !== null) {
          const out = openSync(log, 'a');
          child = spawn(process.execPath, ['src/main.ts'], {
            cwd: ROOT,
            env: { PATH: process.env.PATH, ...env, PORT: String(port) },
            stdio: ['ignore', out, out],
          });
        }
        const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
          (answer) => answer.status === 200,
          () => false,
        );
        if (ready) return;
        await pause(20);
      }
      throw new Error(`The server on port ${port} does not become ready; see ${log}`);
    },
    async kill() {
      if (child === null) return;
      child.kill('SIGKILL');
      await waitForExit(child);
    },
    async stop() {
      if (child === null) return 0;
      const startedAt = performance.now();
      child.kill('SIGTERM');
      await waitForExit(child);
      return performance.now() - startedAt;
    },
  };
}

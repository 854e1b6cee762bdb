/** A server process that can be killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '../../..');
/** Far longer than a start takes: four of them may start at once on a busy machine. */
const READY_MS = 180_000;

export interface ServerNode {
  /** Start the server; resolves when it is ready. Retries while the database is unavailable. */
  start(): Promise<void>;
  /** Send SIGKILL and wait for the exit. */
  kill(): Promise<void>;
  /** Send SIGTERM; resolves to the milliseconds that the server took to exit. */
  stop(): Promise<number>;
}

/** Create a node. `env` is the whole environment except the port; the output is appended to `log`. */
export function serverNode(port: number, env: Record<string, string>, log: string): ServerNode {
  let child: ChildProcess | null = null;
  // The child must not outlive a process that exits early.
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

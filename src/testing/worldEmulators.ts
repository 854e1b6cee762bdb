/** The emulated vendors of a world. */
import { isAlive } from '../platform/postgres/postmaster.ts';
import { type EmulatorHandle, ensureEmulators } from '../sandbox/emulators/ensure.ts';
import { readHolder } from '../sandbox/emulators/holder.ts';
import { startEmulators } from '../sandbox/emulators/server.ts';

/** How often to check for killed emulators. */
const EMULATOR_PING_MS = 100;

/** Kill emulators of this folder that run in a separate process. */
export function killEmulators(dir: string): void {
  const holder = readHolder(dir);
  if (holder !== null && holder.pid !== process.pid && isAlive(holder.pid)) process.kill(holder.pid, 'SIGKILL');
}

/** Start emulators that outlive a server, but not this process. */
async function startEmulatorProcess(dir: string): Promise<EmulatorHandle> {
  const handle = await ensureEmulators({ dir, log: () => undefined, pingMs: EMULATOR_PING_MS });
  const atExit = (): void => killEmulators(dir);
  process.once('exit', atExit);
  return {
    ...handle,
    async stop() {
      await handle.stop();
      process.off('exit', atExit);
    },
  };
}

/** Start emulators that answer at once and repeat hooks without a long pause; `process`: in a process of their own. */
export async function startFastEmulators(dir: string, kind?: 'process') {
  const emulators = kind === 'process' ? await startEmulatorProcess(dir) : await startEmulators({ dir });
  const { controlClient } = await import('../sandbox/emulators/control.ts');
  const control = controlClient(emulators.url, emulators.token);
  await control.changeSettings({
    statuses: { sentMs: 5, deliveredMs: 15, readMs: 30 },
    hooks: { retries: 1000, pauseMs: 50 },
    llm: { msPerToken: 0 },
    idleMs: 0,
  });
  return { emulators, control };
}

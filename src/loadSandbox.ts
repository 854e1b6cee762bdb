/** Loads the sandbox: only here, and only in a sandbox. A production process never contains it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, Mode } from './platform/config.ts';
import type { Log } from './platform/log.ts';
import type { Sandbox } from './sandbox/openSandbox.ts';
import type { Emulators } from './sandbox/startEmulators.ts';

export type { Sandbox } from './sandbox/openSandbox.ts';

/** Emulators that are being started; null if this is no sandbox, or not known to be one. */
export type StartingEmulators = Promise<Emulators> | null;

/**
 * Start the emulators before the database can say whether this is a sandbox: if they have run in this data directory,
 * which is ours alone.
 */
export function startEmulators(config: Config, log: Log): StartingEmulators {
  if (config.sandbox === 'off' || !existsSync(join(config.dataDir, 'emulators/emulators.json'))) return null;
  const starting = import('./sandbox/startEmulators.ts').then((sandbox) => sandbox.startEmulators(config, log));
  // Whoever awaits it handles its failure.
  starting.catch(() => undefined);
  return starting;
}

/** End the emulators of a server that cannot start, or is no sandbox. */
export async function stopEmulators(emulators: StartingEmulators): Promise<void> {
  const running = await emulators?.catch(() => null);
  await running?.stop();
}

interface SandboxParts {
  readonly mode: Mode;
  readonly config: Config;
  readonly log: Log;
  readonly emulators: StartingEmulators;
}

/** Open the sandbox; null in production. */
export async function loadSandbox({ mode, config, log, emulators }: SandboxParts): Promise<Sandbox | null> {
  if (mode === 'sandbox') return (await import('./sandbox/openSandbox.ts')).openSandbox(config, log, emulators);
  await stopEmulators(emulators);
  return null;
}

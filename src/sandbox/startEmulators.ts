/** Starts the emulators: before the rest of the sandbox, and beside all else that a start waits for. */
import { join } from 'node:path';
import type { Config } from '../platform/config.ts';
import type { Log } from '../platform/log.ts';
import { type EmulatorHandle, ensureEmulators } from './emulators/ensure.ts';

export type Emulators = EmulatorHandle;

/** Take over the running emulators of the data directory, or start them. Only its holder may: older ones are ended. */
export const startEmulators = (config: Config, log: Log): Promise<Emulators> =>
  ensureEmulators({ dir: join(config.dataDir, 'emulators'), log: (sentence) => log.info(sentence) });

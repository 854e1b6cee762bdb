/** Starts a process with a wrong clock. */
import { join } from 'node:path';

/** Return the environment of a process whose clock is wrong by this many minutes. */
export const clockSkewEnv = (minutes: number): Record<string, string> =>
  minutes === 0
    ? {}
    : {
        NODE_OPTIONS: `--import ${join(import.meta.dirname, 'clockSkewPreload.ts')}`,
        RAPPORT_SKEW_MINUTES: String(minutes),
      };

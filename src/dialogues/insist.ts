import { setTimeout as pause } from 'node:timers/promises';
import { isUnavailable } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';

/** Repeats a database step for as long as the database is away. */
export async function insist<T>(ground: Ground, step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      ground.log.warn(
        { error: error instanceof Error ? error.message : String(error) },
        'database away, will settle when it is back',
      );
      await pause(250);
    }
  }
}

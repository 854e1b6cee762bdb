import { setTimeout as pause } from 'node:timers/promises';
import { isTooSlow, isUnavailable } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';

/** Repeats a database step for as long as the database is away, or somebody holds for long what it needs. */
export async function insist<T>(ground: Ground, step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!isUnavailable(error) && !isTooSlow(error)) throw error;
      ground.log.warn(
        { error: error instanceof Error ? error.message : String(error) },
        'the database is away or held up, will be asked again',
      );
      await pause(250);
    }
  }
}

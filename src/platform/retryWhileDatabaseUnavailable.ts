import { setTimeout as pause } from 'node:timers/promises';
import type { AppContext } from './appContext.ts';
import { isTooSlow, isUnavailable } from './db.ts';

/** Repeats a database step for as long as the database is away, or somebody holds for long what it needs. */
export async function retryWhileDatabaseUnavailable<T>(context: AppContext, step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!isUnavailable(error) && !isTooSlow(error)) throw error;
      context.log.warn(
        { error: error instanceof Error ? error.message : String(error) },
        'the database is away or held up, will be asked again',
      );
      await pause(250);
    }
  }
}

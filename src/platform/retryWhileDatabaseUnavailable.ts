import { setTimeout as pause } from 'node:timers/promises';
import type { AppContext } from './appContext.ts';
import { isTooSlow, isUnavailable } from './db.ts';

/** Repeat a database step while the database is unavailable or another transaction holds a needed lock for long. */
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

import type { AppContext } from '../platform/appContext.ts';
import { retryDelaySeconds } from '../platform/backoff.ts';
import { isTooSlow, isUnavailable } from '../platform/db.ts';

/** What operators see of an error that nothing expected: its own words may be anything. */
const REASON = 'Internal error: the log says more';

/**
 * Have work that failed unexpectedly tried again later: `defer` stores that on its row. Without it, each sweep would try
 * again at once, and pay for a model each time. Throws the error. If the database failed, nothing is stored.
 */
export async function deferFailed(
  context: AppContext,
  { error, attempts, maxSeconds }: { readonly error: unknown; readonly attempts: number; readonly maxSeconds?: number },
  defer: (seconds: number, reason: string) => Promise<unknown>,
): Promise<never> {
  if (!isUnavailable(error) && !isTooSlow(error))
    await defer(retryDelaySeconds(context, attempts, maxSeconds), REASON).catch(() => undefined);
  throw error;
}

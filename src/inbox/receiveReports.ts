/** Applies vendors' delivery reports. */

import type { AppContext } from '../platform/appContext.ts';
import { isUnavailable } from '../platform/db.ts';
import { receiveItems } from './receive.ts';
import { FIRST_PAUSE_SECONDS } from './store/items.ts';
import { applyReports, findReports } from './store/reports.ts';

/** Most reports of one statement. */
const LIMIT = 200;

/**
 * Apply the reports that wait: all that only say a status at once, the others by themselves. Returns what a sweep does:
 * true if there are more, else the milliseconds until a report that found no message is looked at again.
 */
export async function receiveReports(context: AppContext): Promise<boolean | number> {
  const { pool, metrics, log, config } = context;
  const batch = { limit: LIMIT, echoGraceSeconds: config.echoGraceSeconds };
  const { applied, others, parked } = await applyReports(pool, batch).catch(async (error: unknown) => {
    if (isUnavailable(error)) throw error;
    // One of them cannot be applied: each is received by itself, and that one is deferred.
    log.warn({ error: String(error) }, 'delivery reports could not be applied together');
    return { applied: [], others: await findReports(pool, LIMIT), parked: 0 };
  });
  for (const { item, message, trace, status, changed } of applied) {
    metrics.count('received', { kind: 'status' });
    if (!changed) continue;
    metrics.count('statuses', { status });
    // Under the message's own trace; the report has another.
    log.info({ ...(trace === null ? {} : { trace }), message, status, item }, 'status');
  }
  // One transaction each: it locks dialogue and message, and no other report's while it waits for them.
  for (const id of others) await receiveItems(context, [id]);
  if (applied.length + others.length + parked >= LIMIT) return true;
  return parked > 0 ? FIRST_PAUSE_SECONDS * 1000 : false;
}

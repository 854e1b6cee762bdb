/** The public API of runs: each model call is stored as a row. */
import type { Reader, Tx } from '../platform/db.ts';
import { countStoredRuns } from './store/budget.ts';
import { insertRun, linkRun, type RunRow, type StoredRun } from './store.ts';

export { countStoredRuns, type RunRow };

/** Store a run and return its id and cost. */
export const storeRun = (reader: Reader, run: RunRow): Promise<StoredRun> => insertRun(reader, run);
/** Link a run to the message created from it. */
export const linkRunToMessage = (tx: Tx, runId: number, messageId: number): Promise<void> =>
  linkRun(tx, runId, messageId);

/** The public API of runs: each model call is stored as a row. */
import type { Reader, Tx } from '../platform/db.ts';
import { countStoredRuns } from './store/budget.ts';
import { costOf, insertRun, linkRun, type RunRow } from './store.ts';

export { countStoredRuns, type RunRow };

/** Store a run and return its id. */
export const storeRun = (reader: Reader, run: RunRow): Promise<number> => insertRun(reader, run);
/** Link a run to the message created from it. */
export const linkRunToMessage = (tx: Tx, runId: number, messageId: number): Promise<void> =>
  linkRun(tx, runId, messageId);
/** Read the cost of a run, US dollars; null: not known. */
export const costOfRun = (reader: Reader, runId: number): Promise<number | null> => costOf(reader, runId);

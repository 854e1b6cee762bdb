/** Each call of a model is a row. */
import type { Reader, Tx } from '../platform/db.ts';
import { countStoredRuns } from './budget.ts';
import { costOf, insertRun, linkRun, type RunRow } from './store.ts';

export { countStoredRuns, type RunRow };

/** Stores a run; gives its id. */
export const storeRun = (reader: Reader, run: RunRow): Promise<number> => insertRun(reader, run);
/** Says which message a run became. */
export const linkRunToMessage = (tx: Tx, runId: number, messageId: number): Promise<void> =>
  linkRun(tx, runId, messageId);
/** What a run cost, US dollars; null: not known. */
export const costOfRun = (reader: Reader, runId: number): Promise<number | null> => costOf(reader, runId);

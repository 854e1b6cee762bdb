/** Each call of a model is a row. */
import type { Reader, Tx } from '../platform/db.ts';
import { insertRun, linkRun, type RunRow } from './store.ts';

export type { RunRow };

/** Stores a run; gives its id. */
export const storeRun = (reader: Reader, run: RunRow): Promise<number> => insertRun(reader, run);
/** Says which message a run became. */
export const runBecame = (tx: Tx, runId: number, messageId: number): Promise<void> => linkRun(tx, runId, messageId);

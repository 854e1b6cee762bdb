/** The public API of runs: each model call is stored as a row. */
import type { Reader, Tx } from '../platform/db.ts';
import { countStoredRuns, priceOfModel } from './store/budget.ts';
import {
  insertRuns,
  linkRun,
  NEXT_RUN_ID,
  type RunRow,
  readWritingRun,
  type StoredRun,
  type WritingRun,
} from './store.ts';

export { countStoredRuns, NEXT_RUN_ID, priceOfModel, type RunRow };

/**
 * Store runs. One whose reserved id is stored already is not stored and counted again. Returns the ids and costs of the
 * others, in any order.
 */
export async function storeRuns(reader: Reader, runs: readonly RunRow[]): Promise<StoredRun[]> {
  return runs.length === 0 ? [] : insertRuns(reader, runs);
}

/** Store a run and return its id and cost. */
export async function storeRun(reader: Reader, run: RunRow): Promise<StoredRun> {
  const [stored] = await insertRuns(reader, [run]);
  if (!stored) throw new Error('The run was not stored');
  return stored;
}

/** Read a run of a dialogue that wrote a text; undefined if there is none. */
export const findWritingRun = (
  reader: Reader,
  run: { runId: number; dialogueId: number },
): Promise<WritingRun | undefined> => readWritingRun(reader, run);

/** Link a run to the message created from it. */
export const linkRunToMessage = (tx: Tx, runId: number, messageId: number): Promise<void> =>
  linkRun(tx, runId, messageId);

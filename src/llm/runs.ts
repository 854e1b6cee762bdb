/** The public API of runs: each model call is stored as a row. */
import type { AppContext } from '../platform/appContext.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { retryWhileDatabaseUnavailable } from '../platform/retryWhileDatabaseUnavailable.ts';
import { countStoredRuns, priceOfModel } from './store/budget.ts';
import {
  insertRuns,
  linkRun,
  NEXT_RUN_ID,
  nextRunId,
  type RunRow,
  readStoredRun,
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

/**
 * Store a run and return its id and cost. Waits for a database that is away: the call was paid. Its id is reserved before,
 * so a run that may have been stored is not counted twice.
 */
export async function storeRun(context: AppContext, run: RunRow): Promise<StoredRun> {
  const { reader } = context;
  const id = run.id ?? (await retryWhileDatabaseUnavailable(context, () => nextRunId(reader)));
  return retryWhileDatabaseUnavailable(context, async () => {
    const [stored] = await insertRuns(reader, [{ ...run, id }]);
    return stored ?? readStoredRun(reader, id);
  });
}

/** Read a run of a dialogue that wrote a text; undefined if there is none. */
export const findWritingRun = (
  reader: Reader,
  run: { runId: number; dialogueId: number },
): Promise<WritingRun | undefined> => readWritingRun(reader, run);

/** Link a run to the message created from it. */
export const linkRunToMessage = (tx: Tx, runId: number, messageId: number): Promise<void> =>
  linkRun(tx, runId, messageId);

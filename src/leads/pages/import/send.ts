/** Rows on their way to the server, some at a time. */
import { call } from '../../../ui/api.ts';
import { IMPORT_SIZE, type ImportedRow, type ImportRow, importLeads } from '../../importContract.ts';

interface SendOptions {
  readonly productId: number;
  readonly importKey: string;
  readonly dryRun: boolean;
  readonly rows: readonly ImportRow[];
  /** Told what became of each portion; `done` of all rows so far. */
  readonly onAnswers: (answers: readonly ImportedRow[], done: number) => void;
  readonly isStopped: () => boolean;
}

/** Characters of one call, well below the server's bound on a body. */
const MAX_CHARACTERS = 250_000;

/** Sends all rows; throws what the server says when it refuses a portion. Those before it are in. */
export async function sendRows({
  productId,
  importKey,
  dryRun,
  rows,
  onAnswers,
  isStopped,
}: SendOptions): Promise<void> {
  let done = 0;
  for (const batch of splitIntoBatches(rows)) {
    if (isStopped()) return;
    const body = { product_id: productId, import_key: importKey, dry_run: dryRun, rows: batch };
    const answer = await call(importLeads, { body });
    done += batch.length;
    onAnswers(answer.rows, done);
  }
}

/** Cuts the rows where a portion would hold too many of them or too long ones. */
export function splitIntoBatches(
  rows: readonly ImportRow[],
  maxRows = IMPORT_SIZE,
  maxCharacters = MAX_CHARACTERS,
): ImportRow[][] {
  const batches: ImportRow[][] = [];
  let size = 0;
  for (const row of rows) {
    const length = JSON.stringify(row).length;
    const last = batches.at(-1);
    if (last && last.length < maxRows && size + length <= maxCharacters) {
      last.push(row);
      size += length;
    } else {
      batches.push([row]);
      size = length;
    }
  }
  return batches;
}

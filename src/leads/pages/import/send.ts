/** Sends the rows to the server in batches. */
import { call } from '../../../ui/api.ts';
import { IMPORT_SIZE, type ImportedRow, type ImportRow, importLeads } from '../../importContract.ts';

export interface ImportLabels {
  readonly name: string;
  readonly tags: readonly string[];
}

interface SendOptions {
  readonly productId: number;
  readonly importKey: string;
  /** Import name, and tags for all its leads. */
  readonly labels: ImportLabels;
  readonly dryRun: boolean;
  readonly rows: readonly ImportRow[];
  /** Called with the answers of each batch; `done` counts all rows so far. */
  readonly onAnswers: (answers: readonly ImportedRow[], done: number) => void;
  readonly isStopped: () => boolean;
}

/** Maximum characters in one call, well below the server's limit on a body. */
const MAX_CHARACTERS = 250_000;

/** Send all rows. Throws the server's error when it refuses a batch; earlier batches stay imported. */
export async function sendRows({
  productId,
  importKey,
  labels,
  dryRun,
  rows,
  onAnswers,
  isStopped,
}: SendOptions): Promise<void> {
  let done = 0;
  for (const batch of splitIntoBatches(rows)) {
    if (isStopped()) return;
    const { name, tags } = labels;
    const body = { product_id: productId, import_key: importKey, name, tags: [...tags], dry_run: dryRun, rows: batch };
    const answer = await call(importLeads, { body });
    done += batch.length;
    onAnswers(answer.rows, done);
  }
}

/** Split the rows into batches, limited by number of rows and by length. */
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

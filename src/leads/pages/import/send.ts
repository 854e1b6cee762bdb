/** Rows on their way to the server, some at a time. */
import { call } from '../../../kit/api.ts';
import { IMPORT_SIZE, type ImportedRow, type ImportRow, importLeads } from '../../importContract.ts';

interface Sending {
  readonly productId: number;
  readonly importKey: string;
  readonly dryRun: boolean;
  readonly rows: readonly ImportRow[];
  /** Told what became of each portion; `done` of all rows so far. */
  readonly onAnswers: (answers: readonly ImportedRow[], done: number) => void;
  readonly isStopped: () => boolean;
}

/** Characters of one call, well below the server's bound on a body. */
const MOST_CHARACTERS = 250_000;

/** Sends all rows; throws what the server says when it refuses a portion. Those before it are in. */
export async function sendRows({ productId, importKey, dryRun, rows, onAnswers, isStopped }: Sending): Promise<void> {
  let done = 0;
  for (const portion of portionsOf(rows)) {
    if (isStopped()) return;
    const body = { product_id: productId, import_key: importKey, dry_run: dryRun, rows: portion };
    const answer = await call(importLeads, { body });
    done += portion.length;
    onAnswers(answer.rows, done);
  }
}

/** Cuts the rows where a portion would hold too many of them or too long ones. */
export function portionsOf(
  rows: readonly ImportRow[],
  most = IMPORT_SIZE,
  characters = MOST_CHARACTERS,
): ImportRow[][] {
  const portions: ImportRow[][] = [];
  let size = 0;
  for (const row of rows) {
    const length = JSON.stringify(row).length;
    const last = portions.at(-1);
    if (last && last.length < most && size + length <= characters) {
      last.push(row);
      size += length;
    } else {
      portions.push([row]);
      size = length;
    }
  }
  return portions;
}

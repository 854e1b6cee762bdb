/** What the assistant may look at while leads are imported: the columns of the file, and the rows that are left out. */
import type { PageContext } from '../../../kit/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools } from '../../../kit/pageTool.ts';
import { t } from '../../../kit/t.ts';
import type { Mapping } from './mapping.ts';
import type { FileRow } from './rows.ts';
import type { Table } from './table.ts';

interface Work {
  readonly table: Table;
  readonly mapping: Mapping;
  /** Null while the columns are mapped. */
  readonly rows: readonly FileRow[] | null;
}

/** Rows of a file in one answer. */
const MOST_ROWS = 50;
const SAMPLES = 3;

/** @param work null: no file is chosen yet. */
export function importTools(work: Work | null): Required<Pick<PageContext, 'tools' | 'handlers'>> {
  return pageTools(
    pageTool({
      name: 'show_columns',
      description: t('The columns of the file: their names, what each becomes, and some of their values.'),
      input: NO_ARGUMENTS,
      run: async () => ({
        columns: chosen(work).table.header.map((name, column) => ({
          name,
          becomes: chosen(work).mapping[column] ?? 'skip',
          values: chosen(work)
            .table.rows.slice(0, SAMPLES)
            .map(({ cells }) => cells[column] ?? ''),
        })),
      }),
    }),
    pageTool({
      name: 'show_left_out_rows',
      description: t('The rows that are not imported, with the reason: wrong, twice in the file, or known already.'),
      input: NO_ARGUMENTS,
      run: async () => {
        const { rows } = chosen(work);
        if (rows === null) throw new Error(t('The rows are not checked yet: the columns come first.'));
        const out = rows.filter(({ verdict }) => verdict.kind !== 'ready' && verdict.kind !== 'created');
        return {
          total: out.length,
          rows: out.slice(0, MOST_ROWS).map(({ row, verdict }) => ({ line: row.line, ...verdict })),
        };
      },
    }),
  );
}

function chosen(work: Work | null): Work {
  if (work === null) throw new Error(t('No file is chosen yet.'));
  return work;
}

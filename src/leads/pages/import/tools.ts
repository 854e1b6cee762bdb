/** The assistant's tools during an import: the columns of the file, and the rows that are left out. */

import { t } from '../../../ui/i18n.ts';
import type { PageContext } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools } from '../../../ui/pageTool.ts';
import type { Mapping } from './mapping.ts';
import type { FileRow } from './rows.ts';
import type { Table } from './table.ts';
import { tagRuleTools } from './tagRuleTools.ts';

interface ImportInView {
  readonly table: Table;
  readonly mapping: Mapping;
  /** Null while the columns are mapped. */
  readonly rows: readonly FileRow[] | null;
}

/** Maximum rows in one answer. */
const MAX_ROWS = 50;
const SAMPLES = 3;

/** @param work null: no file is chosen yet. @param productId null: no product is chosen. */
export function importTools(
  work: ImportInView | null,
  productId: number | null = null,
): Required<Pick<PageContext, 'tools' | 'handlers'>> {
  return pageTools(
    ...(productId === null ? [] : tagRuleTools(productId)),
    pageTool({
      name: 'show_columns',
      description: t('The columns of the file: their names, what each becomes, and some of their values.'),
      input: NO_ARGUMENTS,
      run: async () => ({
        columns: requireFile(work).table.header.map((name, column) => ({
          name,
          becomes: requireFile(work).mapping[column] ?? 'skip',
          values: requireFile(work)
            .table.rows.slice(0, SAMPLES)
            .map(({ cells }) => cells[column] ?? ''),
        })),
      }),
    }),
    pageTool({
      name: 'show_left_out_rows',
      description: t('The rows that are not imported, with the reason: invalid, duplicate, or an existing lead.'),
      input: NO_ARGUMENTS,
      run: async () => {
        const { rows } = requireFile(work);
        if (rows === null) throw new Error(t('Map the columns first; the rows are not checked yet.'));
        const leftOut = rows.filter(({ status }) => status.kind !== 'ready' && status.kind !== 'created');
        return {
          total: leftOut.length,
          rows: leftOut.slice(0, MAX_ROWS).map(({ row, status }) => ({ line: row.line, ...status })),
        };
      },
    }),
  );
}

function requireFile(work: ImportInView | null): ImportInView {
  if (work === null) throw new Error(t('No file is chosen yet.'));
  return work;
}

/** The assistant's tools for the audit log. They only read. */
import { z } from 'zod';
import { readAuditEntry } from '../../access/auditContract.ts';
import { uncheckedId } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';

const LONGEST = 8000;

export function auditTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'show_entry',
      description: t('An entry of the audit log by its id, with the values before and after.'),
      input: z.strictObject({ id: uncheckedId }),
      run: async ({ id }) => {
        const { before, after, ...entry } = await call(readAuditEntry, { params: { id } });
        return { ...entry, before: cut(before), after: cut(after) };
      },
    }),
  ];
}

/** Convert a row to text, cut to the length that the assistant needs. */
function cut(row: unknown): string | null {
  return row === null ? null : JSON.stringify(row).slice(0, LONGEST);
}

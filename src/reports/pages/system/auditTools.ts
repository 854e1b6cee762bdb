/** What the assistant may do with the audit trail: look. */
import { z } from 'zod';
import { call } from '../../../kit/api.ts';
import { pageTool, type ToolOfPage } from '../../../kit/pageTool.ts';
import { t } from '../../../kit/t.ts';
import { readAuditEntry } from '../../../operators/auditContract.ts';
import { plainId } from '../../../platform/contract.ts';

const LONGEST = 8000;

export function auditTools(): ToolOfPage[] {
  return [
    pageTool({
      name: 'show_entry',
      description: t('An entry of the trail by its id, with what stood before and after.'),
      input: z.strictObject({ id: plainId }),
      run: async ({ id }) => {
        const { before, after, ...entry } = await call(readAuditEntry, { params: { id } });
        return { ...entry, before: cut(before), after: cut(after) };
      },
    }),
  ];
}

/** A row as text, no longer than the assistant needs. */
function cut(row: unknown): string | null {
  return row === null ? null : JSON.stringify(row).slice(0, LONGEST);
}

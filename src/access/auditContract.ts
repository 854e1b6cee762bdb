/** The audit log as admins read it. Only the changes themselves write it. */
import { z } from 'zod';
import { endpoint, errorReply, instant, reference, uncheckedId } from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';

const auditEntry = z.object({
  id: z.int(),
  at: instant,
  operator_id: z.int().nullable(),
  /** Login at the time; null if Rapport itself or its command line made the change. */
  operator: z.string().nullable(),
  action: z.string(),
  noun: z.string(),
  row_id: z.int().nullable(),
  company_id: z.int().nullable(),
  product_id: z.int().nullable(),
  request_id: z.string().nullable(),
  /** Whether the row's state before or after the change is stored. For a deleted lead it no longer is. */
  has_rows: z.boolean(),
  /** Name of the row, as far as it is stored. */
  row_name: z.string().nullable(),
  /**
   * Number of rows that the request changed in the same way, including this one. Only in lists requested `with_same`.
   */
  same: z.int().optional(),
});
export type AuditEntry = z.output<typeof auditEntry>;

const auditWord = z.string().min(1).max(100);

const auditCrud = crud(
  {
    resource: 'audit_entry',
    plural: 'audit entries',
    path: '/v1/audit/',
    item: auditEntry,
    create: z.strictObject({}),
    update: z.strictObject({}),
    filters: {
      action: auditWord,
      noun: auditWord,
      row_id: uncheckedId,
      /** true: if a request changed many rows in the same way, list only the last entry. */
      grouped: z.boolean(),
    },
    orderBy: ['id'],
    // Words of the state before and after. The last word may be incomplete.
    search: ['before', 'after'],
    optionalFields: ['same'],
  },
  { read: 'admin', write: 'admin' },
);

export const readAuditEntry = endpoint({
  operation: 'getAuditEntry',
  method: 'GET',
  path: '/v1/audit/{id}',
  access: 'admin',
  summary: 'An entry of the audit log with the values before and after',
  params: z.strictObject({ id: reference('audit_entry') }),
  replies: {
    200: auditEntry.extend({ before: z.unknown(), after: z.unknown() }),
    404: errorReply,
  },
});

export const audit = {
  resource: auditCrud.resource,
  plural: auditCrud.plural,
  orderBy: auditCrud.orderBy,
  search: auditCrud.search,
  list: { ...auditCrud.list, operation: 'listAuditEntries' },
  get: readAuditEntry,
};

export const exportAudit = endpoint({
  operation: 'exportAuditEntries',
  // POST instead of GET, because the export itself is recorded in the log.
  method: 'POST',
  path: '/v1/audit/export',
  access: 'admin',
  summary: 'All entries that the filters find with the values before and after, oldest first: one JSON object a line',
  query: auditCrud.filterQuery,
  replies: { 200: z.string() },
  media: 'application/x-ndjson',
  slowReason: 'A log of years is long.',
});

export const readAuditWords = endpoint({
  operation: 'getAuditWords',
  method: 'GET',
  path: '/v1/audit/words',
  access: 'admin',
  summary: 'The actions and nouns that occur in the audit log',
  replies: { 200: z.object({ actions: z.array(z.string()), nouns: z.array(z.string()) }) },
});

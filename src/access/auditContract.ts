/** The audit trail as admins read it. Nothing writes it but the deeds themselves. */
import { z } from 'zod';
import { endpoint, errorReply, instant, reference, uncheckedId } from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';

const auditEntry = z.object({
  id: z.int(),
  at: instant,
  operator_id: z.int().nullable(),
  /** Login at the time; null: nobody, Rapport itself or its command line. */
  operator: z.string().nullable(),
  action: z.string(),
  noun: z.string(),
  row_id: z.int().nullable(),
  company_id: z.int().nullable(),
  product_id: z.int().nullable(),
  request_id: z.string().nullable(),
  /** Whether there is a before or an after: of a deleted lead there is none any more. */
  has_rows: z.boolean(),
  /** What the row was called, as far as that is kept. */
  row_name: z.string().nullable(),
  /** How many rows the request did the same to, this one included. In lists that ask `with_same`. */
  same: z.int().optional(),
});
export type AuditEntry = z.output<typeof auditEntry>;

const auditWord = z.string().min(1).max(100);

const auditCrud = crud(
  {
    resource: 'audit_entry',
    plural: 'entries of the trail',
    path: '/v1/audit/',
    item: auditEntry,
    create: z.strictObject({}),
    update: z.strictObject({}),
    filters: {
      action: auditWord,
      noun: auditWord,
      row_id: uncheckedId,
      /** true: of what a request did to many rows only the last entry. */
      grouped: z.boolean(),
    },
    orderBy: ['id'],
    // Words of what stood before and after; the last one may be unfinished.
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
  summary: 'An entry of the trail with what stood before and after',
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
  // Not GET: that the log was taken out is itself in the log.
  method: 'POST',
  path: '/v1/audit/export',
  access: 'admin',
  summary: 'All entries that the filters find with what stood before and after, oldest first: one JSON object a line',
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
  summary: 'Which actions and nouns there are in the trail',
  replies: { 200: z.object({ actions: z.array(z.string()), nouns: z.array(z.string()) }) },
});

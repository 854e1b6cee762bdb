/** Leads from a file: rows as they stand there, and what became of each. */
import { z } from 'zod';
import { endpoint, errorReply, nameShape, reference } from '../platform/contract.ts';
import { crmFields } from './contract.ts';

/** Rows of one call: one transaction. */
export const IMPORT_SIZE = 500;

const cell = z.string().max(2000).default('');

/** A row as typed; what is wrong with it is told row by row, so nothing but its shape is bound here. */
export const importRow = z.strictObject({
  /** Its line in the file: by it the answer names the row. */
  line: z.int().positive().max(10_000_000),
  name: cell,
  whatsapp: cell,
  telegram: cell,
  crm_id: cell,
  timezone: cell,
  crm_fields: crmFields.default({}),
});
export type ImportRow = z.output<typeof importRow>;

/** Cells that can be wrong. `row`: what is missing stands in no cell. */
export const importFields = ['name', 'whatsapp', 'telegram', 'crm_id', 'timezone', 'row'] as const;
export type ImportField = (typeof importFields)[number];

/**
 * - `created`: a lead was made of it (in a dry run: would be)
 * - `present`: somebody with one of its addresses, or its id in the CRM, is a lead of the product already
 * - `forgotten`: somebody with one of its addresses was deleted from the product
 * - `invalid`: see `errors`
 */
const importOutcomes = ['created', 'present', 'forgotten', 'invalid'] as const;

export const importedRow = z.object({
  line: z.int(),
  outcome: z.enum(importOutcomes),
  /** The lead that was made or is there already. */
  lead_id: z.int().nullable(),
  errors: z.array(z.object({ field: z.enum(importFields), msg: z.string() })),
});
export type ImportedRow = z.output<typeof importedRow>;
nameShape('ImportedRow', importedRow);

export const importLeads = endpoint({
  operation: 'importLeads',
  method: 'POST',
  path: '/v1/leads/import',
  access: 'session',
  summary: 'Make leads with contacts of the rows of a file; rows that are known already change nothing',
  slowReason: 'Stores hundreds of leads with their contacts.',
  body: z.strictObject({
    product_id: reference('product'),
    /** One for the whole file: by it what it brought can be taken back. */
    import_key: z.uuid(),
    dry_run: z.boolean().default(false),
    rows: z.array(importRow).min(1).max(IMPORT_SIZE),
  }),
  replies: { 200: z.object({ rows: z.array(importedRow) }), 404: errorReply },
});

export const undoImport = endpoint({
  operation: 'undoLeadImport',
  method: 'POST',
  path: '/v1/leads/import/undo',
  access: 'session',
  summary: 'Take back the leads of a file of which nothing has come yet',
  slowReason: 'Deletes all leads of a file.',
  body: z.strictObject({ product_id: reference('product'), import_key: z.uuid() }),
  replies: {
    200: z.object({
      removed: z.int(),
      /** Left as they are: talked with, or changed since. */
      kept: z.int(),
    }),
    404: errorReply,
  },
});

/** Lead import from a file: the rows as read, and the outcome of each. */
import { z } from 'zod';
import { endpoint, errorReply, externalId, nameShape, reference } from '../platform/contract.ts';
import { tagList } from '../products/tagContract.ts';
import { crmFields } from './contract.ts';

/** Maximum rows in one call: one transaction. */
export const IMPORT_SIZE = 500;

const cell = z.string().max(2000).default('');

/** A row as typed. Only its shape is validated here; other errors are reported per row. */
export const importRow = z.strictObject({
  /** The row's line in the file, which identifies the row in the answer. */
  line: z.int().positive().max(10_000_000),
  name: cell,
  /** Addresses as people write them. Of several in one cell, the first becomes the main contact. */
  whatsapp: cell,
  telegram: cell,
  crm_id: externalId(z.string().max(2000)).default(''),
  timezone: cell,
  crm_fields: crmFields.default({}),
  /** Tags, separated by commas. */
  tags: cell,
});
export type ImportRow = z.output<typeof importRow>;

/** Cells that can have an error. `row`: the error belongs to no single cell. */
export const importFields = ['name', 'whatsapp', 'telegram', 'crm_id', 'timezone', 'tags', 'row'] as const;
export type ImportField = (typeof importFields)[number];

/**
 * - `created`: a lead was created from it (in a dry run: would be)
 * - `present`: the product already has a lead with one of its addresses or its CRM id
 * - `forgotten`: a lead with one of its addresses was deleted from the product
 * - `invalid`: see `errors`
 */
const importOutcomes = ['created', 'present', 'forgotten', 'invalid'] as const;

export const importedRow = z.object({
  line: z.int(),
  outcome: z.enum(importOutcomes),
  /** The lead that was created or exists already. */
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
  summary: 'Create leads with contacts from the rows of a file; rows of existing leads change nothing',
  slowReason: 'Stores hundreds of leads with their contacts.',
  body: z.strictObject({
    product_id: reference('product'),
    /** One key for the whole file; it identifies the leads to remove when the import is undone. */
    import_key: z.uuid(),
    dry_run: z.boolean().default(false),
    /** By default 'Import'. */
    name: z.string().trim().max(200).default(''),
    /** Tags for all leads that the import creates. */
    tags: tagList.default([]),
    rows: z.array(importRow).min(1).max(IMPORT_SIZE),
  }),
  replies: { 200: z.object({ rows: z.array(importedRow) }), 404: errorReply },
});

export const undoImport = endpoint({
  operation: 'undoLeadImport',
  method: 'POST',
  path: '/v1/leads/import/undo',
  access: 'session',
  summary: 'Undo an import: remove its leads that were not changed or contacted since',
  slowReason: 'Deletes all leads of a file.',
  body: z.strictObject({ product_id: reference('product'), import_key: z.uuid() }),
  replies: {
    200: z.object({
      removed: z.int(),
      /** Leads not removed, because they have a dialogue or were changed since. */
      kept: z.int(),
    }),
    404: errorReply,
  },
});

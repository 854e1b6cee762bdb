/** Documents of leads: texts that prompts may use. */
import { z } from 'zod';
import { instant, name, reference } from '../platform/contract.ts';
import { crud } from '../platform/crud.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';

const content = z.strictObject({ text_data: z.string().max(200_000).default('') });

export const leadDocument = z.object({
  id: z.int(),
  lead_id: z.int(),
  product_id: z.int(),
  name: z.string(),
  /** The name in templates: `document.<type>`. */
  type: z.string(),
  document: content,
  document_url: z.string().nullable(),
  created_at: instant,
  version: rowVersion,
});
export type LeadDocument = z.output<typeof leadDocument>;

const write = z
  .strictObject({
    lead_id: reference('lead'),
    name,
    type: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^[\p{L}_][\p{L}\p{N}_-]*$/u, 'Only letters, digits, _ and -, beginning with a letter'),
    document: content.prefault({}),
    document_url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .nullable()
      .default(null),
  })
  .refine((body) => body.document.text_data.trim() !== '' || body.document_url !== null, {
    message: 'A text or a link is required',
    path: ['document', 'text_data'],
  });

export const leadDocuments = crud({
  resource: 'lead_document',
  plural: 'lead documents',
  path: '/v1/lead-documents/',
  item: leadDocument,
  create: write,
  update: write,
  filters: {},
  orderBy: ['id', 'name', 'type', 'created_at'],
  search: ['name', 'type'],
});

export const documentRefusals = {
  'document.lead_fixed': { status: 409, sentence: 'A document cannot move to another lead.' },
} satisfies RefusalKinds;

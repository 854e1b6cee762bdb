/** What experiments are about, and what their arms use. Browser-safe. */
import { z } from 'zod';
import { llmVendors } from '../products/contract.ts';

/** What the arms differ in. Only one experiment of a kind runs on a product. */
export const experimentKinds = ['first_text', 'prompt', 'model'] as const;
export type ExperimentKind = (typeof experimentKinds)[number];

/** What an arm uses since the start: the copy of its content. */
export const frozenContent = z.discriminatedUnion('kind', [
  /** A template. `prepared_message_id`: what it was copied from. */
  z.object({ kind: z.literal('text'), text: z.string(), prepared_message_id: z.int().nullable() }),
  /** The text of a document prompt, from which a model writes each first message. */
  z.object({
    kind: z.literal('document'),
    document_prompt_id: z.int(),
    document_type: z.string(),
    name: z.string(),
    prompt_id: z.int(),
    prompt_name: z.string(),
    prompt_version: z.int(),
    text: z.string(),
  }),
  z.object({
    kind: z.literal('prompt'),
    prompt_id: z.int(),
    prompt_version: z.int(),
    name: z.string(),
    text: z.string(),
  }),
  z.object({
    kind: z.literal('model'),
    vendor: z.enum(llmVendors),
    model: z.string(),
    temperature: z.number(),
  }),
]);
export type FrozenContent = z.output<typeof frozenContent>;

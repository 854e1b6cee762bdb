/** SQL of the prompts that a product answers from, for statements that read more. */
import { type RawBuilder, sql } from 'kysely';
import type { PromptType } from '../contract.ts';

/** A prompt's text and version, as conversations need it. */
export interface PromptText {
  id: number;
  name: string;
  text: string;
  version: number;
}

/** A text that the model may look up by its description. */
export type DescribedPrompt = PromptText & { readonly rag_description: string };

/**
 * Which text of a prompt is read. `live`: what was published last, and nothing of a prompt that never was. `saved`: what
 * was saved last, which a draft is tried with and leads never get.
 */
export type PromptTexts = 'live' | 'saved';

/** The columns of a prompt's text. */
export const textColumns = (texts: PromptTexts): RawBuilder<PromptText> =>
  texts === 'live' ? sql`id, name, live_text as text, live_version as version` : sql`id, name, text, version`;

/** True if a prompt has such a text. */
export const hasText = (texts: PromptTexts): RawBuilder<boolean> =>
  texts === 'live' ? sql`live_version is not null` : sql`true`;

/** The query of 'the product's prompt' of a type: the newest without a group, of those that are live. */
export const productPrompt = (productId: RawBuilder<unknown>, type: PromptType): RawBuilder<PromptText> => sql`
  select ${textColumns('live')} from prompts
   where product_id = ${productId} and type = ${type} and group_id is null and ${hasText('live')}
   order by created_at desc, id desc limit 1`;

/** True if a product has live prompts in a group that have a description. */
export const hasDescribed = (productId: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  exists (select 1 from prompts where product_id = ${productId} and group_id is not null and btrim(rag_description) <> ''
             and ${hasText('live')})`;

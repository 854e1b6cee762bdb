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

/** The query of 'the product's prompt' of a type: the newest without a group. */
export const productPrompt = (productId: RawBuilder<unknown>, type: PromptType): RawBuilder<PromptText> => sql`
  select id, name, text, version from prompts
   where product_id = ${productId} and type = ${type} and group_id is null order by created_at desc, id desc limit 1`;

/** True if a product has prompts in a group that have a description. */
export const hasDescribed = (productId: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  exists (select 1 from prompts where product_id = ${productId} and group_id is not null and btrim(rag_description) <> '')`;

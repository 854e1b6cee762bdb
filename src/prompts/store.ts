import type { Generated } from 'kysely';
import type { Reader, Tx } from '../platform/db.ts';
import type { PromptType } from './contract.ts';

interface PromptTable {
  id: Generated<number>;
  product_id: number;
  name: string;
  type: PromptType;
  text: string;
  group_id: number | null;
  rag_description: string | null;
  author: string | null;
  version: Generated<number>;
  created_at: Generated<string>;
}
interface PromptVersionTable {
  prompt_id: number;
  version: number;
  text: string;
  author: string | null;
  created_at: Generated<string>;
}

declare module '../platform/db.ts' {
  interface Tables {
    prompts: PromptTable;
    prompt_versions: PromptVersionTable;
  }
}

export interface Prompt {
  id: number;
  name: string;
  text: string;
  version: number;
}

/** The newest prompt of a type without a group: 'the product's prompt'. */
export function newestPrompt(reader: Reader, productId: number, type: PromptType): Promise<Prompt | undefined> {
  return reader
    .selectFrom('prompts')
    .select(['id', 'name', 'text', 'version'])
    .where('product_id', '=', productId)
    .where('type', '=', type)
    .where('group_id', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

export function promptByName(
  reader: Reader,
  productId: number,
  type: PromptType,
  name: string,
): Promise<Prompt | undefined> {
  return reader
    .selectFrom('prompts')
    .select(['id', 'name', 'text', 'version'])
    .where('product_id', '=', productId)
    .where('type', '=', type)
    .where('name', '=', name)
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

/** Stores a new prompt with its first version. */
export async function insertPrompt(
  tx: Tx,
  prompt: { productId: number; name: string; type: PromptType; text: string; author: string | null },
): Promise<number> {
  const row = await tx
    .insertInto('prompts')
    .values({
      product_id: prompt.productId,
      name: prompt.name,
      type: prompt.type,
      text: prompt.text,
      author: prompt.author,
      group_id: null,
      rag_description: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('prompt_versions')
    .values({ prompt_id: row.id, version: 1, text: prompt.text, author: prompt.author })
    .execute();
  return row.id;
}

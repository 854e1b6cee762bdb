import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../platform/db.ts';
import { singleTypes } from './activePrompts.ts';
import type { Prompt, PromptType } from './contract.ts';
import {
  type DescribedPrompt,
  hasText,
  type PromptText,
  type PromptTexts,
  productPrompt,
  textColumns,
} from './store/ofProduct.ts';

export type { DescribedPrompt, PromptText, PromptTexts };

declare module '../platform/db.ts' {
  interface Tables {
    prompts: Row<'prompts', { type: PromptType }>;
    prompt_versions: Row<'prompt_versions'>;
    prompt_groups: Row<'prompt_groups'>;
    prepared_messages: Row<'prepared_messages', { type: 'initial' | 'ping' }>;
    document_prompts: Row<'document_prompts', { type: 'initial'; config: Record<string, unknown> }>;
  }
}

/** Read 'the product's prompt' of a type: the newest without a group. */
export function newestPrompt(reader: Reader, productId: number, type: PromptType): Promise<PromptText | undefined> {
  return productPrompt(sql`${productId}`, type)
    .execute(reader)
    .then(({ rows }) => rows[0]);
}

/** Limit of descriptions sent to the model. Models do not read more with care. */
const MAX_DESCRIBED = 100;

/** Read the prompts in a group that have a description, oldest first. */
export async function findDescribed(
  reader: Reader,
  productId: number,
  texts: PromptTexts = 'live',
): Promise<DescribedPrompt[]> {
  const { rows } = await sql<DescribedPrompt>`
    select ${textColumns(texts)}, rag_description from prompts
     where product_id = ${productId} and group_id is not null and btrim(rag_description) <> '' and ${hasText(texts)}
     order by id limit ${MAX_DESCRIBED}`.execute(reader);
  return rows;
}

/** Read a text of a prompt by its id; undefined if there is no such prompt or text. */
export async function promptById(
  reader: Reader,
  id: number,
  texts: PromptTexts,
): Promise<(PromptText & { product_id: number }) | undefined> {
  const { rows } = await sql<PromptText & { product_id: number }>`
    select ${textColumns(texts)}, product_id from prompts where id = ${id} and ${hasText(texts)}`.execute(reader);
  return rows[0];
}

/** Read the newest subprompt of each name. Names without a subprompt are left out. */
export async function subprompts(
  reader: Reader,
  { productId, names, texts }: { productId: number; names: readonly string[]; texts: PromptTexts },
): Promise<{ name: string; text: string }[]> {
  const { rows } = await sql<{ name: string; text: string }>`
    select distinct on (name) ${textColumns(texts)} from prompts
     where product_id = ${productId} and type = 'subprompt' and name = any(${names}::text[]) and ${hasText(texts)}
     order by name, created_at desc, id desc`.execute(reader);
  return rows;
}

type Candidate = Pick<Prompt, 'id' | 'name' | 'type' | 'group_id' | 'created_at'>;

/** Read the live prompts that can fill a single slot of the product, newest first. */
export function findPlacedPrompts(reader: Reader, productId: number): Promise<Candidate[]> {
  return reader
    .selectFrom('prompts')
    .select(['id', 'name', 'type', 'group_id', 'created_at'])
    .where('product_id', '=', productId)
    .where('live_version', 'is not', null)
    .where((is) =>
      is.or([is('type', '=', 'subprompt'), is.and([is('type', 'in', singleTypes), is('group_id', 'is', null)])]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Read those of the prompts that are live. */
export async function livePromptsById(reader: Reader, ids: readonly number[]): Promise<Candidate[]> {
  if (ids.length === 0) return [];
  return reader
    .selectFrom('prompts')
    .select(['id', 'name', 'type', 'group_id', 'created_at'])
    .where('id', 'in', [...ids])
    .where('live_version', 'is not', null)
    .execute();
}

/** Return the names of the subprompts that live texts of the product include. */
export async function includedNames(reader: Reader, productId: number): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select distinct found[1] as name
      from (select live_text from prompts where product_id = ${productId} and live_version is not null
            union all select message from prepared_messages where product_id = ${productId}) as texts (text),
           regexp_matches(texts.text, ${String.raw`\{%-?\s*render\s*['"]([^'"]+)['"]`}, 'g') as found`.execute(reader);
  return new Set(rows.map((row) => row.name));
}

/** Return the prompts that the product's document prompts use. */
export async function findPromptsOfDocuments(reader: Reader, productId: number): Promise<number[]> {
  const rows = await reader
    .selectFrom('document_prompts')
    .select('prompt_id')
    .distinct()
    .where('product_id', '=', productId)
    .execute();
  return rows.map((row) => row.prompt_id);
}

/** Store a new prompt with its first version. */
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
  await insertVersion(tx, { promptId: row.id, version: 1, text: prompt.text, author: prompt.author });
  return row.id;
}

/** Store a saved text permanently. */
export async function insertVersion(
  tx: Tx,
  version: { promptId: number; version: number; text: string; author: string | null },
): Promise<void> {
  await tx
    .insertInto('prompt_versions')
    .values({ prompt_id: version.promptId, version: version.version, text: version.text, author: version.author })
    .execute();
}

/** Run a counting query and return its count. */
async function count(tx: Tx, query: ReturnType<typeof sql<{ count: number }>>): Promise<number> {
  return (await query.execute(tx)).rows[0]?.count ?? 0;
}

export function countPromptsOfGroup(tx: Tx, groupId: number): Promise<number> {
  return count(tx, sql<{ count: number }>`select count(*) from prompts where group_id = ${groupId}`);
}

export function countDocumentPrompts(tx: Tx, promptId: number): Promise<number> {
  return count(tx, sql<{ count: number }>`select count(*) from document_prompts where prompt_id = ${promptId}`);
}

/** Return the ids that are not rows of the product. */
export async function foreignRows(
  reader: Reader,
  {
    table,
    ids,
    productId,
  }: {
    table: 'prompts' | 'prompt_groups' | 'prepared_messages' | 'document_prompts';
    ids: readonly number[];
    productId: number;
  },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select wanted.id from unnest(${[...ids]}::bigint[]) as wanted (id)
     where not exists (select 1 from ${sql.table(table)} t where t.id = wanted.id and t.product_id = ${productId})`.execute(
    reader,
  );
  return rows.map((row) => row.id);
}

/** Return those of the prepared messages that are not of this type. */
export async function findPreparedOfOtherType(
  reader: Reader,
  ids: readonly number[],
  type: 'initial' | 'ping',
): Promise<number[]> {
  const rows = await reader
    .selectFrom('prepared_messages')
    .select('id')
    .where('id', 'in', [...ids])
    .where('type', '<>', type)
    .execute();
  return rows.map(({ id }) => id);
}

export function findPrepared(
  reader: Reader,
  id: number,
  productId: number,
): Promise<{ id: number; name: string; message: string } | undefined> {
  return reader
    .selectFrom('prepared_messages')
    .select(['id', 'name', 'message'])
    .where('id', '=', id)
    .where('product_id', '=', productId)
    .executeTakeFirst();
}

export function findDocumentPrompt(
  reader: Reader,
  id: number,
  productId: number,
): Promise<{ name: string; document_type: string; prompt_id: number } | undefined> {
  return reader
    .selectFrom('document_prompts')
    .select(['name', 'document_type', 'prompt_id'])
    .where('id', '=', id)
    .where('product_id', '=', productId)
    .executeTakeFirst();
}

/** Read a version of a product's prompt; undefined if there is none. */
export async function findPromptVersion(
  reader: Reader,
  { promptId, version, productId }: { promptId: number; version: number; productId: number },
): Promise<(PromptText & { author: string | null; created_at: string }) | undefined> {
  const { rows } = await sql<PromptText & { author: string | null; created_at: string }>`
    select p.id, p.name, v.text, v.version, v.author, v.created_at from prompts p join prompt_versions v on v.prompt_id = p.id
     where p.id = ${promptId} and p.product_id = ${productId} and v.version = ${version}`.execute(reader);
  return rows[0];
}

/** A prompt's saved text with its versions. */
export type LockedPrompt = PromptText & Pick<Prompt, 'type' | 'product_id' | 'live_version' | 'revision'>;

const LOCKED_COLUMNS = sql`id, name, text, version, type, product_id, live_version, revision`;

export async function lockPrompt(tx: Tx, id: number): Promise<LockedPrompt | undefined> {
  const { rows } = await sql<LockedPrompt>`
    select ${LOCKED_COLUMNS} from prompts where id = ${id} for update`.execute(tx);
  return rows[0];
}

export async function updatePromptText(
  tx: Tx,
  { id, text, version, author }: { id: number; text: string; version: number; author: string | null },
): Promise<LockedPrompt | undefined> {
  const { rows } = await sql<LockedPrompt>`
    update prompts set text = ${text}, version = ${version}, author = ${author}, saved_at = domain_now()
     where id = ${id} returning ${LOCKED_COLUMNS}`.execute(tx);
  return rows[0];
}

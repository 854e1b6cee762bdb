/** SQL of classification configurations and results. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import type { ClassificationConfig, ClassificationResult } from '../classificationConfigContract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    classification_configs: Row<'classification_configs', { config: ClassificationConfig['config'] }>;
    classification_results: Row<'classification_results', { result: ClassificationResult['result'] }>;
  }
}

export async function findConfigIdOfProduct(tx: Tx, productId: number): Promise<number | undefined> {
  const row = await tx
    .selectFrom('classification_configs')
    .select('id')
    .where('product_id', '=', productId)
    .executeTakeFirst();
  return row?.id;
}

/** Return the product's classification settings; undefined if it does not classify. */
export async function findClassificationSettings(
  reader: Reader,
  productId: number,
): Promise<{ id: number; prompt_id: number } | undefined> {
  const { rows } = await sql<{ id: number; prompt_id: number }>`
    select id, (config->>'prompt_id')::bigint as prompt_id from classification_configs where product_id = ${productId}`.execute(
    reader,
  );
  return rows[0];
}

/** Insert a product's configuration; undefined if it has one. */
export async function insertClassificationConfig(
  tx: Tx,
  productId: number,
  config: ClassificationConfig['config'],
): Promise<ClassificationConfig | undefined> {
  const { rows } = await sql<ClassificationConfig>`
    insert into classification_configs (product_id, config) values (${productId}, ${JSON.stringify(config)}::jsonb)
    on conflict (product_id) do nothing returning id, product_id, config, created_at, revision as version`.execute(tx);
  return rows[0];
}

/** Insert the result of a turn. */
export async function insertClassificationResult(
  tx: Tx,
  row: {
    productId: number;
    dialogueId: number;
    configId: number;
    turn: number;
    result: ClassificationResult['result'];
  },
): Promise<void> {
  await sql`
    insert into classification_results (product_id, dialogue_id, config_id, turn, result)
    values (${row.productId}, ${row.dialogueId}, ${row.configId}, ${row.turn}, ${JSON.stringify(row.result)}::jsonb)`.execute(
    tx,
  );
}

export async function findProductOfConfig(tx: Tx, id: number): Promise<number | undefined> {
  const row = await tx
    .selectFrom('classification_configs')
    .select('product_id')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.product_id;
}

export async function findProductOfDialogue(tx: Tx, id: number): Promise<number | undefined> {
  const { rows } = await sql<{ product_id: number }>`select product_id from dialogues where id = ${id}`.execute(tx);
  return rows[0]?.product_id;
}

export async function countConfigsUsingPrompt(tx: Tx, promptId: number, productId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from classification_configs
     where product_id = ${productId} and (config->>'prompt_id')::bigint = ${promptId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Return a lead's main contact, else its oldest. */
export async function findMainContact(
  reader: Reader,
  leadId: number,
): Promise<{ contact: string; contact_type: string } | undefined> {
  const { rows } = await sql<{ contact: string; contact_type: string }>`
    select contact, contact_type from contacts where lead_id = ${leadId} order by is_main desc, id limit 1`.execute(
    reader,
  );
  return rows[0];
}

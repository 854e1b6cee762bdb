/** All SQL statements about CRM integrations. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../platform/db.ts';
import type { IntegrationConfig, ProductIntegration } from './contract.ts';

declare module '../platform/db.ts' {
  interface Tables {
    crm_integrations: Row<'crm_integrations', { crm_type: 'amocrm' }>;
    product_integrations: Row<'product_integrations', { config: IntegrationConfig }>;
  }
}

export async function countProductsOf(reader: Reader, integrationId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from product_integrations where crm_integration_id = ${integrationId}`.execute(reader);
  return rows[0]?.count ?? 0;
}

export function findProductIntegration(
  reader: Reader,
  productId: number,
  integrationId: number,
): Promise<ProductIntegration | undefined> {
  return reader
    .selectFrom('product_integrations')
    .select(['id', 'product_id', 'crm_integration_id', 'config', 'created_at', 'revision as version'])
    .where('product_id', '=', productId)
    .where('crm_integration_id', '=', integrationId)
    .executeTakeFirst();
}

/** Lock the settings of a product's integration until the transaction ends. */
export async function lockProductIntegration(tx: Tx, productId: number, integrationId: number): Promise<void> {
  await sql`
    select 1 from product_integrations
     where product_id = ${productId} and crm_integration_id = ${integrationId} for update`.execute(tx);
}

/** Link a product with an integration of the same company. Returns false if there is no such pair. */
export async function insertProductIntegration(
  tx: Tx,
  input: Omit<ProductIntegration, 'id' | 'created_at' | 'version'>,
): Promise<boolean> {
  const { rows } = await sql`
    insert into product_integrations (product_id, crm_integration_id, company_id, config)
    select p.id, i.id, p.company_id, ${JSON.stringify(input.config)}::jsonb
      from products p join crm_integrations i on i.company_id = p.company_id
     where p.id = ${input.product_id} and i.id = ${input.crm_integration_id}
    returning id`.execute(tx);
  return rows.length > 0;
}

export async function updateProductIntegration(tx: Tx, id: number, config: IntegrationConfig): Promise<void> {
  await sql`update product_integrations set config = ${JSON.stringify(config)}::jsonb where id = ${id}`.execute(tx);
}

export async function deleteProductIntegration(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('product_integrations').where('id', '=', id).execute();
}

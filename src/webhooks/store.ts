/** SQL of webhooks. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../platform/db.ts';

export const WEBHOOK_SOURCE = {
  table: 'webhooks',
  from: 'webhooks t',
  select: {
    ...Object.fromEntries(
      ['id', 'company_id', 'url', 'events', 'is_active', 'created_at'].map((field) => [field, `t.${field}`]),
    ),
    product_id: 't.only_product_id',
    secret: 't.secret_mask',
    last_delivery: `(select jsonb_build_object('state', d.state, 'error', d.error, 'created_at',
                            to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
                       from webhook_deliveries d where d.webhook_id = t.id order by d.id desc limit 1)`,
    version: 't.revision',
  },
  search: ['t.url'],
  scopeCondition: 't.company_id = any($)',
  id: 't.id',
};

/** Reserve the id of a new webhook: its secret is sealed for it. */
export async function nextWebhookId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('webhooks', 'id'))::bigint as id`.execute(tx);
  return rows[0]?.id ?? 0;
}

/** Lock a company against other new webhooks. Returns how many it has. */
export async function countWebhooks(tx: Tx, companyId: number): Promise<number> {
  await sql`select from companies where id = ${companyId} for no key update`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*) from webhooks where company_id = ${companyId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function isProductOf(reader: Reader, productId: number, companyId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from products where id = ${productId} and company_id = ${companyId}`.execute(
    reader,
  );
  return rows.length > 0;
}

/** Lock a webhook; undefined if there is none. */
export async function lockWebhook(
  tx: Tx,
  id: number,
): Promise<{ company_id: number; product_id: number | null; is_active: boolean } | undefined> {
  const { rows } = await sql<{ company_id: number; product_id: number | null; is_active: boolean }>`
    select company_id, only_product_id as product_id, is_active from webhooks where id = ${id} for no key update`.execute(
    tx,
  );
  return rows[0];
}

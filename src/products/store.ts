import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../platform/db.ts';
import { DEFAULT_PRODUCT_CONFIG, type Gate, type ProductConfig, type ReplyHours } from './contract.ts';
import type { DailyLimits, PreviousLimits } from './previousLimits.ts';
import type { QuotaClock } from './quotaDay.ts';
import type { TagRule } from './tagContract.ts';

declare module '../platform/db.ts' {
  interface Tables {
    products: Row<
      'products',
      { config: ProductConfig; reply_hours: ReplyHours; tag_rules: TagRule[]; previous_limits: DailyLimits | null }
    >;
  }
}

export interface ProductFacts {
  id: number;
  company_id: number;
  company_name: string;
  name: string;
  is_active: boolean;
  /** IANA name of the time zone. */
  timezone: string;
  config: ProductConfig;
}

export function findProduct(reader: Reader, id: number): Promise<ProductFacts | undefined> {
  return reader
    .selectFrom('products as p')
    .innerJoin('companies as c', 'c.id', 'p.company_id')
    .select(['p.id', 'p.company_id', 'c.name as company_name', 'p.name', 'p.is_active', 'p.timezone', 'p.config'])
    .where('p.id', '=', id)
    .executeTakeFirst();
}

export async function countLeads(tx: Tx, id: number): Promise<number> {
  const { rows } = await sql<{ leads: number }>`select count(*) as leads from leads where product_id = ${id}`.execute(
    tx,
  );
  return rows[0]?.leads ?? 0;
}

/** Whether the product has leads, or rows whose foreign key carries its company. */
export async function isTiedToCompany(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql<{ is_tied: boolean }>`
    select exists (select from leads where product_id = ${id})
        or exists (select from product_channels where product_id = ${id})
        or exists (select from product_integrations where product_id = ${id})
        or exists (select from webhooks where only_product_id = ${id})
        or exists (select from webhook_deliveries where product_id = ${id}) as is_tied`.execute(tx);
  return rows[0]?.is_tied ?? false;
}

/** Count the messaging settings of the product that refer to a prepared message or document prompt. */
export async function countFirstMessageUses(
  tx: Tx,
  { resource, id, productId }: { resource: 'prepared_message' | 'document_prompt'; id: number; productId: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from products
     where id = ${productId} and (config->'messaging_config'->>${`initial_message_${resource}_id`})::bigint = ${id}`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

/** Read the rules that give tags to a product's new leads. */
export async function findTagRules(reader: Reader, id: number): Promise<TagRule[]> {
  const product = await reader.selectFrom('products').select('tag_rules').where('id', '=', id).executeTakeFirst();
  return product?.tag_rules ?? [];
}

/** Read what saving a prompt of a product does. */
export async function findGate(reader: Reader, id: number): Promise<Gate> {
  const { rows } = await sql<{ gate: Gate }>`select config ->> 'gate' as gate from products where id = ${id}`.execute(
    reader,
  );
  return rows[0]?.gate ?? DEFAULT_PRODUCT_CONFIG.gate;
}

/** Pause or resume the outreach of a product. Returns false if it is in that state already. */
export async function setOutreachPaused(tx: Tx, id: number, pausedBy: string | null): Promise<boolean> {
  const { rows } = await sql`
    update products set outreach_paused_at = case when ${pausedBy}::text is not null then domain_now() end, outreach_paused_by = ${pausedBy}
     where id = ${id} and (outreach_paused_at is not null) <> (${pausedBy}::text is not null) returning id`.execute(tx);
  return rows.length > 0;
}

/** Read what decides when a product's first messages count and begin, and the current instant. */
export async function firstMessageClockOf(
  tx: Tx,
  id: number,
): Promise<QuotaClock & { previousLimits: PreviousLimits | null; now: number }> {
  const { rows } = await sql<{
    timezone: string;
    from: number | null;
    until: number | null;
    previous_limits: PreviousLimits | null;
    now: number;
  }>`
    select timezone, (extract(epoch from long_day_from) * 1000)::float8 as from,
           (extract(epoch from long_day_until) * 1000)::float8 as until,
           case when previous_limits is not null
                then jsonb_build_object('limits', previous_limits, 'until', (extract(epoch from previous_limits_until) * 1000)::float8) end as previous_limits,
           (extract(epoch from domain_now()) * 1000)::float8 as now
      from products where id = ${id}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`There is no product ${id}`);
  const { timezone: zone, from, until, previous_limits: previousLimits, now } = row;
  return { zone, longDay: from === null || until === null ? null : { from, until }, previousLimits, now };
}

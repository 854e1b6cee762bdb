/** SQL of the weeks whose reports were made. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db.ts';
import { isWanted } from '../../webhooks/store/wanted.ts';

/** A product whose weekly report a webhook wants. */
export interface ReportedProduct {
  readonly id: number;
  readonly name: string;
  readonly timezone: string;
  /** The week of the last report that was made, by the Monday after it. */
  readonly last_week: string | null;
}

/** Read the products whose weekly reports webhooks want; `now` is milliseconds of the domain clock. */
export async function readReportedProducts(
  reader: Reader,
): Promise<{ readonly products: readonly ReportedProduct[]; readonly now: number }> {
  const { rows } = await sql<{ now: number; products: ReportedProduct[] }>`
    select (extract(epoch from domain_now()) * 1000)::float8 as now, coalesce((
      select json_agg(json_build_object('id', p.id, 'name', p.name, 'timezone', p.timezone, 'last_week',
               (select max(r.week) from weekly_reports r where r.product_id = p.id)) order by p.id)
        from products p where p.is_active and ${isWanted('report.weekly')}), '[]') as products`.execute(reader);
  const [row] = rows;
  if (!row) throw new Error('The database has no clock');
  return row;
}

/** Claim the report of a week, by the Monday after it. False if it was made before. */
export async function claimWeek(
  tx: Tx,
  { productId, week, eventId }: { readonly productId: number; readonly week: string; readonly eventId: string },
): Promise<boolean> {
  const { rows } = await sql`
    insert into weekly_reports (product_id, week, event_id) values (${productId}, ${week}, ${eventId})
    on conflict do nothing returning 1`.execute(tx);
  return rows.length > 0;
}

/** SQL of alerts. A trigger starts and ends them (`migrations/functions/track_alert.sql`). */
import { sql } from 'kysely';
import type { AttentionAlert, Notice } from '../../../live/contract.ts';
import type { Reader, Tx } from '../../../platform/db.ts';

/** An alert `a` with its dialogue `d` and lead `l`, if it is about one, as the API shows it. */
const COLUMNS = sql`a.id, a.product_id, a.assignee_id, a.dialogue_id, l.name as lead_name, d.attention, d.last_message, a.notice`;
const OPEN_ALERTS = sql`
  attention_alerts a left join dialogues d on d.id = a.dialogue_id and d.attention is not null
  left join contacts c on c.id = d.contact_id left join leads l on l.id = c.lead_id`;
const IS_OPEN = sql`a.ended_at is null and (a.notice is not null or d.id is not null)`;

/** Return which of these alerts are open. */
export async function readOpenAlerts(reader: Reader, ids: readonly number[]): Promise<AttentionAlert[]> {
  const { rows } = await sql<AttentionAlert>`
    select ${COLUMNS} from ${OPEN_ALERTS} where a.id = any(${[...ids]}::bigint[]) and ${IS_OPEN}
     order by a.id`.execute(reader);
  return rows;
}

const MOST = sql.lit(100);

/** Return the newest open alerts that are for an operator. */
export async function readAlertsFor(
  reader: Reader,
  { id, companies }: { id: number; companies: readonly number[] | null },
): Promise<AttentionAlert[]> {
  const { rows } = await sql<AttentionAlert>`
    select ${COLUMNS} from ${OPEN_ALERTS} join products p on p.id = a.product_id
     where ${IS_OPEN} and (a.assignee_id is null or a.assignee_id = ${id})
       and (${companies}::bigint[] is null or p.company_id = any(${companies}::bigint[]))
     order by a.id desc limit ${MOST}`.execute(reader);
  return rows;
}

const KEPT = sql.raw(`interval '7 days'`);

/** Delete alerts that ended long ago, and notices that are as old, with what was sent about them. */
export async function deleteOldAlerts(reader: Reader): Promise<void> {
  await sql`delete from attention_alerts where ended_at < clock_timestamp() - ${KEPT}`.execute(reader);
  await sql`delete from attention_alerts
             where notice_key is not null and started_at < clock_timestamp() - ${KEPT}`.execute(reader);
}

/** Store a notice once. Returns its id; null if there was one with this key. */
export async function insertNotice(
  tx: Tx,
  { productId, key, notice }: { readonly productId: number; readonly key: string; readonly notice: Notice },
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    insert into attention_alerts (product_id, notice, notice_key) values (${productId}, ${JSON.stringify(notice)}::jsonb, ${key})
    on conflict (notice_key) where notice_key is not null do nothing returning id`.execute(tx);
  return rows[0]?.id ?? null;
}

/** End a notice. Returns it; null if none is open. */
export async function endOpenNotice(tx: Tx, key: string): Promise<{ id: number; product_id: number } | null> {
  const { rows } = await sql<{ id: number; product_id: number }>`
    update attention_alerts set ended_at = clock_timestamp(), planned_at = null
     where notice_key = ${key} and ended_at is null returning id, product_id`.execute(tx);
  return rows[0] ?? null;
}

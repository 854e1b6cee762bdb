/** SQL of alerts. A trigger starts and ends them (`migrations/functions/track_alert.sql`). */
import { sql } from 'kysely';
import type { AttentionAlert } from '../../../live/contract.ts';
import type { Reader } from '../../../platform/db.ts';

/** An alert `a` with its dialogue `d` and lead `l` as the API shows it. */
const COLUMNS = sql`a.id, a.dialogue_id, a.product_id, a.assignee_id, l.name as lead_name, d.attention, d.last_message`;
const OPEN_ALERTS = sql`
  attention_alerts a join dialogues d on d.id = a.dialogue_id and d.attention is not null
  join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id`;

/** Return which of these alerts are open. */
export async function readOpenAlerts(reader: Reader, ids: readonly number[]): Promise<AttentionAlert[]> {
  const { rows } = await sql<AttentionAlert>`
    select ${COLUMNS} from ${OPEN_ALERTS} where a.id = any(${[...ids]}::bigint[]) and a.ended_at is null
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
     where a.ended_at is null and (a.assignee_id is null or a.assignee_id = ${id})
       and (${companies}::bigint[] is null or p.company_id = any(${companies}::bigint[]))
     order by a.id desc limit ${MOST}`.execute(reader);
  return rows;
}

const KEPT = sql.raw(`interval '7 days'`);

/** Delete alerts that ended long ago, with what was sent about them. */
export async function deleteOldAlerts(reader: Reader): Promise<void> {
  await sql`delete from attention_alerts where ended_at < clock_timestamp() - ${KEPT}`.execute(reader);
}

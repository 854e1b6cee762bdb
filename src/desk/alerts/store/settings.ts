/** SQL of operators' settings of alerts. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../../../platform/db.ts';
import type { AlertSettings } from '../../alertsContract.ts';

/** The settings in `s` as the API shows them; without a row, the defaults. */
export const SETTINGS = sql<AlertSettings>`jsonb_build_object(
  'sound', coalesce(s.sound, false), 'notifications', coalesce(s.notifications, false),
  'message_text', coalesce(s.message_text, false),
  'quiet_hours', case when s.quiet_from is not null then
    jsonb_build_object('from', s.quiet_from, 'to', s.quiet_to, 'timezone', s.quiet_timezone) end)`;

export async function readSettings(reader: Reader, operatorId: number): Promise<AlertSettings> {
  const { rows } = await sql<{ settings: AlertSettings }>`
    select ${SETTINGS} as settings from operators o left join operator_alert_settings s on s.operator_id = o.id
     where o.id = ${operatorId}`.execute(reader);
  const [row] = rows;
  if (!row) throw new Error('There is no such operator');
  return row.settings;
}

/** Store settings. Pushes that wait for the end of quiet hours are decided again. */
export async function storeSettings(
  tx: Tx,
  operatorId: number,
  { sound, notifications, message_text: messageText, quiet_hours: quiet }: AlertSettings,
): Promise<void> {
  await sql`
    insert into operator_alert_settings (operator_id, sound, notifications, message_text, quiet_from, quiet_to, quiet_timezone)
    values (${operatorId}, ${sound}, ${notifications}, ${messageText}, ${quiet?.from ?? null}, ${quiet?.to ?? null}, ${quiet?.timezone ?? null})
    on conflict (operator_id) do update set sound = excluded.sound, notifications = excluded.notifications,
      message_text = excluded.message_text, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
      quiet_timezone = excluded.quiet_timezone`.execute(tx);
  await sql`
    with waiting as materialized (
      select p.id from alert_pushes p join push_subscriptions s on s.endpoint_hash = p.endpoint_hash
       where s.operator_id = ${operatorId} and p.state = 'pending' and p.due_at > domain_now() order by p.id for update of p
    )
    update alert_pushes p set due_at = domain_now() from waiting where p.id = waiting.id`.execute(tx);
}

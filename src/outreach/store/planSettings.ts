/** Reads the settings of products for the plan. */
import { sql } from 'kysely';
import { type ChannelType, type ChannelVendor, readRamp } from '../../channels/contract.ts';
import { driverOf } from '../../channels/drivers.ts';
import type { Reader } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';
import type { ProductConfig, ReplyHours } from '../../products/contract.ts';
import type { PreviousLimits } from '../../products/previousLimits.ts';
import type { Span } from '../../products/quotaDay.ts';
import type { PingConfig, ScheduleConfig } from '../contract.ts';
import type { Settings } from '../facts.ts';
import { type StoredSettings, toSettings } from '../settings.ts';

const AS_MS = sql.raw('* 1000)::float8');

interface SettingsRow {
  id: number;
  timezone: string;
  long_day: Span | null;
  previous_limits: PreviousLimits | null;
  is_active: boolean;
  config: ProductConfig;
  reply_hours: ReplyHours;
  is_paused: boolean;
  schedule: { timezone: string; config: ScheduleConfig } | null;
  pings: { id: number; is_enabled: boolean; config: PingConfig['config'] } | null;
  links:
    | {
        channel_id: number;
        name: string;
        channel_type: ChannelType;
        vendor: ChannelVendor;
        vendor_ref: string;
        since: number;
        config: Record<string, unknown>;
        stopped: string | null;
        resumes_at: number | null;
        first_at: number | null;
      }[]
    | null;
}

/** Read the settings of a product for the plan; undefined if the product does not exist. */
export async function readSettings(reader: Reader, productId: number): Promise<Settings | undefined> {
  const stored = await readStoredSettings(reader, productId);
  return stored && toSettings(stored);
}

/** Read the settings of products for the plan, by product. */
export async function readAllSettings(reader: Reader, productIds: readonly number[]): Promise<Map<number, Settings>> {
  const stored = await readAllStoredSettings(reader, productIds);
  return new Map(stored.map((one) => [one.productId, toSettings(one)]));
}

/** Read the settings as they are stored. */
export async function readStoredSettings(reader: Reader, productId: number): Promise<StoredSettings | undefined> {
  return (await readAllStoredSettings(reader, [productId]))[0];
}

async function readAllStoredSettings(reader: Reader, productIds: readonly number[]): Promise<StoredSettings[]> {
  const { rows } = await sql<SettingsRow>`
    select p.id, p.is_active, p.config, p.timezone, p.reply_hours, p.outreach_paused_at is not null as is_paused,
           case when p.long_day_from is not null then jsonb_build_object('from', (extract(epoch from p.long_day_from) ${AS_MS}, 'until', (extract(epoch from p.long_day_until) ${AS_MS}) end as long_day,
           case when p.previous_limits is not null then jsonb_build_object('limits', p.previous_limits, 'until', (extract(epoch from p.previous_limits_until) ${AS_MS}) end as previous_limits,
           (select jsonb_build_object('timezone', s.timezone, 'config', s.config) from schedules s where s.product_id = p.id) as schedule,
           (select jsonb_build_object('id', g.id, 'is_enabled', g.is_enabled, 'config', g.config) from ping_configs g where g.product_id = p.id) as pings,
           (select jsonb_agg(jsonb_build_object(
                     'channel_id', h.id, 'name', h.name, 'channel_type', h.channel_type, 'vendor', h.vendor, 'vendor_ref', h.vendor_ref,
                     'since', (extract(epoch from l.created_at) ${AS_MS}, 'config', h.config,
                     'stopped', case when not h.is_active then 'It is switched off'
                                     when a.key_rejected_reason is not null then a.key_rejected_reason
                                     when h.paused_until > clock_timestamp() then coalesce(h.pause_reason, 'It rests')
                                     when h.first_messages_stopped_at is not null then h.first_messages_stopped_reason
                                     when a.next_send_at > domain_now() then 'Its account takes one message a minute' end,
                     'resumes_at', case when h.is_active and a.key_rejected_reason is null and h.first_messages_stopped_at is null
                                      then (extract(epoch from greatest(
                                              case when h.paused_until > clock_timestamp() then domain_now() + (h.paused_until - clock_timestamp()) end,
                                              case when a.next_send_at > domain_now() then a.next_send_at end)) ${AS_MS} end,
                     'first_at', (select (extract(epoch from min(f.taken_at)) ${AS_MS} from first_message_quota f where f.channel_id = h.id)) order by h.id)
              from product_channels l join channels h on h.id = l.channel_id join vendor_accounts a on a.id = h.account_id
             where l.product_id = p.id) as links
      from products p where p.id = any(${idList(productIds)})`.execute(reader);
  return rows.map(toStoredSettings);
}

function toStoredSettings(row: SettingsRow): StoredSettings {
  return {
    productId: row.id,
    zone: row.timezone,
    longDay: row.long_day,
    previousLimits: row.previous_limits,
    isActive: row.is_active,
    isPaused: row.is_paused,
    config: row.config,
    replyHours: row.reply_hours,
    schedule: row.schedule,
    pings: row.pings,
    links: (row.links ?? []).map((link) => ({
      channelId: link.channel_id,
      name: link.name,
      type: link.channel_type,
      since: link.since,
      canWriteFirst: driverOf(link.vendor).canWriteFirst({
        type: link.channel_type,
        ref: link.vendor_ref,
        config: link.config,
      }),
      blockReason: link.stopped,
      // The pause runs on the real clock; this is the domain instant at which it ends.
      resumesAt: link.resumes_at,
      ramp: readRamp(link.config),
      firstSentAt: link.first_at,
    })),
  };
}

/** SQL of what simulated talks need to know about a product, besides its outreach settings. */
import { sql } from 'kysely';
import type { ChannelType, ChannelVendor } from '../../channels/contract.ts';
import type { Reader } from '../../platform/db.ts';

export interface TalkSettings {
  /** The domain clock, ms since 1970. */
  readonly now: number;
  readonly hand_over: boolean;
  readonly hand_over_text: string;
  /** Minutes after which stage detection names the stage; null: the product has none. */
  readonly detection_minutes: number | null;
  /** The channel that the product has had for longest; null: none. */
  readonly channel: {
    readonly id: number;
    readonly type: ChannelType;
    readonly vendor: ChannelVendor;
    readonly delay_messages_symbols_per_second: number | null;
    readonly delay_messages_seconds: number | null;
  } | null;
}

/** Read the settings of talks; undefined if the product does not exist. */
export async function readTalkSettings(reader: Reader, productId: number): Promise<TalkSettings | undefined> {
  const { rows } = await sql<TalkSettings>`
    select (extract(epoch from domain_now()) * 1000)::float8 as now, p.hand_over, p.hand_over_text,
           (select (c.config->>'interval_minutes')::int from classification_configs c where c.product_id = p.id) as detection_minutes,
           (select json_build_object('id', h.id, 'type', h.channel_type, 'vendor', h.vendor,
                     'delay_messages_symbols_per_second', l.delay_messages_symbols_per_second,
                     'delay_messages_seconds', l.delay_messages_seconds)
              from product_channels l join channels h on h.id = l.channel_id
             where l.product_id = p.id order by h.is_active desc, l.created_at, h.id limit 1) as channel
      from products p where p.id = ${productId}`.execute(reader);
  return rows[0];
}

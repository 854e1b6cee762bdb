/** Leads created in bulk, the hooks that they send, and what is stored of those. */
import type pg from 'pg';
import { DEFAULT_PRODUCT_CONFIG, type ProductConfig } from '../../products/contract.ts';
import { inboundItem } from '../../testing/messageRows.ts';
import type { World } from '../../testing/world.ts';
import type { Hook } from './load.ts';

export interface LeadRows {
  readonly count: number;
  /** Products over which the leads are spread, each with the channel of their dialogues; without one there are none. */
  readonly products: readonly { readonly id: number; readonly channelId?: number }[];
  readonly stage: 'initial' | 'started' | 'ongoing';
  /** Owner of the dialogues; while it is human the bot is silent. */
  readonly owner?: 'bot' | 'human';
  /** Days for which they have existed. */
  readonly days?: number;
}

/** Create WhatsApp leads with a contact, and a dialogue if there is a channel. Returns address and product of each. */
export async function insertLeads(
  pool: pg.Pool,
  { count, products, stage, owner = 'bot', days = 0 }: LeadRows,
): Promise<{ readonly address: string; readonly productId: number }[]> {
  const { rows } = await pool.query<{ address: string; productId: number }>(
    `with p as (select * from unnest($1::bigint[], $2::bigint[]) with ordinality as p (id, channel_id, n)),
          l as (insert into leads (product_id, name, stage, eligible_since)
                select p.id, 'Lead ' || k, $4, domain_now() - make_interval(days => $5)
                  from generate_series(1, $3::int) k join p on p.n = 1 + k % cardinality($1::bigint[]) returning id, product_id),
          c as (insert into contacts (lead_id, product_id, contact, contact_type, address, is_main, created_at)
                select id, product_id, '+' || 79300000000 + id, 'whatsapp', (79300000000 + id)::text, true, domain_now() - make_interval(days => $5) from l
                returning id, product_id, address),
          d as (insert into dialogues (product_id, contact_id, channel_id, chat_id, address, owner, owner_since)
                select c.product_id, c.id, p.channel_id, c.address, c.address, $6, case when $6 = 'human' then domain_now() end
                  from c join p on p.id = c.product_id where p.channel_id is not null)
     select address, product_id::int as "productId" from c`,
    [products.map(({ id }) => id), products.map(({ channelId }) => channelId ?? null), count, stage, days, owner],
  );
  return rows;
}

/** Create leads with a dialogue on the world's WhatsApp channel, and return their addresses. */
export async function makeChats(world: World, count: number, owner: 'bot' | 'human'): Promise<string[]> {
  const products = [{ id: world.productId, channelId: world.whatsapp.id }];
  return (await insertLeads(world.pool, { count, products, stage: 'ongoing', owner })).map(({ address }) => address);
}

/** Build a Wazzup24 hook with one new message. */
export function createHook(world: World, address: string, text: string): Hook {
  const item = inboundItem(world, address, text);
  return { body: JSON.stringify({ messages: [item] }), ids: [String(item['messageId'])] };
}

export interface StoredHooks {
  /** Acknowledged but not stored. */
  readonly missing: number;
  /** Acknowledged and stored more than once. */
  readonly doubled: number;
  /** Stored in the inbox but without a message row at the end. */
  readonly withoutMessage: number;
}

/** Compare what was acknowledged with what is stored; call it when no work is left. */
export async function compareStored({ pool }: World, acknowledged: readonly string[]): Promise<StoredHooks> {
  const client = await pool.connect();
  try {
    await client.query('create temporary table acknowledged (ext_id text primary key)');
    await client.query('insert into acknowledged select unnest($1::text[]) on conflict do nothing', [acknowledged]);
    await client.query('analyze acknowledged');
    const { rows } = await client.query<StoredHooks>(`
      with stored as (
        select (select count(*) from inbox i where i.ext_id = a.ext_id and i.kind = 'message') as items,
               (select count(*) from messages m join channels c on c.id = m.channel_id where m.ext_id = a.ext_id and m.side = 'user') as messages
          from acknowledged a)
      select count(*) filter (where items = 0)::int as missing,
             count(*) filter (where items > 1 or messages > 1)::int as doubled,
             count(*) filter (where items > 0 and messages = 0)::int as "withoutMessage" from stored`);
    await client.query('drop table acknowledged');
    return rows[0] ?? { missing: acknowledged.length, doubled: 0, withoutMessage: 0 };
  } finally {
    client.release();
  }
}

interface FirstMessageLimits {
  readonly dailyLimit: number;
  readonly telegramLimit?: number;
  readonly intervalSeconds?: number;
  readonly sendAt?: string;
}

/** Build a product's config for first messages of a fixed text. */
export function firstMessageConfig(limits: FirstMessageLimits): ProductConfig {
  const { dailyLimit, telegramLimit = 0, intervalSeconds = 0, sendAt = '00:00' } = limits;
  return {
    ...DEFAULT_PRODUCT_CONFIG,
    messaging_config: {
      tg_daily_limit: telegramLimit,
      whatsapp_daily_limit: dailyLimit,
      add_interval_seconds: intervalSeconds,
      add_interval_jitter_seconds: 0,
      initial_message_send_at: sendAt,
      initial_message_document_prompt_id: null,
      initial_message_prepared_message_id: null,
      initial_message_text: 'Good day, {{ lead.name }}!',
    },
  };
}

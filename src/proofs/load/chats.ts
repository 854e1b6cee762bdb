/** Chats that send hooks: created in bulk, with the hooks of leads who write in them. */
import { randomUUID } from 'node:crypto';
import type { World } from '../../testing/world.ts';
import type { Hook } from './hookSender.ts';

/**
 * Create this many WhatsApp leads with a dialogue each, and return their addresses. With `owner` human the bot is
 * silent.
 */
export async function makeChats(
  { pool, productId, whatsapp }: World,
  count: number,
  owner: 'bot' | 'human',
): Promise<string[]> {
  const { rows } = await pool.query<{ address: string }>(
    `with made as (insert into leads (product_id, name, stage) select $1, 'Lead ' || n, 'ongoing' from generate_series(1, $2::int) n returning id, product_id),
          known as (insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
                    select id, product_id, (79300000000 + id)::text, 'whatsapp', (79300000000 + id)::text, true from made
                    returning id, product_id, address)
     insert into dialogues (product_id, contact_id, channel_id, chat_id, address, owner, owner_since)
     select product_id, id, $3, address, address, $4, case when $4 = 'human' then domain_now() end from known returning address`,
    [productId, count, whatsapp.id, owner],
  );
  return rows.map((row) => row.address);
}

/** Build a Wazzup24 hook with one new message. */
export function createHook({ whatsapp }: World, address: string, text: string): Hook {
  const messageId = randomUUID();
  const item = {
    messageId,
    channelId: whatsapp.ref,
    chatType: 'whatsapp',
    chatId: address,
    dateTime: new Date().toISOString(),
    type: 'text',
    isEcho: false,
    status: 'inbound',
    text,
    contact: { name: `Person ${address}` },
  };
  return { body: JSON.stringify({ messages: [item] }), ids: [messageId] };
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
    await client.query('create temporary table told (ext_id text primary key)');
    await client.query('insert into told select unnest($1::text[]) on conflict do nothing', [acknowledged]);
    await client.query('analyze told');
    const { rows } = await client.query<StoredHooks>(`
      with seen as (
        select t.ext_id,
               (select count(*) from inbox i where i.ext_id = t.ext_id and i.kind = 'message') as items,
               (select count(*) from messages m where m.ext_id = t.ext_id and m.side = 'user') as messages
          from told t)
      select count(*) filter (where items = 0)::int as missing,
             count(*) filter (where items > 1 or messages > 1)::int as doubled,
             count(*) filter (where items > 0 and messages = 0)::int as "withoutMessage" from seen`);
    await client.query('drop table told');
    return rows[0] ?? { missing: acknowledged.length, doubled: 0, withoutMessage: 0 };
  } finally {
    client.release();
  }
}

/** SQL of what a vendor says with the acceptance of messages: their ids, and the chats that they went to. */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';

/** A message that the vendor accepted under an id, or in a chat. */
export interface NamedMessage {
  readonly dialogue_id: number;
  readonly channel_id: number;
  readonly account_id: number;
  readonly ext_id: string | null;
  readonly chat_id: string | null;
}

const toRows = (messages: readonly NamedMessage[]): RawBuilder<unknown> => sql`
  jsonb_to_recordset(${JSON.stringify(messages)}::jsonb)
    as g (dialogue_id bigint, channel_id bigint, account_id bigint, ext_id text, chat_id text)`;

/** Link dialogues with those that have the chats that their messages went to: both are with one person. */
export const linkChats = (messages: readonly NamedMessage[]): RawBuilder<unknown> => sql`
  insert into dialogue_links (dialogue_id, product_id, other_id, other_product_id, kind, evidence, detail)
  select distinct on (g.dialogue_id) d.id, d.product_id, o.id, o.product_id, 'same_person', 'send', g.chat_id
    from ${toRows(messages)} join dialogue_chats k on k.channel_id = g.channel_id and k.chat_id = g.chat_id and k.dialogue_id <> g.dialogue_id
    join dialogues d on d.id = g.dialogue_id join products p on p.id = d.product_id
    join dialogues o on o.id = k.dialogue_id join products q on q.id = o.product_id and q.company_id = p.company_id
  on conflict do nothing`;

/** Delete the rows of echoes that were taken for messages sent by others: one message is one row. */
export async function deleteDuplicateEchoes(
  tx: Tx,
  messages: readonly { readonly id: number; readonly channel_id: number; readonly ext_id: string | null }[],
): Promise<void> {
  if (messages.length === 0) return;
  await sql`
    delete from messages m using jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as g (id bigint, channel_id bigint, ext_id text)
     where m.channel_id = g.channel_id and m.ext_id = g.ext_id and m.id <> g.id and m.author in ('phone', 'other')`.execute(
    tx,
  );
}

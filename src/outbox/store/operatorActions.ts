/** SQL of operators' actions on messages. */

import { sql } from 'kysely';
import type pg from 'pg';
import type { MessageRow } from '../../conversations/store/tables.ts';
import type { Reader } from '../../platform/db.ts';
import { prepared } from '../../platform/statements.ts';
import { OF_COMPANIES } from '../../products/product.ts';

/** Find a message to a contact by its client key, in any of the contact's dialogues. */
export function findMessageToContact(
  reader: Reader,
  contactId: number,
  clientKey: string,
): Promise<MessageRow | undefined> {
  return reader
    .selectFrom('messages')
    .selectAll()
    .where('contact_id', '=', contactId)
    .where('client_key', '=', clientKey)
    .executeTakeFirst();
}

/** Whether anything was written to a contact, or by it. */
export async function hasMessages(reader: Reader, contactId: number): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select exists (select 1 from dialogues d join messages m on m.dialogue_id = d.id where d.contact_id = ${contactId}) as there`.execute(
    reader,
  );
  return rows[0]?.there ?? false;
}

/** Return the dialogue of a message. */
export async function findDialogueOfMessage(reader: Reader, id: number): Promise<number | null> {
  const row = await reader.selectFrom('messages').select('dialogue_id').where('id', '=', id).executeTakeFirst();
  return row?.dialogue_id ?? null;
}

/** Return the contact's main dialogue, else the one with the latest message. */
export async function findMainDialogueId(reader: Reader, contactId: number): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    select id from dialogues where contact_id = ${contactId}
     order by is_main desc, last_msg_created_at desc nulls last, id desc limit 1`.execute(reader);
  return rows[0]?.id ?? null;
}

/** Return those of the ids that occur in a column of messages of the companies; null: of any company. */
export async function findSourcesOfMessages(
  pool: pg.Pool,
  {
    field,
    ids,
    companies,
  }: {
    field: 'prompt_id' | 'prepared_message_id' | 'ping_config_id';
    ids: readonly number[];
    companies: readonly number[] | null;
  },
): Promise<Set<number>> {
  const scope = companies === null ? '' : ` and ${OF_COMPANIES.replaceAll('$', '$2')}`;
  const { rows } = await pool.query<{ id: number }>({
    ...prepared(`select w.id from unnest($1::bigint[]) as w (id)
                  where exists (select 1 from messages t where t.${field} = w.id and t.removed_at is null${scope})`),
    values: companies === null ? [ids] : [ids, companies],
  });
  return new Set(rows.map((row) => row.id));
}

/** SQL of messages: the thread and the outbox. */
import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { Reader, Tables, Tx } from '../../platform/db.ts';
import { RECENT_LIMIT } from '../inboundMeaning.ts';
import { withoutLiftedOptOuts } from '../stopWriting.ts';
import type { ConversationMessage, HistoryMessage, TeamNote } from '../systemPrompt.ts';
import type { MessageRow } from './tables.ts';

export type NewMessage = Insertable<Tables['messages']>;

/** Store a vendor's message once; null if it is stored already. */
export async function insertMessageOnce(tx: Tx, message: NewMessage): Promise<number | null> {
  const row = await tx
    .insertInto('messages')
    .values(message)
    .onConflict((conflict) => conflict.columns(['channel_id', 'ext_id']).where('ext_id', 'is not', null).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

export function findMessage(reader: Reader, id: number): Promise<MessageRow | undefined> {
  return reader.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findMessageByClientKey(tx: Tx, dialogueId: number, clientKey: string): Promise<MessageRow | undefined> {
  return tx
    .selectFrom('messages')
    .selectAll()
    .where('dialogue_id', '=', dialogueId)
    .where('client_key', '=', clientKey)
    .executeTakeFirst();
}

/** Return all parts of the text that a message is part of, in order. */
export async function findPartsOfText(
  reader: Reader,
  message: MessageRow,
): Promise<Pick<MessageRow, 'id' | 'message'>[]> {
  if (message.part_group === null) return [message];
  return reader
    .selectFrom('messages')
    .select(['id', 'message'])
    .where('part_group', '=', message.part_group)
    .where('dialogue_id', '=', message.dialogue_id)
    .orderBy('id')
    .execute();
}

export async function updateMessage(tx: Tx, id: number, change: Partial<Omit<MessageRow, 'id'>>): Promise<void> {
  await tx.updateTable('messages').set(change).where('id', '=', id).execute();
}

/** Return the newest message that was sent, received or failed; it decides whether follow-ups may come. */
export async function findLastMessage(
  tx: Tx,
  dialogueId: number,
): Promise<{ id: number; side: 'user' | 'bot' } | undefined> {
  const { rows } = await sql<{ id: number; side: 'user' | 'bot' }>`
    select id, side from messages
     where dialogue_id = ${dialogueId} and status not in ('cancelled', 'scheduled', 'sending') and kind <> 'system'
     order by thread_at desc, id desc limit 1`.execute(tx);
  return rows[0];
}

/**
 * Return the conversation as a model sees it: the newest `limit` messages, oldest first, without wishes to get no more
 * messages that were lifted. With `before`, as it was when that message was created. With `sinceLift`, only what was
 * written since.
 */
export async function findHistory(
  reader: Reader,
  {
    dialogueId,
    limit,
    before = null,
    sinceLift = false,
  }: { dialogueId: number; limit: number; before?: number | null | undefined; sinceLift?: boolean },
): Promise<ConversationMessage[]> {
  const { rows } = await sql<HistoryMessage>`
    ${history(sql`${dialogueId}`, { limit, before })}`.execute(reader);
  const counting = sinceLift ? rows.filter(({ is_lifted: isLifted }) => isLifted !== true) : withoutLiftedOptOuts(rows);
  return (before === null ? counting : rows).map(({ side, text, kind }) => ({ side, text, kind }));
}

/** When the opt-out of a dialogue's lead was lifted. */
const LIFTED_AT = (dialogueId: RawBuilder<unknown>) => sql`
  select l.opt_out_lifted_at from dialogues x join contacts k on k.id = x.contact_id join leads l on l.id = k.lead_id where x.id = ${dialogueId}`;

/**
 * The query of `findHistory`. What a lead writes while an answer is on its way is older than that answer, which knew
 * nothing of it: as long as it has no answer of its own it comes last, since a model answers what follows its own words.
 * So does what the lead has changed after the answer, for the same reason. What was deleted is not shown.
 */
export const history = (
  dialogueId: RawBuilder<unknown>,
  { limit, before = null }: { limit: number; before?: number | null },
): RawBuilder<unknown> => sql`
  select side, text, kind, is_lifted from (
    select *, case when side = 'user' and id > coalesce(max(reply_on_msg_id) over (), 0)
                   then max(thread_at) filter (where author = 'bot') over (order by id rows between unbounded preceding and 1 preceding)
              end as missed_at
      from (
        select side, author, message as text, kind, coalesce(restated_at, thread_at) as thread_at, id, reply_on_msg_id,
               coalesce(coalesce(restated_at, messages.thread_at) <= (${LIFTED_AT(dialogueId)}), false) as is_lifted
          from messages
         where dialogue_id = ${dialogueId} and deleted_at is null and status in ('inbound', 'sending', 'sent', 'delivered', 'read', 'unconfirmed')
           ${before === null ? sql`` : sql`and id < ${before}`}
         order by messages.thread_at desc, messages.id desc limit ${limit}) as newest) as placed
  order by greatest(thread_at, missed_at), missed_at >= thread_at nulls first, thread_at, id`;

/** The newest messages of a dialogue as JSON, oldest first: those of the lead, and ours that the lead has or may have. */
export const recentMessages = (dialogueId: RawBuilder<unknown>): RawBuilder<unknown> => recentOf(dialogueId, sql`true`);

/** The newest ones before a message. */
export const recentBefore = (dialogueId: RawBuilder<unknown>, messageId: RawBuilder<unknown>): RawBuilder<unknown> =>
  recentOf(dialogueId, sql`(r.thread_at, r.id) < (select b.thread_at, b.id from messages b where b.id = ${messageId})`);

const recentOf = (dialogueId: RawBuilder<unknown>, condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select coalesce(json_agg(json_build_object('side', side, 'kind', kind, 'text', left(message, 2000), 'at', (extract(epoch from thread_at) * 1000)::float8)
                           order by thread_at, id), '[]')
    from (select r.id, r.side, r.kind, r.message, r.thread_at from messages r
           where r.dialogue_id = ${dialogueId} and r.status in ('inbound', 'sending', 'sent', 'delivered', 'read', 'unconfirmed')
             and r.kind <> 'system' and r.deleted_at is null and ${condition}
           order by r.thread_at desc, r.id desc limit ${sql.lit(RECENT_LIMIT)}) as newest)`;

/** Most notes that a model gets, and most characters of each. */
const MAX_NOTES = 10;
const MAX_NOTE_LENGTH = 1000;

/** The notes about a dialogue that its product lets models read, oldest first, as JSON; null: none. */
export const teamNotes = (dialogueId: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select json_agg(json_build_object('operator', n.operator, 'text', left(n.text, ${sql.lit(MAX_NOTE_LENGTH)})) order by n.id)
    from (select id, product_id, operator, text from dialogue_notes where dialogue_id = ${dialogueId} order by id desc limit ${sql.lit(MAX_NOTES)}) as n
    join products p on p.id = n.product_id where p.bot_reads_notes)`;

/** Return the notes about a dialogue that its product lets models read, oldest first. */
export async function findTeamNotes(reader: Reader, dialogueId: number): Promise<TeamNote[]> {
  const { rows } = await sql<{
    notes: TeamNote[] | null;
  }>`select ${teamNotes(sql`${dialogueId}::bigint`)} as notes`.execute(reader);
  return rows[0]?.notes ?? [];
}

/** Return all parts of the text that a message belongs to, oldest first, with the dialogue's lead. */
export async function findParts(
  reader: Reader,
  id: number,
): Promise<(MessageRow & { lead_id: number; lead_name: string })[]> {
  const { rows } = await sql<MessageRow & { lead_id: number; lead_name: string }>`
    select m.*, l.id as lead_id, l.name as lead_name
      from messages asked
      join messages m on m.dialogue_id = asked.dialogue_id and (m.id = asked.id or m.part_group = asked.part_group)
      join dialogues d on d.id = m.dialogue_id
      join contacts c on c.id = d.contact_id
      join leads l on l.id = c.lead_id
     where asked.id = ${id}
     order by m.id`.execute(reader);
  return rows;
}

/** Delete the row of an echo that was taken for a message sent outside this system: one message is one row. */
export async function deleteDuplicateEcho(
  tx: Tx,
  { channelId, extId, id }: { channelId: number; extId: string; id: number },
): Promise<void> {
  await sql`
    delete from messages
     where channel_id = ${channelId} and ext_id = ${extId} and id <> ${id} and author in ('phone', 'other')`.execute(
    tx,
  );
}

/** Find the newest message that another person has written in a dialogue after a message; null if there is none. */
export async function findColleaguesAnswer(
  tx: Tx,
  { dialogueId, after, login }: { dialogueId: number; after: number; login: string },
): Promise<{ who: string; text: string } | null> {
  const { rows } = await sql<{ who: string; text: string }>`
    select coalesce(operator, 'Somebody on the phone') as who, left(message, 80) as text from messages
     where dialogue_id = ${dialogueId} and id > ${after} and author in ('operator', 'phone') and operator is distinct from ${login}
       and status <> 'cancelled' and removed_at is null
     order by id desc limit 1`.execute(tx);
  return rows[0] ?? null;
}

/** Whether the lead has written in a dialogue after a message, or after an instant if there is none. */
export async function hasInboundSince(
  tx: Tx,
  { dialogueId, after, since }: { dialogueId: number; after: number | null; since: string },
): Promise<boolean> {
  const { rows } = await sql<{ one: boolean }>`
    select exists (select from messages where dialogue_id = ${dialogueId} and side = 'user' and kind <> 'system'
                      and case when ${after}::bigint is null then thread_at > ${since}::timestamptz else id > ${after}::bigint end) as one`.execute(
    tx,
  );
  return rows[0]?.one ?? false;
}

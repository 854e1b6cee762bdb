/** Every SQL statement about messages: the thread and the outbox. */
import { type Insertable, sql } from 'kysely';
import type { Reader, Tables, Tx } from '../../platform/db.ts';
import type { MessageRow } from './tables.ts';

export type NewMessage = Insertable<Tables['messages']>;

export async function insertMessage(tx: Tx, message: NewMessage): Promise<number> {
  const row = await tx.insertInto('messages').values(message).returning('id').executeTakeFirstOrThrow();
  return row.id;
}

/** Stores a vendor's message once; null when it is there already. */
export async function insertMessageOnce(tx: Tx, message: NewMessage): Promise<number | null> {
  const row = await tx
    .insertInto('messages')
    .values(message)
    .onConflict((conflict) => conflict.columns(['channel_id', 'ext_id']).where('ext_id', 'is not', null).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

export function lockMessage(tx: Tx, id: number): Promise<MessageRow | undefined> {
  return tx.selectFrom('messages').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export function findMessage(reader: Reader, id: number): Promise<MessageRow | undefined> {
  return reader.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Moves a waiting message to a later instant, and the parts of the same text behind it by as much. When it was wanted
 * is kept. Gives the ids.
 */
export async function rescheduleMessage(tx: Tx, message: MessageRow, until: string, reason: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update messages
       set wanted_at = coalesce(wanted_at, scheduled_at),
           scheduled_at = scheduled_at + (${until}::timestamptz - ${message.scheduled_at}::timestamptz),
           reason = case when id = ${message.id} then ${reason} else reason end
     where dialogue_id = ${message.dialogue_id} and status = 'scheduled'
       and (id = ${message.id} or (batch = ${message.batch}::uuid and id > ${message.id}))
     returning id`.execute(tx);
  return rows.map((row) => row.id);
}

export function findMessageByClientKey(tx: Tx, dialogueId: number, clientKey: string): Promise<MessageRow | undefined> {
  return tx
    .selectFrom('messages')
    .selectAll()
    .where('dialogue_id', '=', dialogueId)
    .where('client_key', '=', clientKey)
    .executeTakeFirst();
}

/** What was sent to a contact under a client's key, in whichever of its dialogues. */
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

export async function findBatch(tx: Reader, message: MessageRow): Promise<number[]> {
  if (message.batch === null) return [message.id];
  const rows = await tx
    .selectFrom('messages')
    .select('id')
    .where('batch', '=', message.batch)
    .where('dialogue_id', '=', message.dialogue_id)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

export async function updateMessage(tx: Tx, id: number, change: Partial<Omit<MessageRow, 'id'>>): Promise<void> {
  await tx.updateTable('messages').set(change).where('id', '=', id).execute();
}

/** Whether anything holds the dialogue's order: a message in hand, or one unconfirmed for less than two minutes. */
export async function isDialogueBlocked(tx: Tx, dialogueId: number): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select exists (select 1 from messages
                    where dialogue_id = ${dialogueId}
                      and (status = 'sending'
                           or (status = 'unconfirmed' and unconfirmed_at > clock_timestamp() - interval '2 minutes'))) as held`.execute(
    tx,
  );
  return rows[0]?.held ?? false;
}

/**
 * When a new text of a dialogue leaves at the earliest: from `notBefore` on, ISO or null, and not between the parts of
 * another that have begun to leave by then. Parts that wait for working hours hold nobody.
 */
export async function findEarliestStart(tx: Tx, dialogueId: number, notBefore: string | null): Promise<string> {
  const { rows } = await sql<{ at: string }>`
    with start as (select greatest(domain_now(), ${notBefore}::timestamptz) as at),
         waiting as (select batch, scheduled_at from messages
                      where dialogue_id = ${dialogueId} and status = 'scheduled' and batch is not null and wanted_at is null),
         begun as (select w.batch from waiting w, start where w.scheduled_at <= start.at
                   union all
                   select m.batch from dialogues d join messages m on m.id = d.last_bot_msg_id where d.id = ${dialogueId}
                   union all
                   select batch from messages where dialogue_id = ${dialogueId} and status = 'sending')
    select greatest(start.at, (select max(w.scheduled_at) from waiting w where w.batch in (select batch from begun))) as at
      from start`.execute(tx);
  return rows[0]?.at ?? '';
}

/** The first message that is due in a dialogue; `ready` false: it waits for its retry pause and holds those behind it. */
export async function lockFirstDue(tx: Tx, dialogueId: number): Promise<(MessageRow & { ready: boolean }) | null> {
  const { rows } = await sql<MessageRow & { ready: boolean }>`
    select *, (retry_at is null or retry_at <= clock_timestamp()) as ready
      from messages where dialogue_id = ${dialogueId} and status = 'scheduled' and scheduled_at <= domain_now()
     order by scheduled_at, id limit 1 for update`.execute(tx);
  return rows[0] ?? null;
}

/**
 * Takes a message into hand. The key is renewed when its window is over: the last outcome was then a certain refusal,
 * since an unknown one never comes back here without an operator. `claimed_at` stays afterwards: it is the instant at
 * which the checks of the claim held.
 */
export async function claimMessage(tx: Tx, id: number, instanceId: string, keyWindowMs: number): Promise<MessageRow> {
  const { rows } = await sql<MessageRow>`
    update messages set
      status = 'sending', claimed_by = ${instanceId}, claimed_at = clock_timestamp(), retry_at = null, reason = null, error_code = null,
      tries = tries + 1,
      send_key = case when send_key_used_at < clock_timestamp() - make_interval(secs => ${keyWindowMs / 1000}) then gen_random_uuid() else send_key end,
      send_key_used_at = case when send_key_used_at is null or send_key_used_at < clock_timestamp() - make_interval(secs => ${keyWindowMs / 1000})
                              then clock_timestamp() else send_key_used_at end
     where id = ${id} and status = 'scheduled' returning *`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`Message ${id} cannot be claimed`);
  return row;
}

/** A message whose holder died comes into this life's hand. Null when another was quicker or the holder lives. */
export async function reclaimMessageRow(
  tx: Tx,
  id: number,
  instanceId: string,
): Promise<(MessageRow & { key_age_ms: number }) | null> {
  const { rows } = await sql<MessageRow & { key_age_ms: number }>`
    update messages m set claimed_by = ${instanceId}, tries = tries + 1
     where id = ${id} and status = 'sending'
       and not exists (select 1 from nodes n where n.life = m.claimed_by and n.ended_at is null)
     returning m.*, (extract(epoch from clock_timestamp() - send_key_used_at) * 1000)::float8 as key_age_ms`.execute(
    tx,
  );
  return rows[0] ?? null;
}

/** How a message in hand stands, where it goes, and how old its key's first use is, milliseconds (database's real clock). */
export async function findClaimState(
  reader: Reader,
  id: number,
): Promise<
  { status: string; claimed_by: string | null; chat_id: string | null; address: string; key_age_ms: number } | undefined
> {
  const { rows } = await sql<{
    status: string;
    claimed_by: string | null;
    chat_id: string | null;
    address: string;
    key_age_ms: number;
  }>`
    select m.status, m.claimed_by, d.chat_id, d.address,
           coalesce(extract(epoch from clock_timestamp() - m.send_key_used_at) * 1000, 0)::float8 as key_age_ms
      from messages m join dialogues d on d.id = m.dialogue_id where m.id = ${id}`.execute(reader);
  return rows[0];
}

/** How old the idempotency key's first use is, milliseconds (database's real clock). */
export async function readKeyAgeMs(reader: Reader, id: number): Promise<number> {
  const { rows } = await sql<{ age: number }>`
    select (extract(epoch from clock_timestamp() - send_key_used_at) * 1000)::float8 as age from messages where id = ${id}`.execute(
    reader,
  );
  return rows[0]?.age ?? Number.POSITIVE_INFINITY;
}

/** The vendor accepted it. False when it is no longer ours to say. */
export async function markAccepted(tx: Tx, id: number, extId: string | null): Promise<boolean> {
  const { rows } = await sql`
    update messages set status = 'sent', sent_at = coalesce(sent_at, domain_now()), thread_at = domain_now(),
           ext_id = coalesce(${extId}, ext_id), claimed_by = null, unconfirmed_at = null, reason = null, error_code = null
     where id = ${id} and status in ('sending', 'unconfirmed') returning id`.execute(tx);
  return rows.length > 0;
}

/** Back to the queue after a refusal that may pass; the pause is on the real clock. */
export async function deferMessage(
  tx: Tx,
  id: number,
  seconds: number,
  reason: string,
  code: string | null,
  counts: boolean,
): Promise<void> {
  await sql`
    update messages set status = 'scheduled', claimed_by = null, reason = ${reason}, error_code = ${code},
           retry_at = clock_timestamp() + make_interval(secs => ${seconds}),
           retry_count = retry_count + ${counts ? 1 : 0}, tries = tries - ${counts ? 0 : 1}
     where id = ${id} and status = 'sending'`.execute(tx);
}

export async function markFailed(tx: Tx, id: number, reason: string, code: string | null): Promise<void> {
  await sql`update messages set status = 'error', claimed_by = null, reason = ${reason}, error_code = ${code}
             where id = ${id} and status = 'sending'`.execute(tx);
}

/** Nobody can tell whether it arrived. */
export async function markUnconfirmed(tx: Tx, id: number, reason: string): Promise<void> {
  await sql`update messages set status = 'unconfirmed', claimed_by = null, unconfirmed_at = clock_timestamp(), reason = ${reason}
             where id = ${id} and status = 'sending'`.execute(tx);
}

/** Queued under the key of a try that may have arrived, and too late for it: nobody can tell, and it is not sent. */
export async function revertToUnconfirmed(tx: Tx, id: number, reason: string): Promise<void> {
  await sql`update messages set status = 'unconfirmed', unconfirmed_at = clock_timestamp(), reason = ${reason}, retry_at = null
             where id = ${id} and status = 'scheduled'`.execute(tx);
}

/** The newest message that left or came, or failed: follow-ups come after it, or not. */
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

/** Its vendor found nobody at the address: still to be settled. */
export async function setRecipientNotFound(tx: Tx, id: number): Promise<void> {
  await sql`update messages set found_nobody = true where id = ${id}`.execute(tx);
}

/** Takes the mark off, the message locked; null: somebody else has. */
export async function clearRecipientNotFound(tx: Tx, id: number): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    update messages set found_nobody = false where id = ${id} and found_nobody returning *`.execute(tx);
  return rows[0] ?? null;
}

/** Messages whose vendor found nobody and of which that is not settled. */
export async function findRecipientsNotFound(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from messages where found_nobody order by id limit ${limit}`.execute(reader);
  return rows.map((row) => row.id);
}

/** The conversation as a model sees it: the newest `limit`, oldest first. `before`: as it was when this message was made. */
export async function findHistory(
  reader: Reader,
  dialogueId: number,
  limit: number,
  before: number | null = null,
): Promise<{ side: 'user' | 'bot'; text: string; kind: string }[]> {
  const { rows } = await sql<{ side: 'user' | 'bot'; text: string; kind: string }>`
    select side, text, kind from (
      select side, message as text, kind, thread_at, id from messages
       where dialogue_id = ${dialogueId} and status in ('inbound', 'sending', 'sent', 'delivered', 'read', 'unconfirmed')
         and (${before}::bigint is null or id < ${before})
       order by thread_at desc, id desc limit ${limit}) as newest
     order by thread_at, id`.execute(reader);
  return rows;
}

/** All parts of the text that a message is part of, oldest first, and whose dialogue it is in. */
export async function findParts(
  reader: Reader,
  id: number,
): Promise<(MessageRow & { lead_id: number; lead_name: string })[]> {
  const { rows } = await sql<MessageRow & { lead_id: number; lead_name: string }>`
    select m.*, l.id as lead_id, l.name as lead_name
      from messages asked
      join messages m on m.dialogue_id = asked.dialogue_id and (m.id = asked.id or m.batch = asked.batch)
      join dialogues d on d.id = m.dialogue_id
      join contacts c on c.id = d.contact_id
      join leads l on l.id = c.lead_id
     where asked.id = ${id}
     order by m.id`.execute(reader);
  return rows;
}

/** The account by which a message leaves. */
export async function findAccountOfMessage(reader: Reader, id: number): Promise<number | null> {
  const { rows } = await sql<{ account_id: number }>`
    select c.account_id from messages m join channels c on c.id = m.channel_id where m.id = ${id}`.execute(reader);
  return rows[0]?.account_id ?? null;
}

/** Whether a message of the dialogue is in hand. */
export async function hasMessageSending(tx: Tx, dialogueId: number): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select exists (select 1 from messages where dialogue_id = ${dialogueId} and status = 'sending') as there`.execute(
    tx,
  );
  return rows[0]?.there ?? false;
}

/** Whether anything may leave a dialogue now, without a lock: spares a vendor's slot where nothing may. */
export async function hasDueMessage(reader: Reader, dialogueId: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from messages where dialogue_id = ${dialogueId} and status = 'scheduled' and scheduled_at <= domain_now()
       and not exists (
         select 1 from messages s
          where s.dialogue_id = ${dialogueId}
            and (s.status = 'sending'
                 or (s.status = 'unconfirmed' and s.unconfirmed_at > clock_timestamp() - interval '2 minutes')))
     limit 1`.execute(reader);
  return rows.length > 0;
}

export async function findStatus(reader: Reader, id: number): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`select status from messages where id = ${id}`.execute(reader);
  return rows[0]?.status;
}

/** The vendor's id of a message that had none. */
export async function setExternalId(tx: Tx, id: number, extId: string): Promise<void> {
  await sql`update messages set ext_id = ${extId} where id = ${id} and ext_id is null`.execute(tx);
}

/** A report of this very message that was taken for somebody else's goes: one message is one row. */
export async function deleteDuplicateEcho(tx: Tx, channelId: number, extId: string, id: number): Promise<void> {
  await sql`
    delete from messages
     where channel_id = ${channelId} and ext_id = ${extId} and id <> ${id} and author in ('phone', 'other')`.execute(
    tx,
  );
}

/** Under which trace a message is followed; null: it is older than traces. */
export async function findTraceOfMessage(reader: Reader, id: number): Promise<string | null> {
  const { rows } = await sql<{ trace: string | null }>`select trace from messages where id = ${id}`.execute(reader);
  return rows[0]?.trace ?? null;
}

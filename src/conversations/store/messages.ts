/** SQL of messages: the thread and the outbox. */
import { type Insertable, sql } from 'kysely';
import type { Reader, Tables, Tx } from '../../platform/db.ts';
import type { MessageRow } from './tables.ts';

export type NewMessage = Insertable<Tables['messages']>;

export async function insertMessage(tx: Tx, message: NewMessage): Promise<number> {
  const row = await tx.insertInto('messages').values(message).returning('id').executeTakeFirstOrThrow();
  return row.id;
}

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

export function lockMessage(tx: Tx, id: number): Promise<MessageRow | undefined> {
  return tx.selectFrom('messages').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export function findMessage(reader: Reader, id: number): Promise<MessageRow | undefined> {
  return reader.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Move a scheduled message to a later instant, and the later parts of the same text by the same amount. Keeps the
 * original time in `wanted_at`. Returns the ids.
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

/** Whether the dialogue must not send: a message is being sent, or has been unconfirmed for less than two minutes. */
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
 * Return the earliest time a new text of a dialogue may leave: not before `notBefore` (ISO, or null), and not between
 * the parts of another text that has begun to leave by then. Parts deferred to working hours do not count.
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

/**
 * Lock the first due message of a dialogue. `ready` is false while it waits for a retry, which also blocks those
 * behind it.
 */
export async function lockFirstDue(tx: Tx, dialogueId: number): Promise<(MessageRow & { ready: boolean }) | null> {
  const { rows } = await sql<MessageRow & { ready: boolean }>`
    select *, (retry_at is null or retry_at <= clock_timestamp()) as ready
      from messages where dialogue_id = ${dialogueId} and status = 'scheduled' and scheduled_at <= domain_now()
     order by scheduled_at, id limit 1 for update`.execute(tx);
  return rows[0] ?? null;
}

/**
 * Claim a message. Renews the idempotency key when its window is over: the last outcome was then a certain rejection,
 * since an unconfirmed message returns to the queue only by an operator. `claimed_at` stays afterwards: it is the
 * instant at which the claim's checks held.
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

/** Reclaim a message whose instance died. Null if another instance was quicker or the owner is alive. */
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

/**
 * Return the status of a claimed message, its recipient, and the age of its key's first use, milliseconds (the
 * database's real clock).
 */
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

/** Return the age of the idempotency key's first use, milliseconds (the database's real clock). */
export async function readKeyAgeMs(reader: Reader, id: number): Promise<number> {
  const { rows } = await sql<{ age: number }>`
    select (extract(epoch from clock_timestamp() - send_key_used_at) * 1000)::float8 as age from messages where id = ${id}`.execute(
    reader,
  );
  return rows[0]?.age ?? Number.POSITIVE_INFINITY;
}

/** Mark the message accepted by the vendor. Returns false if it was settled otherwise meanwhile. */
export async function markAccepted(tx: Tx, id: number, extId: string | null): Promise<boolean> {
  const { rows } = await sql`
    update messages set status = 'sent', sent_at = coalesce(sent_at, domain_now()), thread_at = domain_now(),
           ext_id = coalesce(${extId}, ext_id), claimed_by = null, unconfirmed_at = null, reason = null, error_code = null
     where id = ${id} and status in ('sending', 'unconfirmed') returning id`.execute(tx);
  return rows.length > 0;
}

/** Requeue a message after a temporary rejection; the delay is on the real clock. */
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

/** Mark the message unconfirmed: it may have been delivered. */
export async function markUnconfirmed(tx: Tx, id: number, reason: string): Promise<void> {
  await sql`update messages set status = 'unconfirmed', claimed_by = null, unconfirmed_at = clock_timestamp(), reason = ${reason}
             where id = ${id} and status = 'sending'`.execute(tx);
}

/**
 * Revert a requeued message to unconfirmed. Its key belongs to a try that may have arrived, and the key's window is
 * over, so it is not sent.
 */
export async function revertToUnconfirmed(tx: Tx, id: number, reason: string): Promise<void> {
  await sql`update messages set status = 'unconfirmed', unconfirmed_at = clock_timestamp(), reason = ${reason}, retry_at = null
             where id = ${id} and status = 'scheduled'`.execute(tx);
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

/** Whether the message is a later part of a first message whose first part failed. */
export async function hasFirstPartFailed(tx: Tx, { id, dialogue_id, batch }: MessageRow): Promise<boolean> {
  const { rows } = await sql`
    select 1 from messages where dialogue_id = ${dialogue_id} and batch = ${batch}::uuid and origin = 'first' and id < ${id} and status = 'error'`.execute(
    tx,
  );
  return rows.length > 0;
}

/** Mark that the vendor found no recipient at the address; the message remains to be settled. */
export async function setRecipientNotFound(tx: Tx, id: number): Promise<void> {
  await sql`update messages set found_nobody = true where id = ${id}`.execute(tx);
}

/** Clear the mark and lock the message; null if another process has cleared it. */
export async function clearRecipientNotFound(tx: Tx, id: number): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    update messages set found_nobody = false where id = ${id} and found_nobody returning *`.execute(tx);
  return rows[0] ?? null;
}

/** Return messages without a recipient that are not settled yet. */
export async function findRecipientsNotFound(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from messages where found_nobody order by id limit ${limit}`.execute(reader);
  return rows.map((row) => row.id);
}

/**
 * Return the conversation as a model sees it: the newest `limit` messages, oldest first. With `before`, as it was
 * when that message was created.
 */
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

/** Return all parts of the text that a message belongs to, oldest first, with the dialogue's lead. */
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

/** Return the account that sends a message. */
export async function findAccountOfMessage(reader: Reader, id: number): Promise<number | null> {
  const { rows } = await sql<{ account_id: number }>`
    select c.account_id from messages m join channels c on c.id = m.channel_id where m.id = ${id}`.execute(reader);
  return rows[0]?.account_id ?? null;
}

/** Whether a message of the dialogue is being sent. */
export async function hasMessageSending(tx: Tx, dialogueId: number): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select exists (select 1 from messages where dialogue_id = ${dialogueId} and status = 'sending') as there`.execute(
    tx,
  );
  return rows[0]?.there ?? false;
}

/**
 * Whether a message of the dialogue may be sent now. Takes no lock; saves reserving the vendor's rate limit if none
 * may.
 */
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

/** Set the vendor's id of a message that had none. */
export async function setExternalId(tx: Tx, id: number, extId: string): Promise<void> {
  await sql`update messages set ext_id = ${extId} where id = ${id} and ext_id is null`.execute(tx);
}

/** Delete the row of an echo that was taken for a message sent outside this system: one message is one row. */
export async function deleteDuplicateEcho(tx: Tx, channelId: number, extId: string, id: number): Promise<void> {
  await sql`
    delete from messages
     where channel_id = ${channelId} and ext_id = ${extId} and id <> ${id} and author in ('phone', 'other')`.execute(
    tx,
  );
}

/** Return the trace id of a message; null if it is older than traces. */
export async function findTraceOfMessage(reader: Reader, id: number): Promise<string | null> {
  const { rows } = await sql<{ trace: string | null }>`select trace from messages where id = ${id}`.execute(reader);
  return rows[0]?.trace ?? null;
}

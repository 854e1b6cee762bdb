/** SQL of delivery: which message leaves next, and the outcome of its send. */
import { sql } from 'kysely';
import type { MessageRow } from '../../conversations/store/tables.ts';
import type { Reader, Tx } from '../../platform/db.ts';

export function lockMessage(tx: Tx, id: number): Promise<MessageRow | undefined> {
  return tx.selectFrom('messages').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
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
 * Move a scheduled message to a later instant, and the later parts of the same text by the same amount. Keeps the
 * original time in `originally_scheduled_at`. Returns the ids.
 */
export async function rescheduleMessage(
  tx: Tx,
  { message, until, reason }: { message: MessageRow; until: string; reason: string },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update messages
       set originally_scheduled_at = coalesce(originally_scheduled_at, scheduled_at),
           scheduled_at = scheduled_at + (${until}::timestamptz - ${message.scheduled_at}::timestamptz),
           reason = case when id = ${message.id} then ${reason} else reason end
     where dialogue_id = ${message.dialogue_id} and status = 'scheduled'
       and (id = ${message.id} or (part_group = ${message.part_group}::uuid and id > ${message.id}))
     returning id`.execute(tx);
  return rows.map((row) => row.id);
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

export async function findStatus(reader: Reader, id: number): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`select status from messages where id = ${id}`.execute(reader);
  return rows[0]?.status;
}

/** Mark the message accepted by the vendor. Returns false if it was settled otherwise meanwhile. */
export async function markAccepted(tx: Tx, id: number, extId: string | null): Promise<boolean> {
  const { rows } = await sql`
    update messages set status = 'sent', sent_at = coalesce(sent_at, domain_now()), thread_at = domain_now(),
           ext_id = coalesce(${extId}, ext_id), claimed_by = null, unconfirmed_at = null, reason = null, error_code = null
     where id = ${id} and status in ('sending', 'unconfirmed') returning id`.execute(tx);
  return rows.length > 0;
}

/** Set the vendor's id of a message that had none. */
export async function setExternalId(tx: Tx, id: number, extId: string): Promise<void> {
  await sql`update messages set ext_id = ${extId} where id = ${id} and ext_id is null`.execute(tx);
}

/** Requeue a message after a temporary rejection; the delay is on the real clock. */
export async function deferMessage(
  tx: Tx,
  {
    id,
    seconds,
    reason,
    code,
    counts,
  }: { id: number; seconds: number; reason: string; code: string | null; counts: boolean },
): Promise<void> {
  await sql`
    update messages set status = 'scheduled', claimed_by = null, reason = ${reason}, error_code = ${code},
           retry_at = clock_timestamp() + make_interval(secs => ${seconds}),
           retry_count = retry_count + ${counts ? 1 : 0}, attempts = attempts - ${counts ? 0 : 1}
     where id = ${id} and status = 'sending'`.execute(tx);
}

export async function markFailed(
  tx: Tx,
  { id, reason, code }: { id: number; reason: string; code: string | null },
): Promise<void> {
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

export async function cancelMessage(tx: Tx, id: number, reason: string): Promise<void> {
  await sql`update messages set status = 'cancelled', reason = ${reason}, retry_at = null where id = ${id} and status = 'scheduled'`.execute(
    tx,
  );
}

/** Cancel the scheduled parts of a split text. Returns their ids. */
export async function cancelScheduledParts(
  tx: Tx,
  { dialogueId, partGroup, reason }: { dialogueId: number; partGroup: string; reason: string },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update messages set status = 'cancelled', reason = ${reason}, retry_at = null
     where dialogue_id = ${dialogueId} and status = 'scheduled' and part_group = ${partGroup} returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Whether the vendor still recognises the key of the message's earlier try (real clock). */
export async function isSendKeyValid(tx: Tx, id: number, keyWindowMs: number): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select send_key_used_at > clock_timestamp() - make_interval(secs => ${keyWindowMs / 1000}) as known
      from messages where id = ${id}`.execute(tx);
  return rows[0]?.known ?? false;
}

/** SQL of delivery: which message leaves next, and the outcome of its send. */
import { sql } from 'kysely';
import type { AccountRow } from '../../channels/store.ts';
import type { MessageRow } from '../../conversations/store/tables.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { release } from '../../platform/lease.ts';
import { idList } from '../../platform/statements.ts';

export function lockMessage(tx: Tx, id: number): Promise<MessageRow | undefined> {
  return tx.selectFrom('messages').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Lock messages in order of their ids. */
export async function lockMessages(tx: Tx, ids: readonly number[]): Promise<void> {
  await sql`select 1 from messages where id = any(${idList(ids)}) order by id for update`.execute(tx);
}

export interface ClaimState {
  readonly id: number;
  readonly status: string;
  readonly claimed_by: string | null;
  /** How long the claim holds, milliseconds. */
  readonly lease_ms: number;
  readonly account: AccountRow;
  readonly chat_id: string | null;
  readonly address: string;
  /** Age of the key's first use, milliseconds (the database's real clock). */
  readonly key_age_ms: number;
}

/** The claim of message `m` in dialogue `d` of account `a`, as JSON. */
export const CLAIM_STATE = sql`json_build_object('id', m.id, 'status', m.status, 'claimed_by', m.claimed_by, 'chat_id', d.chat_id, 'address', d.address,
                    'account', json_build_object('id', a.id, 'vendor', a.vendor, 'api_key_sealed', a.api_key_sealed, 'hook_secret_sealed', a.hook_secret_sealed),
                    'lease_ms', coalesce(extract(epoch from m.claimed_until - clock_timestamp()) * 1000, 0)::float8,
                    'key_age_ms', coalesce(extract(epoch from clock_timestamp() - m.send_key_used_at) * 1000, 0)::float8)`;

/** Return the states of claimed messages, their recipients and accounts. */
export async function findClaimStates(reader: Reader, ids: readonly number[]): Promise<ClaimState[]> {
  const { rows } = await sql<{ state: ClaimState }>`
    select ${CLAIM_STATE} as state from messages m join dialogues d on d.id = m.dialogue_id join channels h on h.id = m.channel_id
      join vendor_accounts a on a.id = h.account_id where m.id = any(${idList(ids)})`.execute(reader);
  return rows.map(({ state }) => state);
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
           ext_id = coalesce(${extId}, ext_id), ${release()}, unconfirmed_at = null, reason = null, error_code = null
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
    update messages set status = 'scheduled', ${release()}, reason = ${reason}, error_code = ${code},
           retry_at = clock_timestamp() + make_interval(secs => ${seconds}),
           retry_count = retry_count + ${counts ? 1 : 0}, attempts = attempts - ${counts ? 0 : 1}
     where id = ${id} and status = 'sending'`.execute(tx);
}

export async function markFailed(
  tx: Tx,
  { id, reason, code }: { id: number; reason: string; code: string | null },
): Promise<void> {
  await sql`update messages set status = 'error', ${release()}, reason = ${reason}, error_code = ${code}
             where id = ${id} and status = 'sending'`.execute(tx);
}

/** Mark messages unconfirmed: they may have been delivered. */
export async function markUnconfirmed(tx: Tx, ids: readonly number[], reason: string): Promise<void> {
  if (ids.length === 0) return;
  await sql`update messages set status = 'unconfirmed', ${release()}, unconfirmed_at = clock_timestamp(), reason = ${reason}
             where id = any(${idList(ids)}) and status = 'sending'`.execute(tx);
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

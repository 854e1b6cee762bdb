/** SQL of delivery: messages that are being sent. */
import { sql } from 'kysely';
import type { AccountRow } from '../../channels/store.ts';
import type { MessageRow } from '../../conversations/store/tables.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';

export function lockMessage(tx: Tx, id: number): Promise<MessageRow | undefined> {
  return tx.selectFrom('messages').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
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

/** Whether the vendor still recognises the key of the message's earlier try (real clock). */
export async function isSendKeyValid(tx: Tx, id: number, keyWindowMs: number): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select send_key_used_at > clock_timestamp() - make_interval(secs => ${keyWindowMs / 1000}) as known
      from messages where id = ${id}`.execute(tx);
  return rows[0]?.known ?? false;
}

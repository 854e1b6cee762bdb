/** SQL of claimed messages. */
import { sql } from 'kysely';
import type { DialogueContext } from '../../conversations/store/dialogues.ts';
import type { MessageRow } from '../../conversations/store/tables.ts';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed } from '../../platform/lease.ts';
import { idList } from '../../platform/statements.ts';
import { CLAIM_STATE, type ClaimState } from './delivery.ts';
import { DIALOGUE_CONTEXT } from './dueMessages.ts';

/** Messages that an instance sends. */
export const MESSAGES: Claimable<{ id: number }> = { table: 'messages', key: { id: 'bigint' } };

/** True if a message is being sent, and no instance sends it. */
const IS_ORPHANED = sql`m.status = 'sending' and ${isUnclaimed('m')}`;

export const CLAIMS_DUE_IN = dueIf(sql`exists (select 1 from messages m where ${IS_ORPHANED})`);

/** Return messages whose claims have ended. */
export async function findOrphanedClaims(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select m.id from messages m where ${IS_ORPHANED} limit ${limit}`.execute(reader);
  return rows.map((row) => row.id);
}

/** Renew the claim on a message. It may have ended, unless another instance has reclaimed it. */
export async function renewClaim(reader: Reader, id: number, claimant: Claimant): Promise<void> {
  await sql`update messages set ${claim(claimant)} where id = ${id} and claimed_by = ${claimant.instanceId}`.execute(
    reader,
  );
}

/** Reclaim a message whose claim has ended. Null if it was settled, or another instance was quicker. */
export async function reclaimMessageRow(
  tx: Tx,
  id: number,
  claimant: Claimant,
): Promise<(MessageRow & { key_age_ms: number }) | null> {
  const { rows } = await sql<MessageRow & { key_age_ms: number }>`
    update messages m set ${claim(claimant)}, attempts = attempts + 1
     where id = ${id} and ${IS_ORPHANED}
     returning m.*, (extract(epoch from clock_timestamp() - send_key_used_at) * 1000)::float8 as key_age_ms`.execute(
    tx,
  );
  return rows[0] ?? null;
}

/** Load messages that an instance has claimed, with what sending them needs, and the state of their claims. */
export async function loadClaimedMessages(
  reader: Reader,
  ids: readonly number[],
  instanceId: string,
): Promise<{ message: MessageRow; dialogueContext: DialogueContext; state: ClaimState }[]> {
  const { rows } = await sql<MessageRow & { readonly context: DialogueContext; readonly state: ClaimState }>`
    select m.*, ${DIALOGUE_CONTEXT} as context, ${CLAIM_STATE} as state
      from messages m join dialogues d on d.id = m.dialogue_id join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
      join channels h on h.id = d.channel_id join vendor_accounts a on a.id = h.account_id
     where m.id = any(${idList(ids)}) and m.status = 'sending' and m.claimed_by = ${instanceId}`.execute(reader);
  return rows.map(({ context: dialogueContext, state, ...message }) => ({ message, dialogueContext, state }));
}

/** Return the account that sends a message. */
export async function findAccountOfMessage(reader: Reader, id: number): Promise<number | null> {
  const { rows } = await sql<{ account_id: number }>`
    select c.account_id from messages m join channels c on c.id = m.channel_id where m.id = ${id}`.execute(reader);
  return rows[0]?.account_id ?? null;
}

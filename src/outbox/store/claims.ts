/** SQL of claimed messages. */
import { sql } from 'kysely';
import type { DialogueContext } from '../../conversations/store/dialogues.ts';
import type { MessageRow } from '../../conversations/store/tables.ts';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { Reader } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';
import { DIALOGUE_CONTEXT } from './dueMessages.ts';

/** An id that no instance has; a message with status `sending` must have an owner. */
const NO_INSTANCE = '00000000-0000-0000-0000-000000000000';

/** Any claim: whether its owner still works on it is not known to the database alone. */
export const CLAIMS_DUE_IN = dueIf(sql`exists (select 1 from messages where status = 'sending')`);

/** Return messages claimed by instances that have ended. */
export async function findOrphanedClaims(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select m.id from messages m
     where m.status = 'sending' and not exists (select 1 from nodes n where n.instance_id = m.claimed_by and n.ended_at is null)
     limit ${limit}`.execute(reader);
  return rows.map((row) => row.id);
}

/** Return messages claimed by this instance. */
export async function findClaimedMessages(
  reader: Reader,
  instanceId: string,
): Promise<{ id: number; dialogue_id: number; product_id: number; origin: string | null }[]> {
  const { rows } = await sql<{ id: number; dialogue_id: number; product_id: number; origin: string | null }>`
    select id, dialogue_id, product_id, origin from messages where status = 'sending' and claimed_by = ${instanceId}`.execute(
    reader,
  );
  return rows;
}

/** Load messages that an instance has claimed, with what sending them needs. */
export async function loadClaimedMessages(
  reader: Reader,
  ids: readonly number[],
  instanceId: string,
): Promise<{ message: MessageRow; dialogueContext: DialogueContext }[]> {
  const { rows } = await sql<MessageRow & { readonly context: DialogueContext }>`
    select m.*, ${DIALOGUE_CONTEXT} as context
      from messages m join dialogues d on d.id = m.dialogue_id join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
      join channels h on h.id = d.channel_id join vendor_accounts a on a.id = h.account_id
     where m.id = any(${idList(ids)}) and m.status = 'sending' and m.claimed_by = ${instanceId}`.execute(reader);
  return rows.map(({ context: dialogueContext, ...message }) => ({ message, dialogueContext }));
}

/** Release claims, so that any instance may reclaim them. */
export async function releaseClaims(reader: Reader, ids: readonly number[], instanceId: string): Promise<void> {
  await sql`
    update messages set claimed_by = ${NO_INSTANCE}
     where id = any(${[...ids]}::bigint[]) and status = 'sending' and claimed_by = ${instanceId}`.execute(reader);
}

/** Return the account that sends a message. */
export async function findAccountOfMessage(reader: Reader, id: number): Promise<number | null> {
  const { rows } = await sql<{ account_id: number }>`
    select c.account_id from messages m join channels c on c.id = m.channel_id where m.id = ${id}`.execute(reader);
  return rows[0]?.account_id ?? null;
}

/** SQL of claimed messages. */
import { sql } from 'kysely';
import type { DialogueContext } from '../../conversations/store/dialogues.ts';
import type { MessageRow } from '../../conversations/store/tables.ts';
import { parkedEcho } from '../../inbox/store/items.ts';
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

/** A message whose claim has ended. */
export type Orphan = Pick<MessageRow, 'id' | 'product_id' | 'dialogue_id' | 'origin'> &
  Pick<DialogueContext, 'account_id' | 'lead_id'>;

/** Find messages whose claims have ended, the oldest keys first. */
export async function findOrphans(reader: Reader, limit: number): Promise<Orphan[]> {
  const { rows } = await sql<Orphan>`
    select m.id, m.product_id, m.dialogue_id, m.origin, h.account_id, c.lead_id
      from messages m join channels h on h.id = m.channel_id join contacts c on c.id = m.contact_id
     where ${IS_ORPHANED} order by m.send_key_used_at, m.id limit ${limit}`.execute(reader);
  return rows;
}

/** Renew the claim on a message. It may have ended, unless another instance has reclaimed it. */
export async function renewClaim(reader: Reader, id: number, claimant: Claimant): Promise<void> {
  await sql`update messages set ${claim(claimant)} where id = ${id} and claimed_by = ${claimant.instanceId}`.execute(
    reader,
  );
}

export interface ReclaimedMessage {
  readonly message: MessageRow;
  readonly dialogueContext: DialogueContext;
  /** Age of the key's first use, milliseconds (the database's real clock). */
  readonly keyAgeMs: number;
  /** The vendor's id of a parked report that may be about it, locked; null if there is none. */
  readonly echo: string | null;
}

/** Reclaim messages of locked dialogues. Left out are those that were settled, or that another instance has reclaimed. */
export async function reclaimMessages(
  tx: Tx,
  { ids, claimant }: { ids: readonly number[]; claimant: Claimant },
): Promise<ReclaimedMessage[]> {
  const { rows } = await sql<MessageRow & { readonly facts: Omit<ReclaimedMessage, 'message'> }>`
    with locked as materialized (
      select m.id from messages m where m.id = any(${idList(ids)}) and ${IS_ORPHANED} order by m.id for update of m skip locked
    ), reclaimed as (
      update messages m set ${claim(claimant)}, attempts = attempts + 1 from locked l where m.id = l.id
      returning m.*
    )
    select m.*, json_build_object('dialogueContext', ${DIALOGUE_CONTEXT}, 'echo', e.ext_id,
                                  'keyAgeMs', extract(epoch from clock_timestamp() - m.send_key_used_at) * 1000) as facts
      from reclaimed m join dialogues d on d.id = m.dialogue_id join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
      join channels h on h.id = d.channel_id join vendor_accounts a on a.id = h.account_id
      left join lateral (${parkedEcho('d', sql`m.message`)}) as e on true
     order by m.id`.execute(tx);
  return rows.map(({ facts, ...message }) => ({ ...facts, message }));
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

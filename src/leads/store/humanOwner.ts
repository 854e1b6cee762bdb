/**
 * Leads handled by a human as a whole: the bot sends them no first message, and their new dialogues are owned by a
 * human.
 */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { OwnerReason } from '../lead.ts';
import { planLeads } from './plans.ts';

/** Hand the lead over to a human for this reason, until it is returned to the bot. */
export async function handOverToHuman(tx: Tx, id: number, { code, detail = null }: OwnerReason): Promise<void> {
  await sql`
    update leads set human_owner_reason = ${code}, human_owner_detail = ${detail}, human_owned_since = domain_now()
     where id = ${id}`.execute(tx);
  await planLeads(tx, [id]);
}

/** Let the bot write first again. The owners of existing dialogues do not change. */
export async function returnToBot(tx: Tx, id: number): Promise<void> {
  await sql`
    update leads set human_owner_reason = null, human_owner_detail = null, human_owned_since = null
     where id = ${id} and human_owner_reason is not null`.execute(tx);
  await planLeads(tx, [id]);
}

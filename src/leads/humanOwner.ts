/** Leads that are a human's as a whole: nobody writes to them first, and their dialogues begin owned by a human. */
import { sql } from 'kysely';
import type { Tx } from '../platform/db.ts';

/** A human has the lead, for this reason, until it is given back. */
export async function handOverToHuman(tx: Tx, id: number, reason: string): Promise<void> {
  await sql`update leads set human_reason = ${reason}, human_since = domain_now() where id = ${id}`.execute(tx);
}

/** The bot may write first again; who speaks in dialogues that have begun stays as it is. */
export async function returnToBot(tx: Tx, id: number): Promise<void> {
  await sql`
    update leads set human_reason = null, human_since = null where id = ${id} and human_reason is not null`.execute(tx);
}

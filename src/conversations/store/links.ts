/** SQL of links between dialogues. */
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db.ts';
import type { DialogueLink } from '../linksContract.ts';

/** Most links of a list. */
const LIMIT = 200;

/**
 * Links, seen from either of their dialogues: `own` and `other`. The other dialogue is left out where it is another
 * company's.
 */
const links = (condition: RawBuilder<boolean>) => sql<DialogueLink>`
  select k.id, k.kind, k.state, k.evidence, k.detail, k.decided_by, k.decided_at, k.created_at, k.has_address,
         d.id as dialogue_id, l.id as lead_id, l.name as lead_name, d.product_id,
         e.id as other_dialogue_id, e.lead_id as other_lead_id, e.lead_name as other_lead_name
    from (select *, dialogue_id as own, other_id as other, false as has_address from dialogue_links
          union all
          select *, other_id as own, dialogue_id as other, true as has_address from dialogue_links where other_id is not null) k
    join dialogues d on d.id = k.own join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
    join products p on p.id = d.product_id
    left join lateral (
      select o.id, m.id as lead_id, m.name as lead_name
        from dialogues o join contacts n on n.id = o.contact_id join leads m on m.id = n.lead_id join products q on q.id = o.product_id
       where o.id = k.other and q.company_id = p.company_id) e on true
   where ${condition} order by k.id desc limit ${sql.lit(LIMIT)}`;

/** Read the links of a lead's dialogues, the newest first. */
export async function readLinksOfLead(reader: Reader, leadId: number): Promise<DialogueLink[]> {
  return (await links(sql`l.id = ${leadId}`).execute(reader)).rows;
}

/** Read the links about which somebody has to decide, the newest first. */
export async function readOpenLinks(reader: Reader): Promise<DialogueLink[]> {
  return (await links(sql`k.state = 'open' and k.kind <> 'address_moved' and not k.has_address`).execute(reader)).rows;
}

export async function readLink(reader: Reader, id: number): Promise<DialogueLink | null> {
  return (await links(sql`k.id = ${id} and not k.has_address`).execute(reader)).rows[0] ?? null;
}

/** Set what was decided about a link; null: it is undone. */
export async function setLinkState(
  tx: Tx,
  { id, state, login }: { id: number; state: DialogueLink['state']; login: string },
): Promise<void> {
  const isDecided = state !== 'open';
  await sql`
    update dialogue_links set state = ${state}, decided_by = case when ${isDecided} then ${login} end,
           decided_at = case when ${isDecided} then domain_now() end where id = ${id}`.execute(tx);
}

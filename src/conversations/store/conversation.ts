/** SQL that tells whether there is a conversation with a person already: then no first message is sent, nor again. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';

/**
 * Whether message `m` of contact `k` is part of a conversation: any message in either direction, except a first one that
 * was refused, and the parts of its text that left before the refusal.
 */
export const IS_CONVERSATION = `m.status <> 'cancelled'
  and not (m.status = 'error' and m.origin is not distinct from 'first')
  and not (m.side = 'bot' and m.status in ('error', 'sending', 'sent', 'unconfirmed')
           and exists (select 1 from first_messages f where f.lead_id = k.lead_id and f.contact_id = k.id and f.refused))`;

/**
 * Query of the other dialogues that are with the person of lead `lead`, unless an operator has said that they are not:
 * while nobody has decided, nothing unsolicited is sent either.
 */
export const dialoguesOfSamePerson = (lead: string): string => `
  select k.other_id as id from contacts lc join dialogues ld on ld.contact_id = lc.id join dialogue_links k on k.dialogue_id = ld.id
   where lc.lead_id = ${lead} and k.kind = 'same_person' and k.state <> 'rejected'
  union all
  select k.dialogue_id from contacts lc join dialogues ld on ld.contact_id = lc.id join dialogue_links k on k.other_id = ld.id
   where lc.lead_id = ${lead} and k.kind = 'same_person' and k.state <> 'rejected'`;

/**
 * Whether the person whom message `t` to contact `c` is for has a conversation beside its text: as this lead by any of
 * its contacts, or as another lead of the product who is the same person, by an address or by what is known otherwise.
 */
export const HAS_OTHER_CONVERSATION = `exists (
  select 1 from contacts k join dialogues q on q.contact_id = k.id join messages m on m.dialogue_id = q.id
   where (k.lead_id = c.lead_id or (k.product_id = c.product_id and person_key(k.address) = person_key(c.address))
          or q.id in (${dialoguesOfSamePerson('c.lead_id')}))
     and m.id <> t.id and (m.part_group is null or m.part_group is distinct from t.part_group)
     and ${IS_CONVERSATION})`;

/** Check whether there is a conversation with the recipient of a message, beside the text that it is part of. */
export async function hasOtherConversation(tx: Tx, messageId: number): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select ${sql.raw(HAS_OTHER_CONVERSATION)} as there
      from messages t join contacts c on c.id = t.contact_id where t.id = ${messageId}`.execute(tx);
  return rows[0]?.there ?? false;
}

/** SQL of people's identities: which a lead has, and which leads of a company have one of them. */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';
import { personKey } from '../address.ts';
import type { ContactType } from '../contract.ts';
import { identityOfAddress, identityOfChat } from '../identities.ts';

/** A lead's company, and the identities of the person behind it. */
export interface LeadIdentities {
  readonly leadId: number;
  readonly companyId: number;
  readonly identities: readonly string[];
  readonly addresses: readonly string[];
  readonly chats: readonly { readonly chatId: string; readonly type: ContactType }[];
}

interface Row {
  readonly lead_id: number;
  readonly company_id: number;
  readonly addresses: { readonly address: string; readonly type: ContactType }[] | null;
  readonly chats: { readonly chatId: string; readonly type: ContactType }[] | null;
}

/**
 * Return the identities of leads: every address of their contacts and dialogues, and every chat id of their dialogues. With
 * `onlyIfOptOuts`, those of leads whose company knows of anybody who wants no more messages.
 */
export async function readIdentities(
  reader: Reader,
  leadIds: readonly number[],
  { onlyIfOptOuts = false }: { readonly onlyIfOptOuts?: boolean } = {},
): Promise<LeadIdentities[]> {
  if (leadIds.length === 0) return [];
  const { rows } = await sql<Row>`
    select l.id as lead_id, p.company_id,
           (select json_agg(json_build_object('address', x.address, 'type', x.type))
              from (select c.address, c.contact_type as type from contacts c where c.lead_id = l.id
                    union
                    select d.address, c.contact_type from contacts c join dialogues d on d.contact_id = c.id where c.lead_id = l.id) as x) as addresses,
           (select json_agg(distinct jsonb_build_object('chatId', k.chat_id, 'type', c.contact_type))
              from contacts c join dialogues d on d.contact_id = c.id join dialogue_chats k on k.dialogue_id = d.id where c.lead_id = l.id) as chats
      from leads l join products p on p.id = l.product_id
     where l.id = any(${idList(leadIds)})
       ${onlyIfOptOuts ? sql`and exists (select from opt_outs o where o.company_id = p.company_id and o.ended_at is null)` : sql``}`.execute(
    reader,
  );
  return rows.map(({ lead_id: leadId, company_id: companyId, addresses, chats }) => ({
    leadId,
    companyId,
    identities: [...new Set([...(addresses ?? []).map(identityOfAddress), ...(chats ?? []).map(identityOfChat)])],
    addresses: [...new Set((addresses ?? []).map(({ address }) => address))],
    chats: chats ?? [],
  }));
}

/**
 * Find the other leads of the company that are the same person as this lead: by an address, by a chat, or since an operator
 * has said so. With their products, in order of id.
 */
export async function findOtherLeadsOfPerson(
  reader: Reader,
  leadId: number,
): Promise<{ id: number; product_id: number }[]> {
  const [mine] = await readIdentities(reader, [leadId]);
  if (!mine) return [];
  const { rows } = await sql<{ id: number; product_id: number }>`
    with mine as (
      select * from unnest(${mine.chats.map(({ chatId }) => chatId)}::text[], ${mine.chats.map(({ type }) => type)}::text[]) as m (chat_id, type)
    ), found as (
      select c.lead_id from contacts c where person_key(c.address) = any(${mine.addresses.map(personKey)}::text[])
      union
      select c.lead_id from mine m join channels h on h.channel_type = m.type
        join dialogue_chats k on k.channel_id = h.id and k.chat_id = m.chat_id
        join dialogues d on d.id = k.dialogue_id join contacts c on c.id = d.contact_id
      union
      select c.lead_id from contacts mine join dialogues d on d.contact_id = mine.id
        join dialogue_links k on k.kind = 'same_person' and k.state = 'accepted' and d.id in (k.dialogue_id, k.other_id)
        join dialogues o on o.id in (k.dialogue_id, k.other_id) join contacts c on c.id = o.contact_id
       where mine.lead_id = ${leadId}
    )
    select l.id, l.product_id from found f join leads l on l.id = f.lead_id join products p on p.id = l.product_id
     where p.company_id = ${mine.companyId} and l.id <> ${leadId} order by l.id`.execute(reader);
  return rows;
}

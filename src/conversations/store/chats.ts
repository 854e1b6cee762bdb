/** SQL of chats: which dialogue each id of a chat belongs to, who has an address, and links between dialogues. */
import { sql } from 'kysely';
import { personKey } from '../../leads/address.ts';
import type { Reader, Tx } from '../../platform/db.ts';

/** A dialogue that a chat may belong to. */
export interface ChatCandidate {
  readonly id: number;
  readonly lead_id: number;
  readonly address: string;
  /** Every chat id that it is known by. */
  readonly chats: readonly string[];
}

/** Find the dialogues of a channel with one of these chat ids, and those without any that have one of these addresses. */
export async function findChatCandidates(
  reader: Reader,
  { channelId, chatIds, addresses }: { channelId: number; chatIds: readonly string[]; addresses: readonly string[] },
): Promise<ChatCandidate[]> {
  const { rows } = await sql<ChatCandidate>`
    with found as materialized (
      select dialogue_id as id from dialogue_chats where channel_id = ${channelId} and chat_id = any(${[...chatIds]}::text[])
      union
      select id from dialogues where channel_id = ${channelId} and address = any(${[...addresses]}::text[]) and chat_id is null
         and not exists (select from dialogue_chats k where k.dialogue_id = dialogues.id)
    )
    select d.id, c.lead_id, d.address, array(select k.chat_id from dialogue_chats k where k.dialogue_id = d.id) as chats
      from found join dialogues d using (id) join contacts c on c.id = d.contact_id order by d.id`.execute(reader);
  return rows;
}

/** Read every chat id that a dialogue is known by. */
export async function readChats(reader: Reader, id: number): Promise<string[]> {
  const rows = await reader.selectFrom('dialogue_chats').select('chat_id').where('dialogue_id', '=', id).execute();
  return rows.map((row) => row.chat_id);
}

/**
 * Find the dialogues with one of these addresses, the latest first: on the channel, and on others those of the channel's
 * products.
 */
export async function findDialoguesByAddress(
  reader: Reader,
  { channelId, type, addresses }: { channelId: number; type: string; addresses: readonly string[] },
): Promise<{ id: number; address: string }[]> {
  const { rows } = await sql<{ id: number; address: string }>`
    select id, address from dialogues
     where (channel_id = ${channelId} and person_key(address) = any(${addresses.map(personKey)}::text[]))
        or contact_id in (select c.id from contacts c join product_channels l on l.product_id = c.product_id and l.channel_id = ${channelId}
                           where person_key(c.address) = any(${addresses.map(personKey)}::text[]) and c.contact_type = ${type})
     order by id desc`.execute(reader);
  return rows;
}

/**
 * Record chat ids of a dialogue that the caller has locked. `taken`: those that another dialogue loses by this, since the
 * account behind a phone number is another one now. `answersTo`: what is sent goes there from now on; null: only if it is
 * not known yet where to.
 */
export async function recordChats(
  tx: Tx,
  {
    id,
    channelId,
    chatIds,
    taken,
    answersTo,
  }: {
    id: number;
    channelId: number;
    chatIds: readonly string[];
    taken: readonly string[];
    answersTo: string | null;
  },
): Promise<void> {
  if (taken.length > 0)
    await sql`
      with lost as (
        delete from dialogue_chats where channel_id = ${channelId} and chat_id = any(${[...taken]}::text[]) and dialogue_id <> ${id}
        returning dialogue_id, chat_id
      )
      update dialogues d set chat_id = (select k.chat_id from dialogue_chats k where k.dialogue_id = d.id and k.chat_id <> l.chat_id
                                         order by k.created_at desc, k.chat_id limit 1)
        from lost l where d.id = l.dialogue_id and d.chat_id = l.chat_id`.execute(tx);
  await sql`
    insert into dialogue_chats (channel_id, chat_id, dialogue_id, product_id)
    select d.channel_id, g.chat_id, d.id, d.product_id from dialogues d, unnest(${[...chatIds]}::text[]) as g (chat_id)
     where d.id = ${id} order by g.chat_id
    on conflict do nothing`.execute(tx);
  await sql`
    update dialogues d set chat_id = k.chat_id from dialogue_chats k
     where d.id = ${id} and k.dialogue_id = d.id and k.channel_id = d.channel_id and k.chat_id is distinct from d.chat_id
       and k.chat_id = coalesce(${answersTo}::text, case when d.chat_id is null then ${chatIds[0] ?? null}::text end)`.execute(
    tx,
  );
}

/** How a link between two dialogues was noticed. */
export type LinkEvidence = 'message' | 'echo' | 'send' | 'status';

/**
 * Link two dialogues, once; a link that an operator has decided about stays as it is. Two companies' dialogues are not one
 * person's.
 */
export async function linkDialogues(
  tx: Tx,
  link: {
    readonly dialogueId: number;
    readonly otherId: number;
    readonly kind: 'address_moved' | 'same_person';
    readonly evidence: LinkEvidence;
    readonly detail: string;
  },
): Promise<void> {
  await sql`
    insert into dialogue_links (dialogue_id, product_id, other_id, other_product_id, kind, evidence, detail)
    select d.id, d.product_id, o.id, o.product_id, ${link.kind}, ${link.evidence}, ${link.detail}
      from dialogues d join products p on p.id = d.product_id, dialogues o join products q on q.id = o.product_id
     where d.id = ${link.dialogueId} and o.id = ${link.otherId} and (${link.kind} = 'address_moved' or p.company_id = q.company_id)
       and not exists (select from contacts c join contacts e on e.lead_id = c.lead_id where c.id = d.contact_id and e.id = o.contact_id)
    on conflict do nothing`.execute(tx);
}

/**
 * Lock addresses until the transaction ends, so that no one else creates a dialogue with one of them: a new lead's first
 * messages may arrive at once. The national variants of a number are one.
 */
export async function lockAddresses(
  tx: Tx,
  addresses: readonly { readonly channelId: number; readonly address: string }[],
): Promise<void> {
  const keys = addresses.map(({ channelId, address }) => ({ channel: channelId, key: personKey(address) }));
  await sql`
    with keys as materialized (
      select distinct hashtextextended(key, channel) as key from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as k (channel bigint, key text)
       order by 1
    )
    select pg_advisory_xact_lock(key) from keys`.execute(tx);
}

/**
 * Find a contact with one of these addresses, the first ones preferred, in a product linked to the channel: inbound
 * products first, then the most recent conversation. Left out are those who have a dialogue on the channel, since that is
 * another chat's, and those whose account is known from another channel and is not this one: `accounts` are chat ids like
 * this one's, of which a person has one.
 */
export async function findContactByAddress(
  tx: Tx,
  {
    channelId,
    type,
    addresses,
    accountPattern,
    accounts,
  }: {
    channelId: number;
    type: string;
    addresses: readonly string[];
    /** Regular expression of chat ids of this kind; null: phone numbers, which change hands. */
    accountPattern: string | null;
    accounts: readonly string[];
  },
): Promise<{ contact_id: number; product_id: number; address: string } | null> {
  const { rows } = await sql<{ contact_id: number; product_id: number; address: string }>`
    select c.id as contact_id, c.product_id, c.address
      from contacts c join product_channels l on l.product_id = c.product_id and l.channel_id = ${channelId}
     where person_key(c.address) = any(${addresses.map(personKey)}::text[]) and c.contact_type = ${type}
       and not exists (select from dialogues d where d.contact_id = c.id and d.channel_id = ${channelId})
       and (${accountPattern}::text is null or not exists (
         select from dialogues d join channels o on o.id = d.channel_id join channels h on h.id = ${channelId} and h.vendor = o.vendor
           join dialogue_chats k on k.dialogue_id = d.id
          where d.contact_id = c.id and k.chat_id ~ ${accountPattern} and k.chat_id <> all(${[...accounts]}::text[])))
     order by array_position(${[...addresses]}::text[], c.address), l.inbound_enabled desc,
              (select max(d.last_msg_created_at) from dialogues d where d.contact_id = c.id) desc nulls last, c.id desc
     limit 1`.execute(tx);
  return rows[0] ?? null;
}

/**
 * Condition: another contact has a dialogue on the channel with this address, or one in which the messenger knows the
 * address as the chat.
 */
export const isAddressTaken = (of: Readonly<Record<'address' | 'channel' | 'contact' | 'type', string>>) =>
  sql<boolean>`${sql.raw(`(
  exists (select 1 from dialogues o where o.channel_id = ${of.channel} and person_key(o.address) = person_key(${of.address}) and o.contact_id <> ${of.contact})
  or (${of.type} = 'whatsapp' and exists (
        select 1 from dialogue_chats known join dialogues o on o.id = known.dialogue_id
         where known.channel_id = ${of.channel} and known.chat_id = ${of.address} and o.contact_id <> ${of.contact})))`)}`;

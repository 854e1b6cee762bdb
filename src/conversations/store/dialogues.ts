/** SQL of dialogues. */
import { sql } from 'kysely';
import { personKey } from '../../leads/address.ts';
import { makePlansDue } from '../../leads/store/plans.ts';
import { type LeadRow, lockedLeads } from '../../leads/store.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';
import { botFailed } from '../noAnswer.ts';
import { isAddressTaken } from './chats.ts';
import type { DialogueRow } from './tables.ts';

/** The sweep that answers, woken when a turn falls due. */
export const TURNS_SWEEP = 'turns';

export function lockDialogue(tx: Tx, id: number): Promise<DialogueRow | undefined> {
  return tx.selectFrom('dialogues').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export function findDialogue(reader: Reader, id: number): Promise<DialogueRow | undefined> {
  return reader.selectFrom('dialogues').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Whether a dialogue belongs to the company of a product. */
export async function isInCompanyOfProduct(reader: Reader, id: number, productId: number): Promise<boolean> {
  const { rows } = await sql<{ one: boolean }>`
    select exists (select 1 from dialogues d join products p on p.id = d.product_id
                     join products o on o.company_id = p.company_id
                    where d.id = ${id} and o.id = ${productId}) as one`.execute(reader);
  return rows[0]?.one ?? false;
}

/**
 * Lock leads, then dialogues, until the transaction ends, each in order of their ids. With `skipsLocked`, those that
 * another transaction has locked are left out, and dialogues whose leads are.
 */
export async function lockLeadsAndDialogues(
  tx: Tx,
  {
    leadIds,
    dialogueIds,
    skipsLocked,
  }: { leadIds: readonly number[]; dialogueIds: readonly number[]; skipsLocked: boolean },
): Promise<{ leads: LeadRow[]; dialogueIds: number[] }> {
  const { rows } = await sql<{ leads: LeadRow[] | null; dialogues: number[] | null }>`
    with leads_locked as materialized (${lockedLeads(leadIds, skipsLocked)}), dialogues_locked as materialized (
      select d.id from dialogues d
       where d.id = any(${idList(dialogueIds)}) and (select count(*) from leads_locked) >= 0
         ${skipsLocked ? sql`and (select c.lead_id from contacts c where c.id = d.contact_id) in (select id from leads_locked)` : sql``}
       order by d.id for update of d ${skipsLocked ? sql`skip locked` : sql``}
    )
    select (select json_agg(l) from leads_locked l) as leads, (select json_agg(id) from dialogues_locked) as dialogues`.execute(
    tx,
  );
  return { leads: rows[0]?.leads ?? [], dialogueIds: rows[0]?.dialogues ?? [] };
}

/**
 * Insert a dialogue, owned by the bot, or by a human if the lead was taken over as a whole. Locks the lead, so that a
 * concurrent takeover finds this dialogue afterwards. The lead's plan is evaluated.
 */
export async function insertDialogue(
  tx: Tx,
  input: {
    productId: number;
    contactId: number;
    channelId: number;
    chatId: string | null;
    address: string;
    isMain?: boolean;
  },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with lead as (
      select l.id, l.human_owner_reason as reason, l.human_owner_detail as detail from leads l
       where l.id = (select lead_id from contacts where id = ${input.contactId}) for update
    ), planned as (${makePlansDue(sql`select id from lead`)})
    insert into dialogues (product_id, contact_id, channel_id, chat_id, address, is_main, owner, owner_reason,
                           owner_reason_detail, owner_since)
    select ${input.productId}::bigint, ${input.contactId}::bigint, ${input.channelId}::bigint, ${input.chatId}, ${input.address},
           ${input.isMain ?? true}::boolean, case when reason is null then 'bot' else 'human' end, reason, detail,
           case when reason is not null then domain_now() end
      from lead
    returning id`.execute(tx);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error(`Contact ${input.contactId} is gone`);
  return id;
}

/** A dialogue to be opened. Its chat id is unknown: the messenger has to name it. */
interface DialogueAddress {
  readonly product_id: number;
  readonly contact_id: number;
  readonly channel_id: number;
  readonly address: string;
}

/**
 * Find or create dialogues of contacts whose leads are locked. Those are left out whose address another transaction is
 * opening a dialogue with, or belongs to another contact on the channel. The caller saves the plans of the leads in the same
 * transaction.
 */
export async function openDialogues(
  tx: Tx,
  addresses: readonly DialogueAddress[],
): Promise<Pick<DialogueRow, 'id' | 'product_id' | 'contact_id' | 'turn'>[]> {
  const input = addresses.map((one) => ({ ...one, key: personKey(one.address) }));
  const { rows } = await sql<Pick<DialogueRow, 'id' | 'product_id' | 'contact_id' | 'turn'>>`
    with given as materialized (
      select g.*, d.id, d.turn
        from jsonb_to_recordset(${JSON.stringify(input)}::jsonb)
               as g (product_id bigint, contact_id bigint, channel_id bigint, address text, key text)
        left join dialogues d on d.channel_id = g.channel_id and d.address = g.address and d.contact_id = g.contact_id
       where pg_try_advisory_xact_lock(hashtextextended(g.key, g.channel_id))
    ), inserted as (
      insert into dialogues (product_id, contact_id, channel_id, address, owner, owner_reason, owner_reason_detail, owner_since)
      select g.product_id, g.contact_id, g.channel_id, g.address, case when l.human_owner_reason is null then 'bot' else 'human' end,
             l.human_owner_reason, l.human_owner_detail, case when l.human_owner_reason is not null then domain_now() end
        from given g join contacts c on c.id = g.contact_id join leads l on l.id = c.lead_id
       where g.id is null and not ${isAddressTaken({ address: 'g.address', channel: 'g.channel_id', contact: 'g.contact_id', type: 'c.contact_type' })}
       order by g.channel_id, g.address
      on conflict do nothing returning id, product_id, contact_id, turn
    )
    select id, product_id, contact_id, turn from given where id is not null
     union all select id, product_id, contact_id, turn from inserted`.execute(tx);
  return rows;
}

/** Return the dialogues of a company whose turns wait for budget. */
export async function findTurnsWithoutBudget(reader: Reader, companyId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select d.id from dialogues d join products p on p.id = d.product_id
     where p.company_id = ${companyId} and d.turn_due_at > domain_now() and d.no_answer = 'budget'`.execute(reader);
  return rows.map(({ id }) => id);
}

export async function findDialoguesOfLeads(
  tx: Tx,
  leadIds: readonly number[],
): Promise<{ id: number; product_id: number }[]> {
  const { rows } = await sql<{ id: number; product_id: number }>`
    select d.id, d.product_id from dialogues d join contacts c on c.id = d.contact_id
     where c.lead_id = any(${[...leadIds]}::bigint[])
     order by d.is_main desc, d.last_msg_created_at desc nulls last, d.id`.execute(tx);
  return rows;
}

export interface DialogueContext {
  lead_id: number;
  lead_name: string;
  contact: string;
  contact_type: 'telegram' | 'whatsapp';
  account_id: number;
  vendor_ref: string;
  vendor: 'wazzup24' | 'chatpush';
  channel_type: 'telegram' | 'whatsapp';
  channel_active: boolean;
  channel_rests: boolean;
  rest_reason: string | null;
  key_rejected_reason: string | null;
  /** Whether the account's rate limit allows no send yet (domain clock), since another message went first. */
  account_waits: boolean;
}

/** Return the contact and channel of a dialogue. */
export async function findDialogueContext(reader: Reader, dialogueId: number): Promise<DialogueContext | null> {
  const { rows } = await sql<DialogueContext>`
    select c.lead_id, l.name as lead_name, c.contact, c.contact_type, h.account_id, h.vendor_ref, h.vendor, h.channel_type,
           h.is_active as channel_active, coalesce(h.paused_until > clock_timestamp(), false) as channel_rests,
           h.pause_reason as rest_reason, a.key_rejected_reason, coalesce(a.next_send_at > domain_now(), false) as account_waits
      from dialogues d
      join contacts c on c.id = d.contact_id
      join leads l on l.id = c.lead_id
      join channels h on h.id = d.channel_id
      join vendor_accounts a on a.id = h.account_id
     where d.id = ${dialogueId}`.execute(reader);
  return rows[0] ?? null;
}

export interface ContactRow {
  id: number;
  lead_id: number;
  product_id: number;
  contact: string;
  address: string;
  contact_type: 'telegram' | 'whatsapp';
}

export async function findContact(reader: Reader, id: number): Promise<ContactRow | null> {
  const { rows } = await sql<ContactRow>`
    select id, lead_id, product_id, contact, address, contact_type from contacts where id = ${id}`.execute(reader);
  return rows[0] ?? null;
}

/** Whether a contact has written in any dialogue: then its address is right, whatever it is. */
export async function hasWritten(reader: Reader, contactId: number): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select exists (select 1 from dialogues where contact_id = ${contactId} and last_user_msg_id is not null) as there`.execute(
    reader,
  );
  return rows[0]?.there ?? false;
}

/**
 * Find the dialogue that has a person's address or a chat id on a channel: the contact's own one, else that of the chat,
 * else the latest one with the address.
 */
export async function findDialogueAt(
  reader: Reader,
  {
    channelId,
    address,
    contactId,
    chatIds,
  }: { channelId: number; address: string; contactId: number; chatIds: readonly (string | null)[] },
): Promise<{ id: number; contact_id: number } | null> {
  const { rows } = await sql<{ id: number; contact_id: number }>`
    select d.id, d.contact_id from dialogues d
     where d.channel_id = ${channelId}
       and (person_key(d.address) = ${personKey(address)}
            or d.id in (select dialogue_id from dialogue_chats where channel_id = ${channelId} and chat_id = any(${[...chatIds]}::text[])))
     order by d.contact_id = ${contactId} desc, d.address = ${address}, d.id desc limit 1`.execute(reader);
  return rows[0] ?? null;
}

/** Return the dialogues of a product in which the bot tried to answer and failed. */
export async function findUnansweredDialogues(reader: Reader, productId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from dialogues d where product_id = ${productId} and ${sql.raw(botFailed('d'))} order by id`.execute(
    reader,
  );
  return rows.map((row) => row.id);
}

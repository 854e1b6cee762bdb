/** SQL of dialogues. */
import { sql } from 'kysely';
import type { OwnerReason } from '../../leads/lead.ts';
import { type LeadRow, lockedLeads } from '../../leads/store.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { wakeSweep } from '../../platform/notifications.ts';
import { idList } from '../../platform/statements.ts';
import type { Owner } from '../contract.ts';
import { botFailed } from '../noAnswer.ts';
import { stillWaits } from './attention.ts';
import type { DialogueRow } from './tables.ts';

/** The sweep that answers, woken when a turn falls due. */
export const TURNS_SWEEP = 'turns';

export function lockDialogue(tx: Tx, id: number): Promise<DialogueRow | undefined> {
  return tx.selectFrom('dialogues').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export function findDialogue(reader: Reader, id: number): Promise<DialogueRow | undefined> {
  return reader.selectFrom('dialogues').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Find the dialogue with the vendor's chat id on this channel, else the one with the contact's address. Locks its lead,
 * then the dialogue; what is returned was read afterwards.
 */
export async function lockDialogueByChat(
  tx: Tx,
  { channelId, chatId, address }: { channelId: number; chatId: string; address: string | null },
): Promise<DialogueRow | null> {
  const { rows } = await sql<{ id: number; lead_id: number }>`
    select d.id, c.lead_id from dialogues d join contacts c on c.id = d.contact_id
     where d.channel_id = ${channelId} and (d.chat_id = ${chatId} or d.address = ${address})
     order by (d.chat_id = ${chatId}) desc nulls last limit 1`.execute(tx);
  const [found] = rows;
  if (!found) return null;
  await lockLeadsAndDialogues(tx, { leadIds: [found.lead_id], dialogueIds: [found.id], skipsLocked: false });
  return (await findDialogue(tx, found.id)) ?? null;
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
 * Lock an address until the transaction ends, so that no one else creates a dialogue with it: a new lead's first
 * messages may arrive at once.
 */
export async function lockAddress(tx: Tx, channelId: number, address: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${address}, ${channelId}))`.execute(tx);
}

/**
 * Find a contact with this address in a product linked to the channel: inbound products first, then the most recent
 * conversation.
 */
export async function findContactByAddress(
  tx: Tx,
  { channelId, type, address }: { channelId: number; type: string; address: string },
): Promise<{ contact_id: number; product_id: number } | null> {
  const { rows } = await sql<{ contact_id: number; product_id: number }>`
    select c.id as contact_id, c.product_id
      from contacts c join product_channels l on l.product_id = c.product_id and l.channel_id = ${channelId}
     where c.address = ${address} and c.contact_type = ${type}
     order by l.inbound_enabled desc,
              (select max(d.last_msg_created_at) from dialogues d where d.contact_id = c.id) desc nulls last, c.id desc
     limit 1`.execute(tx);
  return rows[0] ?? null;
}

/**
 * Insert a dialogue, owned by the bot, or by a human if the lead was taken over as a whole. Locks the lead, so that a
 * concurrent takeover finds this dialogue afterwards.
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
      select l.human_owner_reason as reason, l.human_owner_detail as detail from leads l
       where l.id = (select lead_id from contacts where id = ${input.contactId}) for update
    )
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

/** A dialogue to be opened. */
interface DialogueAddress {
  readonly product_id: number;
  readonly contact_id: number;
  readonly channel_id: number;
  readonly chat_id: string | null;
  readonly address: string;
}

/**
 * Find or create dialogues of contacts whose leads are locked. Those are left out whose address another transaction is
 * opening a dialogue with, or belongs to another contact on the channel. The transaction saves the plans of the leads:
 * new dialogues do not make them due.
 */
export async function openDialogues(
  tx: Tx,
  addresses: readonly DialogueAddress[],
): Promise<Pick<DialogueRow, 'id' | 'product_id' | 'contact_id' | 'turn'>[]> {
  const { rows } = await sql<Pick<DialogueRow, 'id' | 'product_id' | 'contact_id' | 'turn'>>`
    with given as materialized (
      select g.*, d.id, d.turn, (select set_config('rapport.saves_plan', 'on', true))
        from jsonb_to_recordset(${JSON.stringify(addresses)}::jsonb)
               as g (product_id bigint, contact_id bigint, channel_id bigint, chat_id text, address text)
        left join dialogues d on d.channel_id = g.channel_id and d.address = g.address and d.contact_id = g.contact_id
       where pg_try_advisory_xact_lock(hashtextextended(g.address, g.channel_id))
    ), inserted as (
      insert into dialogues (product_id, contact_id, channel_id, chat_id, address, owner, owner_reason, owner_reason_detail, owner_since)
      select g.product_id, g.contact_id, g.channel_id, g.chat_id, g.address, case when l.human_owner_reason is null then 'bot' else 'human' end,
             l.human_owner_reason, l.human_owner_detail, case when l.human_owner_reason is not null then domain_now() end
        from given g join contacts c on c.id = g.contact_id join leads l on l.id = c.lead_id
       where g.id is null order by g.channel_id, g.address
      on conflict do nothing returning id, product_id, contact_id, turn
    )
    select id, product_id, contact_id, turn from given where id is not null
     union all select id, product_id, contact_id, turn from inserted`.execute(tx);
  return rows;
}

/** Set the chat id that the vendor assigned, unless another dialogue of the channel has it. */
export async function setChatIdIfMissing(
  tx: Tx,
  { id, channelId, chatId }: { id: number; channelId: number; chatId: string },
): Promise<void> {
  await sql`update dialogues d set chat_id = ${chatId}
             where d.id = ${id} and d.chat_id is null
               and not exists (select 1 from dialogues o where o.channel_id = ${channelId} and o.chat_id = ${chatId})`.execute(
    tx,
  );
}

/** Record that a message of ours went out. */
export async function recordOutbound(
  tx: Tx,
  { id, messageId, preview }: { id: number; messageId: number; preview: string },
): Promise<void> {
  await sql`
    update dialogues d set last_bot_msg_id = m.id, last_message = ${preview}, last_msg_created_at = domain_now(),
           waiting_since = ${stillWaits(sql`m.created_at`)}
      from messages m where m.id = ${messageId} and d.id = ${id}`.execute(tx);
}

/** Skip follow-ups while this is the newest message; null: skip none. */
export async function setFollowUpsSkippedFor(tx: Tx, id: number, messageId: number | null): Promise<void> {
  await sql`update dialogues set skip_ping_for_msg_id = ${messageId} where id = ${id}`.execute(tx);
}

export async function updateOwner(
  tx: Tx,
  {
    id,
    owner,
    reason,
    assigneeId = null,
  }: { id: number; owner: Owner; reason: OwnerReason | null; assigneeId?: number | null },
): Promise<void> {
  await sql`
    update dialogues
       set owner = ${owner}, owner_reason = ${reason?.code ?? null}, owner_reason_detail = ${reason?.detail ?? null},
           owner_since = domain_now(), hand_over_open = false,
           human_at = case when ${owner} = 'human' then domain_now() end,
           assignee_id = case when ${owner} = 'human' then coalesce(assignee_id, ${assigneeId}::bigint) end,
           snoozed_until = case when ${owner} = 'human' then snoozed_until end,
           snoozed_until_reply = snoozed_until_reply and ${owner} = 'human',
           turn_due_at = case when ${owner} = 'human' then null else turn_due_at end,
           turn_retry_at = null, no_answer = case when ${owner} = 'bot' then no_answer end,
           no_answer_detail = case when ${owner} = 'bot' then no_answer_detail end
     where id = ${id}`.execute(tx);
}

/** Close the turn of a dialogue: the bot has nothing to answer. */
export async function closeTurn(tx: Tx, id: number): Promise<void> {
  await sql`update dialogues set turn_due_at = null, turn_retry_at = null, turn_failed_at = null, no_answer = null, no_answer_detail = null
             where id = ${id}`.execute(tx);
}

/** Request a reply, due now. */
export async function requestReply(tx: Tx, id: number): Promise<void> {
  wakeSweep(tx, TURNS_SWEEP);
  await sql`update dialogues set turn_due_at = domain_now(), turn_attempts = 0, turn_retry_at = null, turn_failed_at = null, no_answer = null, no_answer_detail = null
             where id = ${id}`.execute(tx);
}

/**
 * Make a company's turns due that were deferred because its budget was spent. Returns the dialogues with their
 * products.
 */
export async function resumeDeferredTurns(tx: Tx, companyId: number): Promise<{ id: number; product_id: number }[]> {
  wakeSweep(tx, TURNS_SWEEP);
  const { rows } = await sql<{ id: number; product_id: number }>`
    update dialogues d set turn_due_at = domain_now(), no_answer = null, no_answer_detail = null
      from products p
     where p.id = d.product_id and p.company_id = ${companyId}
       and d.turn_due_at > domain_now() and d.no_answer = 'budget'
     returning d.id, d.product_id`.execute(tx);
  return rows;
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

/** Whether the last message is the lead's and younger than 24 hours. */
export async function isUnanswered(tx: Tx, dialogueId: number): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    select exists (
      select 1 from messages m
       where m.dialogue_id = ${dialogueId} and m.side = 'user' and m.thread_at > domain_now() - interval '24 hours'
         and m.kind not in ('system', 'missing_call', 'unsupported', 'unknown')
         and not exists (
           select 1 from messages o
            where o.dialogue_id = m.dialogue_id and o.side = 'bot' and o.thread_at > m.thread_at
             and o.origin is distinct from 'hand_over'
              and o.status in ('sending', 'sent', 'delivered', 'read', 'unconfirmed', 'scheduled'))) as open`.execute(
    tx,
  );
  return rows[0]?.open ?? false;
}

/** For a dialogue that the bot has got back: note why it does not answer a lead who still waits. */
export async function noteUnanswered(tx: Tx, dialogueId: number): Promise<void> {
  await sql`
    update dialogues d
       set no_answer = case when m.kind = 'missing_call' then 'call' when m.kind in ('unsupported', 'unknown') then 'unreadable' else 'late' end
      from messages m
     where d.id = ${dialogueId} and m.id = d.last_user_msg_id
       and d.waiting_since is not null and d.turn_due_at is null and d.no_answer is null`.execute(tx);
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

/** Find the dialogue that has an address or a chat id on a channel. */
export async function findDialogueAt(
  reader: Reader,
  { channelId, address, chatId = null }: { channelId: number; address: string; chatId?: string | null | undefined },
): Promise<{ id: number; contact_id: number } | null> {
  const { rows } = await sql<{ id: number; contact_id: number }>`
    select id, contact_id from dialogues where channel_id = ${channelId} and (address = ${address} or chat_id = ${chatId})
     limit 1`.execute(reader);
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

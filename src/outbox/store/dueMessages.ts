/** SQL of due messages: which are looked at, what deciding about them needs, and what was decided. */
import { sql } from 'kysely';
import { channelVendors } from '../../channels/contract.ts';
import { driverOf } from '../../channels/drivers.ts';
import { dialoguesOfSamePerson } from '../../conversations/store/conversation.ts';
import type { DialogueContext } from '../../conversations/store/dialogues.ts';
import type { MessageRow } from '../../conversations/store/tables.ts';
import { hasNoUnprocessedInbound } from '../../conversations/store/unprocessed.ts';
import { CONVERSATION, type ConversationRow, type Loaded, toLoaded } from '../../engine/postgres/load.ts';
import { IN_SIGHT, msUntil } from '../../jobs/store/dueWork.ts';
import { storedNumberRefusal } from '../../leads/address.ts';
import type { AddressRefusal } from '../../leads/addressRefusal.ts';
import type { OwnerReason } from '../../leads/lead.ts';
import type { LeadRow } from '../../leads/store.ts';
import type { Tx } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';

export const MESSAGES_DUE_IN = sql<number | null>`
  select ${msUntil('m.scheduled_at', 'm.retry_at')} from messages m
   where m.status = 'scheduled' and m.scheduled_at <= domain_now() + ${IN_SIGHT}
     and (m.retry_at is null or m.retry_at <= clock_timestamp() + ${IN_SIGHT})
   order by m.scheduled_at limit 1`;

/** True if the dialogue `d` has a message that is being sent, or unconfirmed for less than two minutes. */
const isDialogueBlocked = (d: string) =>
  sql.raw(`(
  exists (select 1 from messages s where s.dialogue_id = ${d}.id and s.status = 'sending')
  or exists (select 1 from messages s where s.dialogue_id = ${d}.id and s.status = 'unconfirmed'
                                        and s.unconfirmed_at > clock_timestamp() - interval '2 minutes'))`);

/** True if the scheduled message `m` waits for a retry (real clock). */
const waitsForRetry = (m: string) => sql.raw(`coalesce(${m}.retry_at > clock_timestamp(), false)`);

/**
 * True if nothing holds the scheduled message `m` of dialogue `d` on channel `h` back: it is due, no earlier one of the
 * dialogue waits for a retry, no message of the lead could not be processed, and the channel is open. What is held back
 * takes no place of its account.
 */
const mayLeave = (m: string, d: string, h: string) => sql`${sql.raw(`
  ${m}.status = 'scheduled' and ${m}.scheduled_at <= domain_now()
  and ${h}.is_active and (${h}.paused_until is null or ${h}.paused_until <= clock_timestamp())
  and not exists (select 1 from messages f where f.dialogue_id = ${d}.id and f.status = 'scheduled' and f.retry_at > clock_timestamp()
                                             and (f.scheduled_at, f.id) < (${m}.scheduled_at, ${m}.id))
  and ((${m}.author <> 'bot' and not (${m}.debounce_guard and ${m}.reply_on_msg_id is not null)) or ${d}.id in (
        select k.dialogue_id from inbox i join dialogue_chats k on k.channel_id = i.channel_id and k.chat_id = i.chat_id
         where i.state = 'new' and i.kind = 'message' and i.status = 'inbound' and i.retry_at > clock_timestamp()) is not true)`)}
  and not ${waitsForRetry(m)} and not ${isDialogueBlocked(d)}`;

/**
 * Find dialogues with a message that may leave: the oldest of each account first, so that no account starves the
 * others, and as many as the account has room for. For an account that sends one message every few minutes only the
 * oldest: of several, the quickest would go first.
 */
const dueDialogues = (limit: number, room: RoomOfAccounts) => sql`
  select id, lead_id from (
    select d.id, c.lead_id, h.account_id, a.next_send_at, min(m.scheduled_at) as due,
           row_number() over (partition by h.account_id order by min(m.scheduled_at), min(m.id)) as place
      from messages m join dialogues d on d.id = m.dialogue_id join contacts c on c.id = d.contact_id
      join channels h on h.id = m.channel_id join vendor_accounts a on a.id = h.account_id
     where ${mayLeave('m', 'd', 'h')} and a.key_rejected_reason is null and (a.next_send_at is null or a.next_send_at <= domain_now())
     group by d.id, c.lead_id, h.account_id, a.next_send_at) as waiting
    left join unnest(${[...room.busy.keys()]}::bigint[], ${[...room.busy.values()]}::int[]) as b (account, running) on b.account = account_id
   where place <= case when next_send_at is null then ${room.perAccount} - coalesce(b.running, 0) else 1 end
   order by place, due limit ${limit}`;

export interface RoomOfAccounts {
  /** Most messages of an account that are with the vendor at once. */
  readonly perAccount: number;
  /** How many of each account are now. */
  readonly busy: ReadonlyMap<number, number>;
}

/** Why messages of an account wait that sends one at a time, by vendor. */
const INTERVAL_REASONS = JSON.stringify(
  Object.fromEntries(
    channelVendors.flatMap((vendor) => {
      const { rateLimit } = driverOf(vendor);
      return rateLimit.clock === 'domain' ? [[vendor, rateLimit.reason]] : [];
    }),
  ),
);

/**
 * Due messages that do not say yet why their channel sends nothing now, and why. One that waits for a retry keeps what
 * the vendor said. Read channel by channel, since mostly none is closed.
 */
const UNNOTED = sql`
  with closed as materialized (
    select h.id, case when not h.is_active then 'The channel is switched off'
                      when a.key_rejected_reason is not null then a.key_rejected_reason
                      when h.paused_until > clock_timestamp() then coalesce(h.pause_reason, 'The channel is paused')
                      when a.next_send_at > domain_now() then ${INTERVAL_REASONS}::jsonb->>h.vendor end as reason
      from channels h join vendor_accounts a on a.id = h.account_id)
  select m.id, c.reason from closed c
   cross join lateral (
     select q.id, q.reason from messages q
      where q.channel_id = c.id and q.status = 'scheduled' and q.scheduled_at <= domain_now() and (q.retry_at is null or q.retry_at <= clock_timestamp())
     offset 0) as m
   where c.reason is not null and m.reason is distinct from c.reason`;

/** Locked dialogues with due messages, and what else is waiting in the outbox. */
export interface DueDialogues {
  readonly ids: readonly number[];
  /** Whether due messages do not say yet why their channel sends nothing now. */
  readonly hasClosed: boolean;
  /** Milliseconds until the next message is due (domain clock); infinite if none is within a second. */
  readonly nextMs: number;
}

/**
 * Lock the leads and then the dialogues of due messages, but for those that another transaction holds. With `ids`, wait
 * for these dialogues instead. What is due must be read by another statement, which sees what was committed before.
 */
export async function lockDueDialogues(
  tx: Tx,
  which: { readonly limit: number; readonly room: RoomOfAccounts } | { readonly ids: readonly number[] },
): Promise<DueDialogues> {
  const [asked, skip] =
    'ids' in which
      ? [
          sql`select d.id, c.lead_id from dialogues d join contacts c on c.id = d.contact_id where d.id = any(${idList(which.ids)})`,
          sql``,
        ]
      : [dueDialogues(which.limit, which.room), sql`skip locked`];
  const { rows } = await sql<{ ids: number[] | null; has_closed: boolean; next_ms: number | null }>`
    with due as materialized (${asked}),
    leads_locked as materialized (
      select id from leads where id in (select lead_id from due) order by id for share ${skip}
    ), dialogues_locked as materialized (
      select id from dialogues where id in (select id from due where lead_id in (select id from leads_locked))
       order by id for update ${skip}
    )
    select (select json_agg(id order by id) from dialogues_locked) as ids, exists (${UNNOTED}) as has_closed,
           (select extract(epoch from min(scheduled_at) - domain_now())::float8 * 1000 from messages
             where status = 'scheduled' and scheduled_at > domain_now() and scheduled_at < domain_now() + interval '1 second') as next_ms`.execute(
    tx,
  );
  const [row] = rows;
  return {
    ids: row?.ids ?? [],
    hasClosed: row?.has_closed ?? false,
    nextMs: row?.next_ms ?? Number.POSITIVE_INFINITY,
  };
}

/** The context of dialogue `d` of contact `c` of lead `l` on channel `h` of account `a`, as JSON. */
export const DIALOGUE_CONTEXT = sql`json_build_object('lead_id', l.id, 'lead_name', l.name, 'contact', c.contact, 'contact_type', c.contact_type,
                    'account_id', h.account_id, 'vendor_ref', h.vendor_ref, 'vendor', h.vendor, 'channel_type', h.channel_type,
                    'channel_active', h.is_active, 'channel_rests', coalesce(h.paused_until > clock_timestamp(), false),
                    'rest_reason', h.pause_reason, 'key_rejected_reason', a.key_rejected_reason,
                    'account_waits', coalesce(a.next_send_at > domain_now(), false), 'chat_id', d.chat_id, 'address', d.address)`;

/** A dialogue's first due message, and what decides whether it leaves. */
export interface DueMessage {
  readonly message: MessageRow;
  readonly context: DialogueContext & { readonly chat_id: string | null; readonly address: string };
  readonly lead: Pick<LeadRow, 'id' | 'stage' | 'is_active' | 'timezone' | 'recognized_deactivation_request'>;
  readonly isProductActive: boolean;
  /** The domain clock, milliseconds since 1970. */
  readonly now: number;
  readonly owner: 'bot' | 'human';
  readonly ownerReason: OwnerReason | null;
  /** Whether the bot or stage detection has handed it over, and nobody has seen to it. */
  readonly isHandOverOpen: boolean;
  readonly turn: number;
  /** False while it waits for a retry, which also blocks the messages behind it. */
  readonly isReady: boolean;
  readonly isDialogueBlocked: boolean;
  /** Why nothing unsolicited is sent to the address. Null if it may be written to, or the lead has written from it. */
  readonly addressRefusal: AddressRefusal | null;
  /** Whether the lead has written something that is stored and not processed yet. */
  readonly hasUnprocessedInbound: boolean;
  /** Whether the lead of a follow-up has written in another dialogue since it was stored. */
  readonly hasAnsweredSince: boolean;
  /** Whether the lead has written something newer than the message that one of an operator or a program replies to. */
  readonly hasNewerInbound: boolean;
  /** Whether an older message of an account that sends one at a time may leave. */
  readonly hasOlder: boolean;
  /** Age of the key's first use, milliseconds (real clock); null: it was not used. */
  readonly keyAgeMs: number | null;
}

type StoredFacts = Omit<DueMessage, 'message' | 'addressRefusal'> & { readonly hasWritten: boolean };

/** Load the first due message of each of these dialogues, and lock it. */
export async function loadDueMessages(
  tx: Tx,
  dialogueIds: readonly number[],
): Promise<{ dues: readonly DueMessage[]; loaded: Loaded }> {
  const { rows } = await sql<MessageRow & ConversationRow & { readonly facts: StoredFacts }>`
    select m.*, ${CONVERSATION}, json_build_object(
             'context', ${DIALOGUE_CONTEXT},
             'lead', json_build_object('id', l.id, 'stage', l.stage, 'is_active', l.is_active, 'timezone', l.timezone,
               'recognized_deactivation_request', l.recognized_deactivation_request),
             'isProductActive', p.is_active, 'now', extract(epoch from domain_now()) * 1000, 'owner', d.owner, 'turn', d.turn,
             'isHandOverOpen', d.hand_over_open, 'hasWritten', d.last_user_msg_id is not null,
             'ownerReason', case when d.owner_reason is not null
                                 then json_build_object('code', d.owner_reason, 'detail', d.owner_reason_detail) end,
             'isReady', not ${waitsForRetry('m')},
             'isDialogueBlocked', ${isDialogueBlocked('d')},
             'hasUnprocessedInbound', not ${hasNoUnprocessedInbound('d')},
             'hasAnsweredSince', m.origin = 'ping' and (exists (
               select 1 from contacts oc join dialogues od on od.contact_id = oc.id
                where oc.lead_id = l.id and od.id <> d.id and od.last_user_msg_at > m.created_at)
               or exists (select 1 from dialogues od where od.id in (${sql.raw(dialoguesOfSamePerson('l.id'))}) and od.last_user_msg_at > m.created_at)),
             'hasNewerInbound', m.author <> 'bot' and exists (
               select 1 from messages r join messages n on n.dialogue_id = r.dialogue_id
                where r.id = m.reply_on_msg_id and n.side = 'user' and n.kind <> 'system' and (n.thread_at, n.id) > (r.thread_at, r.id)),
             'hasOlder', a.next_send_at is not null and exists (
               select 1 from messages o join channels g on g.id = o.channel_id join dialogues e on e.id = o.dialogue_id
                where g.account_id = a.id and o.dialogue_id <> d.id and (o.scheduled_at, o.id) < (m.scheduled_at, m.id)
                  and ${mayLeave('o', 'e', 'g')}),
             'keyAgeMs', extract(epoch from clock_timestamp() - m.send_key_used_at) * 1000) as facts
      from dialogues d
      cross join lateral (
        select * from messages where dialogue_id = d.id and status = 'scheduled' and scheduled_at <= domain_now()
         order by scheduled_at, id limit 1 for update) m
      join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id join products p on p.id = d.product_id
      join channels h on h.id = d.channel_id join vendor_accounts a on a.id = h.account_id
     where d.id = any(${idList(dialogueIds)}) order by m.scheduled_at, m.id`.execute(tx);
  const dues = rows.map(({ facts: { hasWritten, ...facts }, ...message }) => ({
    ...facts,
    addressRefusal: hasWritten || message.origin === null ? null : storedNumberRefusal(facts.context.address),
    message,
  }));
  return { dues, loaded: toLoaded(rows, '') };
}

/** Note on due messages why their channel sends nothing now. Returns the messages that changed. */
export async function noteClosedChannels(tx: Tx): Promise<{ id: number; product_id: number }[]> {
  const { rows } = await sql<{ id: number; product_id: number }>`
    update messages m set reason = u.reason from (${UNNOTED}) as u where m.id = u.id and m.status = 'scheduled'
    returning m.id, m.product_id`.execute(tx);
  return rows;
}

/** Read the input of the plan. */
import { type RawBuilder, sql } from 'kysely';
import { type ChannelType } from '../../channels/contract.ts';
import { isAddressTaken } from '../../conversations/store/chats.ts';
import { dialoguesOfSamePerson, IS_CONVERSATION } from '../../conversations/store/conversation.ts';
import { storedNumberRefusal } from '../../leads/address.ts';
import type { Stage } from '../../leads/contract.ts';
import type { PersonOptOut } from '../../leads/personOptOut.ts';
import { readOptOuts } from '../../leads/store/optOuts.ts';
import type { Reader } from '../../platform/db.ts';
import type { Hasher } from '../../platform/secretCipher.ts';
import { idList } from '../../platform/statements.ts';
import { quotaDay } from '../../products/quotaDay.ts';
import type { ContactFacts, Counters, LeadFacts, Settings } from '../facts.ts';
import type { Reason } from '../reason.ts';
import { ANSWER_TO_LAST, isWaiting, OWES_ANSWER } from './owedAnswers.ts';

const AS_MS = sql.raw('* 1000)::float8');

interface LeadRow {
  id: number;
  now: number;
  product_id: number;
  is_active: boolean;
  opted_out: boolean;
  stage: Stage;
  zone: string | null;
  eligible_since: number;
  contacts: Omit<ContactFacts, 'addressRefusal'>[];
  talked: boolean;
  last_user_at: number | null;
  owes_answer: boolean | null;
  answered_at: number | null;
  human_owned: boolean;
  dialogue: {
    id: number;
    address: string;
    created_at: number;
    anchor: number;
    anchor_at: number | null;
    last_id: number | null;
    last_ours: boolean | null;
    last_at: number | null;
    last_failed: boolean | null;
    outgoing: boolean;
    outgoing_at: number | null;
    steps_done: number;
    step_at: number | null;
    skip_for: number | null;
  } | null;
}

export interface LeadOfProduct extends LeadFacts {
  readonly productId: number;
}

/** A lead as it was at `now`, milliseconds since 1970 (domain clock). */
export type LeadNow = LeadOfProduct & { readonly now: number };

/** Query of what the plan reads of leads, ordered by id. Opt-outs are read beside it. */
export const leadFacts = (ids: readonly number[]): RawBuilder<LeadRow> => sql<LeadRow>`
    select l.id, l.product_id, (extract(epoch from domain_now()) ${AS_MS} as now, l.is_active, l.recognized_deactivation_request as opted_out, l.stage, l.timezone as zone,
           (extract(epoch from l.eligible_since) ${AS_MS} as eligible_since,
           coalesce(c.contacts, '[]') as contacts,
           (coalesce(d.human_owned, false) or l.human_owner_reason is not null) as human_owned, d.owes_answer, d.answered_at,
           greatest(d.last_user_at, (select (extract(epoch from max(o.last_user_msg_at)) ${AS_MS}
                                       from dialogues o where o.id in (${sql.raw(dialoguesOfSamePerson('l.id'))}))) as last_user_at,
           -- No 'exists': while statistics are missing, the planner would answer that for all leads at once.
           (select true from contacts k join dialogues q on q.contact_id = k.id join messages m on m.dialogue_id = q.id
             where k.lead_id = l.id and ${sql.raw(IS_CONVERSATION)} limit 1) is not null
             or (select true from dialogues q join messages m on m.dialogue_id = q.id join contacts k on k.id = q.contact_id
                  where q.id in (${sql.raw(dialoguesOfSamePerson('l.id'))}) and ${sql.raw(IS_CONVERSATION)} limit 1) is not null as talked,
           main.dialogue
      from leads l
      left join lateral (
        select jsonb_agg(jsonb_build_object(
                 'id', k.id, 'address', k.address, 'type', k.contact_type, 'since', (extract(epoch from k.created_at) ${AS_MS},
                 'refused', exists (select 1 from first_messages f where f.lead_id = l.id and f.contact_id = k.id and f.refused)
                            or exists (select 1 from dialogues q join messages e on e.dialogue_id = q.id
                                        where q.contact_id = k.id and e.origin = 'first' and e.status = 'error'),
                 'contactedAsLeadId', coalesce((select f.lead_id from first_messages f where f.product_id = k.product_id and person_key(f.address) = person_key(k.address) and not f.is_repeat),
                                     (select min(o.lead_id) from contacts o
                                       where o.product_id = k.product_id and person_key(o.address) = person_key(k.address) and o.lead_id <> k.lead_id
                                         and exists (select 1 from dialogues q join messages m on m.dialogue_id = q.id
                                                      where q.contact_id = o.id and m.status in ('inbound', 'sent', 'delivered', 'read')))),
                 'addressTakenOn', coalesce((select jsonb_agg(pc.channel_id) from product_channels pc
                                      where pc.product_id = k.product_id
                                        and ${isAddressTaken({ address: 'k.address', channel: 'pc.channel_id', contact: 'k.id', type: 'k.contact_type' })}), '[]'))
               order by k.is_main desc, k.id) as contacts
          from contacts k where k.lead_id = l.id) c on true
      left join lateral (
        select bool_or(o.owner = 'human') as human_owned, (extract(epoch from max(o.last_user_msg_at)) ${AS_MS} as last_user_at,
               bool_or(${OWES_ANSWER}) as owes_answer, (extract(epoch from max(answer.at)) ${AS_MS} as answered_at
          from contacts k join dialogues o on o.contact_id = k.id
          left join lateral (${ANSWER_TO_LAST}) answer on true
         where k.lead_id = l.id) d on true
      left join lateral (
        select jsonb_build_object(
                 'id', o.id, 'address', o.address, 'created_at', (extract(epoch from o.created_at) ${AS_MS},
                 'anchor', coalesce(o.last_user_msg_id, 0), 'anchor_at', (extract(epoch from o.last_user_msg_at) ${AS_MS},
                 'last_id', last.id, 'last_ours', last.side = 'bot', 'last_at', (extract(epoch from last.thread_at) ${AS_MS}, 'last_failed', last.status = 'error',
                 'outgoing', ${isWaiting('o')},
                 'outgoing_at', (select (extract(epoch from max(w.scheduled_at)) ${AS_MS} from messages w where w.dialogue_id = o.id and w.status = 'scheduled'),
                 'steps_done', coalesce(step.ping_step_number, 0), 'step_at', (extract(epoch from step.sent_at) ${AS_MS},
                 'skip_for', o.skip_ping_for_msg_id) as dialogue
          from contacts k
          join dialogues o on o.contact_id = k.id
          left join lateral (
            select m.id, m.side, m.status, m.thread_at from messages m
             where m.dialogue_id = o.id and m.status not in ('cancelled', 'scheduled', 'sending') and m.kind <> 'system'
             order by m.thread_at desc, m.id desc limit 1) last on true
          left join lateral (
            select p.ping_step_number,
                   (select case when not bool_or(s.status in ('scheduled', 'sending')) then max(s.thread_at) end from messages s
                     where s.dialogue_id = o.id and (s.id = p.id or s.part_group = p.part_group) and s.status <> 'cancelled') as sent_at
              from messages p
             where p.dialogue_id = o.id and p.follow_up_anchor_id = coalesce(o.last_user_msg_id, 0) and p.status <> 'cancelled'
             order by p.ping_step_number desc limit 1) step on true
         where k.lead_id = l.id
         order by o.is_main desc, o.last_msg_created_at desc nulls last, o.id desc limit 1) main on true
     where l.id = any(${idList(ids)})
     order by l.id`;

/** Read the facts of leads, ordered by id. */
export async function readLeadFacts(reader: Reader, hasher: Hasher, ids: readonly number[]): Promise<LeadNow[]> {
  if (ids.length === 0) return [];
  const { rows } = await leadFacts(ids).execute(reader);
  const optOuts = await readOptOuts(reader, hasher, ids);
  return rows.map((row) => toLeadFacts(row, optOuts.get(row.id) ?? null));
}

function toLeadFacts(row: LeadRow, personOptOut: PersonOptOut | null): LeadNow {
  const d = row.dialogue;
  // Only a first message depends on it. Asking the library takes 10 µs.
  const isWaiting = row.stage === 'initial' && !row.talked;
  return {
    id: row.id,
    productId: row.product_id,
    now: row.now,
    isActive: row.is_active,
    optedOut: row.opted_out,
    personOptOut,
    stage: row.stage,
    zone: row.zone,
    eligibleSince: row.eligible_since,
    contacts: row.contacts.map((one) => ({
      ...one,
      addressRefusal: isWaiting ? storedNumberRefusal(one.address) : null,
    })),
    hasConversation: row.talked,
    lastUserAt: row.last_user_at,
    owesAnswer: row.owes_answer ?? false,
    answeredAt: row.answered_at,
    humanOwned: row.human_owned,
    dialogue: d && {
      id: d.id,
      createdAt: d.created_at,
      anchor: d.anchor,
      anchorAt: d.anchor_at,
      last:
        d.last_id === null
          ? null
          : { id: d.last_id, ours: d.last_ours ?? false, at: d.last_at ?? 0, failed: d.last_failed ?? false },
      outgoing: d.outgoing,
      outgoingAt: d.outgoing_at,
      stepsDone: d.steps_done,
      stepAt: d.step_at,
      skipFor: d.skip_for,
      addressRefusal: d.anchor === 0 ? storedNumberRefusal(d.address) : null,
    },
  };
}

/** Counters, and when they were read. */
export type CountersNow = Counters & { readonly now: number };

/** Read the state that the first messages of a product share, as of now. Exact only with the product's row locked. */
export async function readCounters(reader: Reader, settings: ProductClock): Promise<CountersNow> {
  const counters = (await readAllCounters(reader, [settings])).get(settings.productId);
  if (!counters) throw new Error(`Product ${settings.productId} has no plan`);
  return counters;
}

type ProductClock = Pick<Settings, 'productId' | 'zone' | 'longDay'>;

/** Read the counters of products, by product. */
export async function readAllCounters(
  reader: Reader,
  products: readonly ProductClock[],
): Promise<Map<number, CountersNow>> {
  if (products.length === 0) return new Map();
  const { rows } = await sql<{
    id: number;
    now: number;
    last_at: number | null;
    last_lead: number | null;
    in_hand: boolean;
  }>`
    select o.product_id as id, (extract(epoch from domain_now()) ${AS_MS} as now,
           (extract(epoch from o.last_first_message_at) ${AS_MS} as last_at, o.last_first_message_lead_id as last_lead,
           exists (select 1 from messages m where m.id = o.last_first_message_id and m.status = 'sending') as in_hand
      from outreach_products o where o.product_id = any(${idList(products.map(({ productId }) => productId))})`.execute(
    reader,
  );
  const now = rows[0]?.now ?? 0;
  const days = products.map((product) => quotaDay(product, now).from / 1000);
  const usage = await sql<{ product_id: number; channel_id: number; channel_type: ChannelType; count: number }>`
    select q.product_id, q.channel_id, q.channel_type, count(*)::int as count
      from unnest(${idList(products.map(({ productId }) => productId))}, ${days}::float8[]) as g (product_id, day)
      join first_message_quota q on q.product_id = g.product_id and q.taken_at >= to_timestamp(g.day)
     group by q.product_id, q.channel_id, q.channel_type`.execute(reader);
  const used = Map.groupBy(usage.rows, (row) => row.product_id);
  return new Map(
    rows.map((row) => {
      const today = new Map<number, number>();
      const ofType = { telegram: 0, whatsapp: 0 };
      for (const { channel_id: channel, channel_type: type, count } of used.get(row.id) ?? []) {
        today.set(channel, (today.get(channel) ?? 0) + count);
        ofType[type] += count;
      }
      return [
        row.id,
        {
          now: row.now,
          lastAt: row.last_at,
          lastLeadId: row.last_lead,
          isSending: row.in_hand,
          sentTodayByChannel: today,
          sentTodayByType: ofType,
        },
      ];
    }),
  );
}

/** Find active leads of a product that outreach may still concern, ordered by id. */
export async function findOpenLeads(reader: Reader, productId: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from leads where product_id = ${productId} and is_active and stage in ('initial', 'started', 'ongoing', 'pending')
     order by id limit ${limit}`.execute(reader);
  return rows.map((row) => row.id);
}

export async function readLeadNames(reader: Reader, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from leads where id = any(${[...ids]}::bigint[])`.execute(reader);
  return new Map(rows.map((row) => [row.id, row.name]));
}

/** Read the last plan result of a lead. */
export async function readPlanResult(
  reader: Reader,
  leadId: number,
): Promise<
  { next_action: 'first' | 'ping' | 'expire' | null; next_action_at: string | null; reason: Reason } | undefined
> {
  const { rows } = await sql<{
    next_action: 'first' | 'ping' | 'expire' | null;
    next_action_at: string | null;
    reason: Reason | null;
  }>`
    select next_action, next_action_at, reason from outreach where lead_id = ${leadId}`.execute(reader);
  const [row] = rows;
  return row && { ...row, reason: row.reason ?? { code: 'now' } };
}

/**
 * SQL of the wishes of people to get no more messages, by company. A wish is found by the keyed hashes of the person's
 * identities, which outlive leads; and, for what an upgrade has recorded without them, by its lead.
 */
import { sql } from 'kysely';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import type { Hasher } from '../../platform/secretCipher.ts';
import { idList } from '../../platform/statements.ts';
import type { OptOutSource, OptOutState, PersonOptOut } from '../personOptOut.ts';
import { type LeadIdentities, readIdentities } from './identities.ts';

/** How long model and stage detection may decide about a doubtful wish, before people are asked, minutes. */
const DECIDE_WITHIN_MINUTES = 60;

const hashOf = (hasher: Hasher, identity: string): Buffer => hasher.hash(`identity ${identity}`);

interface HashedIdentity {
  readonly leadId: number;
  readonly companyId: number;
  readonly hash: Buffer;
}

async function readHashes(reader: Reader, hasher: Hasher, leadIds: readonly number[]): Promise<HashedIdentity[]> {
  return toHashes(hasher, await readIdentities(reader, leadIds));
}

const toHashes = (hasher: Hasher, leads: readonly LeadIdentities[]): HashedIdentity[] =>
  leads.flatMap(({ leadId, companyId, identities }) =>
    identities.map((identity) => ({ leadId, companyId, hash: hashOf(hasher, identity) })),
  );

/** The hashes of leads as a table `g (lead_id, company_id, hash)`. */
const hashTable = (hashes: readonly HashedIdentity[]) => sql`
  unnest(${hashes.map(({ leadId }) => leadId)}::bigint[], ${hashes.map(({ companyId }) => companyId)}::bigint[],
         ${hashes.map(({ hash }) => hash)}::bytea[]) as g (lead_id, company_id, hash)`;

/** Pairs of a lead and an open wish of its person: `lead_id`, `opt_out_id`. */
const openOptOuts = (leadIds: readonly number[], hashes: readonly HashedIdentity[]) => sql`
  select g.lead_id, i.opt_out_id from ${hashTable(hashes)}
    join opt_out_identities i on i.company_id = g.company_id and i.identity_hash = g.hash
    join opt_outs o on o.id = i.opt_out_id where o.ended_at is null
  union
  select o.lead_id, o.id from opt_outs o where o.lead_id = any(${idList(leadIds)}) and o.ended_at is null`;

/** Return the open wishes of the people behind leads, by lead. */
export async function readOptOuts(
  reader: Reader,
  hasher: Hasher,
  leadIds: readonly number[],
): Promise<Map<number, PersonOptOut>> {
  const identities = await readIdentities(reader, leadIds, { onlyIfOptOuts: true });
  if (identities.length === 0) return new Map();
  const hashes = toHashes(hasher, identities);
  const { rows } = await sql<PersonOptOut & { lead_id: number }>`
    select distinct on (w.lead_id) w.lead_id, o.state, o.source, (extract(epoch from o.since) * 1000)::float8 as since
      from (${openOptOuts(leadIds, hashes)}) as w join opt_outs o on o.id = w.opt_out_id
     order by w.lead_id, o.state = 'certain' desc, o.since desc, o.id desc`.execute(reader);
  return new Map(rows.map(({ lead_id: id, ...optOut }) => [id, optOut]));
}

/** What is known of a person's wish, for operators. */
export interface OptOutRow {
  readonly state: OptOutState;
  readonly source: OptOutSource;
  readonly since: string;
  readonly operator: string | null;
  /** The lead, dialogue and message that it came from; null if they were deleted. */
  readonly lead_id: number | null;
  readonly lead_name: string | null;
  readonly dialogue_id: number | null;
  readonly message_id: number | null;
  readonly message: string | null;
  readonly asked_at: string | null;
}

/** Read the open wish of the person behind a lead, with where it came from. */
export async function readOptOut(reader: Reader, hasher: Hasher, leadId: number): Promise<OptOutRow | null> {
  const hashes = await readHashes(reader, hasher, [leadId]);
  const { rows } = await sql<OptOutRow>`
    select o.state, o.source, o.since, o.operator, o.lead_id, l.name as lead_name, o.dialogue_id, m.id as message_id,
           left(m.message, 500) as message, o.asked_at
      from (${openOptOuts([leadId], hashes)}) as w join opt_outs o on o.id = w.opt_out_id
      left join leads l on l.id = o.lead_id left join messages m on m.id = o.message_id
     order by o.state = 'certain' desc, o.since desc, o.id desc limit 1`.execute(reader);
  return rows[0] ?? null;
}

/** A wish to be stored. */
export interface NewOptOut {
  readonly leadId: number;
  readonly state: OptOutState;
  readonly source: OptOutSource;
  readonly dialogueId?: number | null;
  readonly messageId?: number | null;
  readonly operator?: string | null;
}

/**
 * Store the wish of the person behind a locked lead. A certain one ends the doubtful ones; a doubtful one is not stored if
 * there is a certain one. Returns its id; null if nothing was stored.
 */
export async function insertOptOut(tx: Tx, hasher: Hasher, added: NewOptOut): Promise<number | null> {
  const { leadId, state, source, dialogueId = null, messageId = null, operator = null } = added;
  const hashes = await readHashes(tx, hasher, [leadId]);
  const { rows } = await sql<{ id: number }>`
    with open as materialized (${openOptOuts([leadId], hashes)}),
    ended as (
      update opt_outs set ended_at = domain_now(), ended_as = 'certain'
       where ${state} = 'certain' and state = 'doubtful' and ended_at is null and id in (select opt_out_id from open)
    ), stored as (
      insert into opt_outs (company_id, product_id, state, source, lead_id, dialogue_id, message_id, operator, decide_by)
      select p.company_id, p.id, ${state}, ${source}, l.id, ${dialogueId}::bigint, ${messageId}::bigint, ${operator}::text,
             case when ${state} = 'doubtful' then domain_now() + make_interval(mins => ${DECIDE_WITHIN_MINUTES}) end
        from leads l join products p on p.id = l.product_id
       where l.id = ${leadId}
         and (${state} = 'certain' or not exists (select from open w join opt_outs o on o.id = w.opt_out_id where o.state = 'certain'))
      returning id, company_id
    ), identified as (
      insert into opt_out_identities (opt_out_id, company_id, identity_hash)
      select distinct s.id, s.company_id, g.hash from stored s cross join ${hashTable(hashes)}
    )
    select id from stored`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Note the messages that wishes came from, once they are stored. */
export async function setMessagesOfOptOuts(tx: Tx, messages: ReadonlyMap<number, number>): Promise<void> {
  if (messages.size === 0) return;
  await sql`
    update opt_outs o set message_id = g.message_id
      from unnest(${[...messages.keys()]}::bigint[], ${[...messages.values()]}::bigint[]) as g (id, message_id)
     where o.id = g.id`.execute(tx);
}

/**
 * End open wishes of the person behind a lead: the doubtful ones, or all. With `dialogueId`, only the doubtful ones of that
 * dialogue about which nobody was asked. Returns how many.
 */
export async function endOptOuts(
  tx: Tx,
  hasher: Hasher,
  {
    leadId,
    as,
    by,
    dialogueId = null,
  }: { leadId: number; as: 'lifted' | 'kept'; by: string; dialogueId?: number | null },
): Promise<number> {
  const hashes = await readHashes(tx, hasher, [leadId]);
  const { numAffectedRows } = await sql`
    update opt_outs set ended_at = domain_now(), ended_as = ${as}, ended_by = ${by}
     where id in (select opt_out_id from (${openOptOuts([leadId], hashes)}) as w)
       and (${as} = 'lifted' or state = 'doubtful')
       and (${dialogueId}::bigint is null or (dialogue_id = ${dialogueId}::bigint and asked_at is null))`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/**
 * Carry the wishes of people on to identities that their leads have got since: a new contact, or the id of a chat. Runs
 * when leads are evaluated, which every such change asks for, and before leads are deleted.
 */
export async function carryOptOuts(tx: Tx, hasher: Hasher, leadIds: readonly number[]): Promise<void> {
  if (leadIds.length === 0) return;
  const hashes = await readHashes(tx, hasher, leadIds);
  await sql`
    insert into opt_out_identities (opt_out_id, company_id, identity_hash)
    select w.opt_out_id, g.company_id, g.hash from (${openOptOuts(leadIds, hashes)}) as w join ${hashTable(hashes)} on g.lead_id = w.lead_id
    on conflict do nothing`.execute(tx);
}

/** Keep the wishes of leads that are about to be deleted, without what they came from. */
export async function detachOptOuts(tx: Tx, leadIds: readonly number[]): Promise<void> {
  await sql`update opt_outs set lead_id = null, dialogue_id = null, message_id = null where lead_id = any(${idList(leadIds)})`.execute(
    tx,
  );
}

/** Return the leads of wishes that have no identities yet: an upgrade recorded them. */
export async function findOptOutsWithoutIdentities(reader: Reader, limit: number): Promise<number[]> {
  const { rows } = await sql<{ lead_id: number }>`
    select o.lead_id from opt_outs o
     where o.source = 'upgrade' and o.lead_id is not null and o.ended_at is null
       and not exists (select from opt_out_identities i where i.opt_out_id = o.id)
       and exists (select from contacts c where c.lead_id = o.lead_id)
     order by o.id limit ${limit}`.execute(reader);
  return rows.map((row) => row.lead_id);
}

const UNDECIDED = sql`ended_at is null and asked_at is null and decide_by is not null`;

/** When people are to be asked about a doubtful wish. */
export const DOUBTS_DUE_IN = dueIf(
  sql`exists (select 1 from opt_outs where ${UNDECIDED} and decide_by <= domain_now())`,
);

/** Return doubtful wishes that nobody has decided about in time, with their leads. */
export async function findUndecided(reader: Reader, limit: number): Promise<{ id: number; lead_id: number | null }[]> {
  const { rows } = await sql<{ id: number; lead_id: number | null }>`
    select id, lead_id from opt_outs where ${UNDECIDED} and decide_by <= domain_now() order by decide_by, id limit ${limit}`.execute(
    reader,
  );
  return rows;
}

/** Note that people are asked about a doubtful wish. Returns its dialogue; undefined if it was decided meanwhile. */
export async function markAsked(tx: Tx, id: number): Promise<{ dialogue_id: number | null } | undefined> {
  const { rows } = await sql<{ dialogue_id: number | null }>`
    update opt_outs set asked_at = domain_now() where id = ${id} and ${UNDECIDED} returning dialogue_id`.execute(tx);
  return rows[0];
}

/** Forget that leads have asked for no more messages. What they wrote before does not count again. */
export async function clearOptOutOfLeads(tx: Tx, leadIds: readonly number[]): Promise<void> {
  await sql`
    update leads set recognized_deactivation_request = false, opt_out_lifted_at = domain_now(), updated_at = domain_now()
     where id = any(${idList(leadIds)})`.execute(tx);
}

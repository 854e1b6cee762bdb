/** All SQL statements about cards: their last-read state, those to read again, and stages still to be written. */
import { sql } from 'kysely';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { Stage } from '../../leads/contract.ts';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';
import type { IntegrationConfig } from '../contract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    crm_cards: Row<'crm_cards', { pending_stage: Stage }>;
    crm_changes: Row<'crm_changes', { entity: 'card' | 'person' }>;
  }
}

export interface ProductSettings {
  readonly product_id: number;
  readonly config: IntegrationConfig;
  /** The product's. */
  readonly timezone: string;
}

/** Read the active products that use an integration, with their settings. */
export async function readProductSettings(reader: Reader, integrationId: number): Promise<ProductSettings[]> {
  const { rows } = await sql<ProductSettings>`
    select x.product_id, x.config, p.timezone from product_integrations x join products p on p.id = x.product_id
     where x.crm_integration_id = ${integrationId} and p.is_active order by x.id`.execute(reader);
  return rows;
}

export interface CardRow {
  readonly product_id: number;
  readonly card_id: number;
  readonly crm_integration_id: number;
  readonly lead_id: number | null;
  readonly pipeline_id: number | null;
  readonly status_id: number | null;
  readonly card_updated_at: number | null;
  readonly pending_stage: Stage | null;
  readonly pending_stage_version: number;
  /** Unix seconds when the pending stage was set; null if there is none. */
  readonly wished: number | null;
  /** The step that was last sent and has not been seen on the card yet. */
  readonly sent_pipeline_id: number | null;
  readonly sent_status_id: number | null;
  readonly attempts: number;
  /** True if the row stems from a later read than the given one. */
  readonly read_later: boolean;
  readonly has_contacts: boolean;
  /** Somebody asked to read the addresses again, although the lead has some. */
  readonly reread_addresses: boolean;
}

const CARD_COLUMNS = sql`
  c.product_id, c.card_id, c.crm_integration_id, c.lead_id, c.pipeline_id, c.status_id, c.card_updated_at, c.pending_stage,
  c.pending_stage_version, floor(extract(epoch from c.pending_stage_since))::bigint as wished, c.sent_pipeline_id,
  c.sent_status_id, c.attempts, c.reread_addresses,
  exists (select 1 from contacts k where k.lead_id = c.lead_id) as has_contacts`;

/** Read the rows of cards, one for each product that knows one. `readAt` is when the read to compare with began. */
export async function readCardRows(
  reader: Reader,
  { integrationId, cardIds, readAt }: { integrationId: number; cardIds: readonly number[]; readAt: string },
): Promise<CardRow[]> {
  const { rows } = await sql<CardRow>`
    select ${CARD_COLUMNS}, coalesce(c.read_at > ${readAt}::timestamptz, false) as read_later from crm_cards c
     where c.crm_integration_id = ${integrationId} and c.card_id = any(${[...cardIds]}::bigint[])`.execute(reader);
  return rows;
}

/** Read one row and lock it until the transaction ends. */
export async function lockCard(
  tx: Tx,
  { productId, cardId, readAt }: { productId: number; cardId: number; readAt: string },
): Promise<CardRow | undefined> {
  const { rows } = await sql<CardRow>`
    select ${CARD_COLUMNS}, coalesce(c.read_at > ${readAt}::timestamptz, false) as read_later from crm_cards c
     where c.product_id = ${productId} and c.card_id = ${cardId} for update of c`.execute(tx);
  return rows[0];
}

/** Find the card of a lead; if it has several, prefer the one with its CRM id. */
export async function findCardOfLead(reader: Reader, leadId: number): Promise<CardRow | undefined> {
  const { rows } = await sql<CardRow>`
    select ${CARD_COLUMNS}, false as read_later from crm_cards c join leads l on l.id = c.lead_id
     where c.lead_id = ${leadId} order by (l.crm_id = c.card_id::text) desc, c.card_id desc limit 1`.execute(reader);
  return rows[0];
}

/** Read the database's real clock. */
export async function readRealClock(reader: Reader): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(reader);
  const [row] = rows;
  if (!row) throw new Error('The database gave no time');
  return row.now;
}

/** Save a card as it was read or written. A sent step that is now seen on the card is cleared. */
export async function saveCard(
  tx: Tx,
  card: {
    productId: number;
    cardId: number;
    integrationId: number;
    leadId: number | null;
    pipelineId: number | null;
    statusId: number | null;
    updatedAt: number | null;
    readAt: string;
    /** Omitted: the note stays as it is. */
    note?: string | null;
    /** Sentences; omitted: the addresses were not read now, and what was found before stays. */
    refusedAddresses?: string | null;
  },
): Promise<void> {
  await sql`
    insert into crm_cards as c (product_id, card_id, crm_integration_id, lead_id, pipeline_id, status_id, card_updated_at, read_at, note,
                                refused_addresses, refused_at)
    values (${card.productId}, ${card.cardId}, ${card.integrationId}, ${card.leadId}, ${card.pipelineId}, ${card.statusId},
            ${card.updatedAt}, ${card.readAt}, ${card.note ?? null}, ${card.refusedAddresses ?? null},
            case when ${card.refusedAddresses ?? null}::text is not null then clock_timestamp() end)
    on conflict (product_id, card_id) do update
      set crm_integration_id = excluded.crm_integration_id, lead_id = coalesce(c.lead_id, excluded.lead_id),
          pipeline_id = excluded.pipeline_id, status_id = excluded.status_id, card_updated_at = excluded.card_updated_at,
          read_at = greatest(c.read_at, excluded.read_at), note = case when ${card.note === undefined} then c.note else excluded.note end,
          refused_addresses = case when ${card.refusedAddresses === undefined} then c.refused_addresses else excluded.refused_addresses end,
          refused_at = case when ${card.refusedAddresses === undefined} or c.refused_addresses = excluded.refused_addresses
                            then c.refused_at else excluded.refused_at end,
          reread_addresses = c.reread_addresses and ${card.refusedAddresses === undefined},
          sent_status_id = case when (c.sent_pipeline_id, c.sent_status_id) = (excluded.pipeline_id, excluded.status_id) then null else c.sent_status_id end`.execute(
    tx,
  );
}

/** Clear the pending stage of a card: nothing is written to the CRM any more. */
export async function clearPendingStage(
  tx: Tx,
  { productId, cardId, error = null }: { productId: number; cardId: number; error?: string | null | undefined },
): Promise<void> {
  await sql`update crm_cards set pending_stage = null, retry_at = null, attempts = 0, error = ${error}, sent_status_id = null
             where product_id = ${productId} and card_id = ${cardId}`.execute(tx);
  await sql`update leads l set crm_pending = false from crm_cards c
             where c.product_id = ${productId} and c.card_id = ${cardId} and l.id = c.lead_id and l.crm_pending`.execute(
    tx,
  );
}

/** Clear the pending stage of a lead: its move stays here and is not written to the CRM. */
export async function clearPendingStageOfLead(tx: Tx, leadId: number): Promise<void> {
  await sql`update crm_cards set pending_stage = null, retry_at = null, attempts = 0, error = null
             where lead_id = ${leadId} and pending_stage is not null`.execute(tx);
  await sql`update leads set crm_pending = false where id = ${leadId} and crm_pending`.execute(tx);
}

/** Record the step that is about to be sent; false if there is no pending stage any more, or another one. */
export async function recordSentStep(
  reader: Reader,
  { product_id: productId, card_id: cardId, pending_stage_version: no }: CardRow,
  target: { pipelineId: number; statusId: number },
): Promise<boolean> {
  const { rows } = await sql`
    update crm_cards set sent_pipeline_id = ${target.pipelineId}, sent_status_id = ${target.statusId}
     where product_id = ${productId} and card_id = ${cardId} and pending_stage_version = ${no} and pending_stage is not null
    returning 1`.execute(reader);
  return rows.length > 0;
}

/** Defer a failed write by a number of seconds; with null it is retried only on request. */
export async function deferStageWrite(
  reader: Reader,
  {
    card,
    seconds,
    error,
  }: { card: { productId: number; cardId: number; no: number }; seconds: number | null; error: string },
): Promise<void> {
  await sql`
    update crm_cards set attempts = attempts + 1, error = ${error.slice(0, 500)},
           retry_at = case when ${seconds}::float8 is null then 'infinity' else clock_timestamp() + make_interval(secs => ${seconds ?? 0}) end
     where product_id = ${card.productId} and card_id = ${card.cardId} and pending_stage_version = ${card.no}`.execute(
    reader,
  );
}

const DUE_STAGE_WRITES = sql`
  crm_cards c join amocrm_accounts a on a.crm_integration_id = c.crm_integration_id and a.state = 'connected'
   where c.pending_stage is not null and (c.retry_at is null or c.retry_at <= clock_timestamp()) and ${isUnclaimed('c')}`;

export const STAGE_WRITES_DUE_IN = dueIf(sql`exists (select 1 from ${DUE_STAGE_WRITES})`);

/** Find cards whose pending stage is due to be written. */
export async function findDueStageWrites(
  reader: Reader,
  limit: number,
): Promise<{ integration: number; product: number; card: number }[]> {
  const { rows } = await sql<{ integration: number; product: number; card: number }>`
    select c.crm_integration_id as integration, c.product_id as product, c.card_id as card from ${DUE_STAGE_WRITES} order by c.pending_stage_since limit ${limit}`.execute(
    reader,
  );
  return rows;
}

/** A card or contact that a hook named. */
export interface CrmChange {
  readonly integration: number;
  readonly entity: 'card' | 'person';
  readonly id: number;
}

/** Record that these may have changed, before anything else is done. */
export async function recordChanges(
  reader: Reader,
  integrationId: number,
  changes: { cards: readonly number[]; contacts: readonly number[] },
): Promise<void> {
  const ascending = (ids: readonly number[]) => [...ids].sort((a, b) => a - b);
  if (changes.cards.length + changes.contacts.length === 0) return;
  await sql`
    insert into crm_changes as c (crm_integration_id, entity, entity_id)
    select ${integrationId}::bigint, 'card', unnest(${ascending(changes.cards)}::bigint[])
    union all
    select ${integrationId}::bigint, 'person', unnest(${ascending(changes.contacts)}::bigint[])
    on conflict (crm_integration_id, entity, entity_id) do update
      set hook_count = c.hook_count + 1, reported_at = clock_timestamp(), retry_at = null, attempts = 0`.execute(
    reader,
  );
}

const DUE_CHANGES = sql`
  crm_changes c join amocrm_accounts a on a.crm_integration_id = c.crm_integration_id and a.state = 'connected'
   where (c.retry_at is null or c.retry_at <= clock_timestamp()) and ${isUnclaimed('c')}`;

export const CHANGES_DUE_IN = dueIf(sql`exists (select 1 from ${DUE_CHANGES})`);

export async function findDueChanges(reader: Reader, limit: number): Promise<CrmChange[]> {
  const { rows } = await sql<CrmChange>`
    select c.crm_integration_id as integration, c.entity, c.entity_id as id from ${DUE_CHANGES}
     order by c.reported_at limit ${limit}`.execute(reader);
  return rows;
}

/** Changes that an instance applies. */
export const CHANGES: Claimable<{ crm_integration_id: number; entity: string; entity_id: number }> = {
  table: 'crm_changes',
  key: { crm_integration_id: 'bigint', entity: 'text', entity_id: 'bigint' },
};

const matchesChange = ({ integration, entity, id }: CrmChange) =>
  sql`c.crm_integration_id = ${integration} and c.entity = ${entity} and c.entity_id = ${id}`;

/** Claim a change; undefined if there is none, it is not due, or another instance has claimed it. */
export async function claimChange(
  reader: Reader,
  change: CrmChange,
  claimant: Claimant,
): Promise<{ hook_count: number; attempts: number } | undefined> {
  const { rows } = await sql<{ hook_count: number; attempts: number }>`
    update crm_changes c set ${claim(claimant)}
     where ${matchesChange(change)} and (c.retry_at is null or c.retry_at <= clock_timestamp()) and ${isUnclaimed('c')}
    returning c.hook_count, c.attempts`.execute(reader);
  return rows[0];
}

export async function releaseChange(reader: Reader, change: CrmChange, instanceId: string): Promise<void> {
  await sql`update crm_changes c set ${release()} where ${matchesChange(change)} and c.claimed_by = ${instanceId}`.execute(
    reader,
  );
}

/** Delete a change after it was read, if no hook has come since: `hookCount` hooks had come when it was claimed. */
export async function deleteChange(reader: Reader, change: CrmChange, hookCount: number): Promise<void> {
  await sql`delete from crm_changes c where ${matchesChange(change)} and c.hook_count = ${hookCount}`.execute(reader);
}

export async function deferChange(reader: Reader, change: CrmChange, seconds: number): Promise<void> {
  await sql`update crm_changes c set attempts = c.attempts + 1, retry_at = clock_timestamp() + make_interval(secs => ${seconds})
             where ${matchesChange(change)}`.execute(reader);
}

/** Cards whose stage an instance writes. */
export const CARDS: Claimable<{ product_id: number; card_id: number }> = {
  table: 'crm_cards',
  key: { product_id: 'bigint', card_id: 'bigint' },
};

/** Claim the pending stage of a card; undefined if there is none, it is not due, or another instance has claimed it. */
export async function claimPendingStage(
  reader: Reader,
  { productId, cardId, claimant }: { productId: number; cardId: number; claimant: Claimant },
): Promise<CardRow | undefined> {
  const { rows } = await sql<CardRow>`
    update crm_cards c set ${claim(claimant)}
     where c.product_id = ${productId} and c.card_id = ${cardId} and c.pending_stage is not null
       and (c.retry_at is null or c.retry_at <= clock_timestamp()) and ${isUnclaimed('c')}
    returning ${CARD_COLUMNS}, false as read_later`.execute(reader);
  return rows[0];
}

export async function releasePendingStage(
  reader: Reader,
  { productId, cardId, instanceId }: { productId: number; cardId: number; instanceId: string },
): Promise<void> {
  await sql`update crm_cards set ${release()}
             where product_id = ${productId} and card_id = ${cardId} and claimed_by = ${instanceId}`.execute(reader);
}

/** Count what waits for an integration: reads, writes, and writes that were refused (notes and tasks of hand-overs too). */
export async function countPending(
  reader: Reader,
  integrationId: number,
): Promise<{ cards: number; to_read: number; to_write: number; refused: number; refusal: string | null }> {
  const { rows } = await sql<{
    cards: number;
    to_read: number;
    to_write: number;
    refused: number;
    refusal: string | null;
  }>`
    with of_cards as (
      select count(*) filter (where lead_id is not null) as cards,
             count(*) filter (where pending_stage is not null and retry_at is distinct from 'infinity') as to_write,
             count(*) filter (where pending_stage is not null and retry_at = 'infinity') as refused,
             max(error) filter (where pending_stage is not null and retry_at = 'infinity') as refusal
        from crm_cards where crm_integration_id = ${integrationId}
    ), of_hand_overs as (
      select count(*) as refused, max(h.error) as refusal
        from hand_overs h join crm_cards c on c.product_id = h.product_id and c.lead_id = h.lead_id
       where h.crm_state = 'failed' and c.crm_integration_id = ${integrationId}
    )
    select c.cards, (select count(*) from crm_changes where crm_integration_id = ${integrationId}) as to_read, c.to_write,
           c.refused + h.refused as refused, coalesce(c.refusal, h.refusal) as refusal
      from of_cards c, of_hand_overs h`.execute(reader);
  return rows[0] ?? { cards: 0, to_read: 0, to_write: 0, refused: 0, refusal: null };
}

export async function leadBelongsToCompany(reader: Reader, leadId: number, companyId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from leads l join products p on p.id = l.product_id
                              where l.id = ${leadId} and p.company_id = ${companyId}`.execute(reader);
  return rows.length > 0;
}

/** Find the product's first active integration; `foreign` if the product belongs to another company. */
export async function findFirstIntegration(
  reader: Reader,
  productId: number,
  companyId: number,
): Promise<{ crm_integration_id: number; config: IntegrationConfig } | 'foreign' | null> {
  const { rows } = await sql<{ crm_integration_id: number | null; config: IntegrationConfig }>`
    select i.id as crm_integration_id, x.config
      from products p
      left join product_integrations x on x.product_id = p.id
      left join crm_integrations i on i.id = x.crm_integration_id and i.is_active
     where p.id = ${productId} and p.company_id = ${companyId} order by i.id is null, x.id limit 1`.execute(reader);
  const [row] = rows;
  if (!row) return 'foreign';
  return row.crm_integration_id === null ? null : { crm_integration_id: row.crm_integration_id, config: row.config };
}

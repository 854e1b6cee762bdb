/** All SQL statements about what was left out of a sync. All times are of the database's real clock. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db.ts';
import type { SkippedEntity, SkippedItem } from '../amocrmContract.ts';
import { recordChanges } from './cards.ts';

export interface NewSkip {
  readonly entity: Exclude<SkippedEntity, 'address'>;
  readonly id: string;
  readonly reason: string;
}

/** Record what was left out, once however often that happens. */
export async function recordSkipped(reader: Reader, integrationId: number, skips: readonly NewSkip[]): Promise<void> {
  // One statement may not change a row twice, and two at once must change rows in the same order.
  const unique = [...new Map(skips.map((one) => [`${one.entity} ${one.id}`, one])).entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, one]) => one);
  if (unique.length === 0) return;
  await sql`
    insert into crm_skipped as s (crm_integration_id, entity, entity_id, reason)
    select ${integrationId}::bigint, x.entity, x.id, x.reason
      from unnest(${unique.map((one) => one.entity)}::text[], ${unique.map((one) => one.id)}::text[],
                  ${unique.map((one) => one.reason.slice(0, 500).toWellFormed())}::text[]) as x (entity, id, reason)
    on conflict (crm_integration_id, entity, entity_id) do update
      set reason = excluded.reason, times = s.times + 1, last_at = clock_timestamp()`.execute(reader);
}

/** Forget what was left out before and has been read now, or is gone. */
export async function clearSkipped(
  reader: Reader,
  integrationId: number,
  { entity, ids }: { entity: NewSkip['entity']; ids: readonly number[] },
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    delete from crm_skipped
     where crm_integration_id = ${integrationId} and entity = ${entity} and entity_id = any(${ids.map(String)}::text[])`.execute(
    reader,
  );
}

/** Replace what was left out of the directory: pipelines, steps and fields. */
export async function replaceSkippedNames(tx: Tx, integrationId: number, skips: readonly NewSkip[]): Promise<void> {
  await sql`
    delete from crm_skipped s
     where crm_integration_id = ${integrationId} and entity in ('pipeline', 'step', 'field')
       and not exists (select 1 from unnest(${skips.map((one) => one.entity)}::text[], ${skips.map((one) => one.id)}::text[]) as x (entity, id)
                        where x.entity = s.entity and x.id = s.entity_id)`.execute(tx);
  await recordSkipped(tx, integrationId, skips);
}

/** Read everything again that was left out: by its id where it has one, else by the full sync that is requested too. */
export async function retrySkipped(tx: Tx, integrationId: number): Promise<void> {
  await sql`delete from crm_skipped where crm_integration_id = ${integrationId} and entity_id = ''`.execute(tx);
  const { rows } = await sql<{ entity: 'card' | 'contact'; id: number }>`
    select entity, entity_id::bigint as id from crm_skipped
     where crm_integration_id = ${integrationId} and entity in ('card', 'contact')`.execute(tx);
  const refused = await sql<{ id: number }>`
    update crm_cards set reread_addresses = true
     where crm_integration_id = ${integrationId} and lead_id is not null and refused_addresses is not null
    returning card_id as id`.execute(tx);
  const cards = [...rows.filter((one) => one.entity === 'card'), ...refused.rows].map((one) => one.id);
  const contacts = rows.filter((one) => one.entity === 'contact').map((one) => one.id);
  await recordChanges(tx, integrationId, { cards: [...new Set(cards)], contacts });
}

const SKIPPED = (integrationId: number) => sql`
  select entity, entity_id, reason, times, first_at, last_at, null::bigint as lead_id, null::bigint as product_id
    from crm_skipped where crm_integration_id = ${integrationId}
  union all
  select 'address', card_id::text, refused_addresses, 1, refused_at, refused_at, lead_id, product_id
    from crm_cards where crm_integration_id = ${integrationId} and refused_addresses is not null and lead_id is not null`;

/** Read the newest of what was left out. */
export async function readSkipped(
  reader: Reader,
  integrationId: number,
  limit: number,
): Promise<Omit<SkippedItem, 'url'>[]> {
  const { rows } = await sql<Omit<SkippedItem, 'url'>>`
    select * from (${SKIPPED(integrationId)}) s order by last_at desc, entity, entity_id limit ${limit}`.execute(
    reader,
  );
  return rows;
}

/** Count what was left out, by its kind. */
export async function countSkipped(
  reader: Reader,
  integrationId: number,
): Promise<Partial<Record<SkippedEntity, number>>> {
  const { rows } = await sql<{ entity: SkippedEntity; count: number }>`
    select entity, count(*) as count from (${SKIPPED(integrationId)}) s group by entity`.execute(reader);
  return Object.fromEntries(rows.map((row) => [row.entity, row.count]));
}

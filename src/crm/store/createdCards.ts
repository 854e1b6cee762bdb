/** Decide which of several cards is the one that was just created, as far as we can tell. */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';
import type { CardCandidate } from '../amocrm/createCard.ts';

/** Largest difference between the CRM's clock and ours, in seconds. */
const SKEW_SECONDS = 60;

/** Find the newest card that was created since `since` (real clock) and was not known here before. */
export async function findCardCreatedSince(
  reader: Reader,
  { productId, candidates, since }: { productId: number; candidates: readonly CardCandidate[]; since: string },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select m.id from unnest(${candidates.map((one) => one.id)}::bigint[], ${candidates.map((one) => one.createdAt)}::bigint[]) as m (id, created)
     where m.created >= extract(epoch from domain_now() - (clock_timestamp() - ${since}::timestamptz)) - ${SKEW_SECONDS}
       and not exists (select 1 from crm_cards c where c.product_id = ${productId} and c.card_id = m.id and c.read_at < ${since}::timestamptz)
     order by m.id desc limit 1`.execute(reader);
  return rows[0]?.id;
}

/** Read what is shown of a lead's card. */
import { sql } from 'kysely';
import type { Stage } from '../../leads/contract.ts';
import type { Reader } from '../../platform/db.ts';

interface LeadCardRow {
  readonly id: number;
  readonly integration_id: number;
  readonly pipeline_id: number | null;
  readonly status_id: number | null;
  readonly read_at: string | null;
  readonly wish: Stage | null;
  readonly error: string | null;
  readonly note: string | null;
}

/** Find the card for a lead's page; if the lead has several, prefer the one with its CRM id. */
export async function findLeadCard(reader: Reader, leadId: number): Promise<LeadCardRow | undefined> {
  const { rows } = await sql<LeadCardRow>`
    select c.card_id as id, c.crm_integration_id as integration_id, c.pipeline_id, c.status_id, c.read_at, c.pending_stage as wish,
           c.error, coalesce(c.note, 'Not imported: ' || c.refused_addresses) as note
      from crm_cards c join leads l on l.id = c.lead_id
     where c.lead_id = ${leadId} order by (l.crm_id = c.card_id::text) desc, c.card_id desc limit 1`.execute(reader);
  return rows[0];
}

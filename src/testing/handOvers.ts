/** Hand-overs in a world: as the bot or stage detection stores them, and what became of them. */
import type { DialogueHandOver } from '../conversations/handOverContract.ts';
import type { TestLead, World } from './world.ts';

type StoredHandOver = Pick<
  DialogueHandOver,
  'id' | 'summary' | 'summary_state' | 'summary_error' | 'crm_state' | 'crm_note_id' | 'crm_task_id' | 'crm_error'
> & { readonly marker: string };

/** Hand a lead's dialogue over. Returns the hand-over's id. */
export async function handOver({ pool }: World, lead: TestLead, minutes = 15): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into hand_overs (product_id, dialogue_id, lead_id, turn, reason, due_at)
     select d.product_id, d.id, $1, d.turn, 'qualified', domain_now() + make_interval(mins => $2)
       from dialogues d where d.contact_id = $3
     returning id`,
    [lead.leadId, minutes, lead.contactId],
  );
  return Number(rows[0]?.id);
}

/** Read a hand-over. */
export async function readHandOver({ pool }: World, id: number): Promise<StoredHandOver> {
  const { rows } = await pool.query<StoredHandOver>(
    `select id::int, summary, summary_state, summary_error, crm_state, crm_note_id, crm_task_id, error as crm_error,
            'Rapport #' || left(replace(crm_marker::text, '-', ''), 12) as marker
       from hand_overs where id = $1`,
    [id],
  );
  const [row] = rows;
  if (!row) throw new Error('There is no such hand-over');
  return row;
}

/** Put a lead's card on the board, as if the lead had come from there. Returns the card's id. */
export async function putCard(
  { control, pool }: World,
  lead: TestLead,
  place: { readonly integration: number; readonly status_id: number },
): Promise<number> {
  const { id } = await control.amocrm.makeCard({ name: lead.name, status_id: place.status_id });
  await pool.query(
    `insert into crm_cards (product_id, card_id, crm_integration_id, lead_id)
     select product_id, $2, $3, id from leads where id = $1`,
    [lead.leadId, id, place.integration],
  );
  await pool.query('update leads set crm_id = $2 where id = $1', [lead.leadId, String(id)]);
  return id;
}

/** A lead whom nobody had written to is begun with the first message of ours that left, however that became known. */
import { changeStage } from '../leads/changeStage.ts';
import { readLead } from '../leads/known.ts';
import type { Tx } from '../platform/db.ts';
import { silence } from './ownership.ts';
import { surroundings } from './store/dialogues.ts';
import type { MessageRow } from './store/tables.ts';

/** Who moves a lead whose first message was accepted. */
export const BY_FIRST = 'first message';

/** A message of ours to this lead has left. */
export async function noteBegun(tx: Tx, leadId: number): Promise<void> {
  const lead = await readLead(tx, leadId);
  if (lead?.stage === 'initial') await changeStage(tx, leadId, 'started', BY_FIRST, silence);
}

/** The same where the vendor's answer was lost: `message` as it stood before it was known to have left. */
export async function noteFound(tx: Tx, message: MessageRow): Promise<void> {
  if (message.status !== 'sending' && message.status !== 'unconfirmed') return;
  const around = await surroundings(tx, message.dialogue_id);
  if (around) await noteBegun(tx, around.lead_id);
}

/** A lead whom nobody had written to is begun with the first message of ours that left, however that became known. */
import { changeStage } from '../leads/changeStage.ts';
import { readLead } from '../leads/publicApi.ts';
import type { Tx } from '../platform/db.ts';
import { cancelPending } from './ownership.ts';
import { findDialogueContext } from './store/dialogues.ts';
import type { MessageRow } from './store/tables.ts';

/** Who moves a lead whose first message was accepted. */
export const STARTED_BY_FIRST_MESSAGE = 'first message';

/** A message of ours to this lead has left. */
export async function markStarted(tx: Tx, leadId: number): Promise<void> {
  const lead = await readLead(tx, leadId);
  if (lead?.stage === 'initial') await changeStage(tx, leadId, 'started', STARTED_BY_FIRST_MESSAGE, cancelPending);
}

/** The same where the vendor's answer was lost: `message` as it stood before it was known to have left. */
export async function markStartedIfUnsettled(tx: Tx, message: MessageRow): Promise<void> {
  if (message.status !== 'sending' && message.status !== 'unconfirmed') return;
  const dialogueContext = await findDialogueContext(tx, message.dialogue_id);
  if (dialogueContext) await markStarted(tx, dialogueContext.lead_id);
}

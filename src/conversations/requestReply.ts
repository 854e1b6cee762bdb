import { changeDialogues } from '../engine/steps/changeDialogues.ts';
import type { Tx } from '../platform/db.ts';
import { wakeSweep } from '../platform/notifications.ts';
import { TURNS_SWEEP } from './store/dialogues.ts';

/** Have the bot answer a dialogue at once. */
export async function requestReply(tx: Tx, id: number): Promise<void> {
  await changeDialogues(tx, { dialogueIds: [id] }, { kind: 'reply_requested' });
  wakeSweep(tx, TURNS_SWEEP);
}

import { leaveToBot } from '../conversations/ownership.ts';
import { findWaitingSince } from '../conversations/store/attention.ts';
import { lockDialogue } from '../conversations/store/dialogues.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import { changeDialogues } from '../engine/steps/changeDialogues.ts';
import type { Tx } from '../platform/db.ts';

/** The lead does not get a message: whoever it was to answer waits again. In a dialogue of the bot, the bot answers. */
export async function reopenWait(
  tx: Tx,
  { dialogue_id: id, author }: Pick<MessageRow, 'dialogue_id' | 'author'>,
): Promise<void> {
  const since = await findWaitingSince(tx, id);
  const where = { dialogueIds: [id] };
  await changeDialogues(tx, where, { kind: 'wait_reopened', since: since === null ? null : Date.parse(since) });
  const dialogue = await lockDialogue(tx, id);
  const isBotIdle = dialogue?.owner === 'bot' && dialogue.turn_due_at === null;
  if (isBotIdle && author === 'operator') await leaveToBot(tx, id);
}

/** Gives dialogues back to the bot in which no person has written for as long as their product says. */
import { giveBackToBot } from '../conversations/ownership.ts';
import { lockDialogue } from '../conversations/store/dialogues.ts';
import type { AppContext } from '../platform/appContext.ts';
import { findDueReturns, isReturnDue } from './store.ts';

const LIMIT = 100;

/** Return what is due. Resolves to true if more may be due. */
export async function returnDueDialogues(context: AppContext): Promise<boolean> {
  const ids = await findDueReturns(context.reader, LIMIT);
  for (const id of ids)
    await context.transact(async (tx) => {
      const dialogue = await lockDialogue(tx, id);
      if (dialogue && (await isReturnDue(tx, id)))
        await giveBackToBot(tx, dialogue, { by: 'no message from a person' });
    });
  return ids.length === LIMIT;
}

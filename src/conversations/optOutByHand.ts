/** Writing by hand to a person who asked for no more messages, or may have: it has to be confirmed. */
import { type OptOutRow, readOptOut } from '../leads/store/optOuts.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { refuse } from '../platform/refuse.ts';
import { conversationRefusals } from './refusals.ts';
import { hasInboundSince } from './store/messages.ts';

/**
 * Refuse to write to a person who wants no more messages, or may, unless the operator has confirmed it. An answer needs no
 * confirmation: the person has written in the dialogue since, or what may be such a wish is answered there.
 */
export async function requireOptOutConfirmed(
  tx: Tx,
  { cipher }: Pick<AppContext, 'cipher'>,
  { leadId, dialogueId, isConfirmed }: { leadId: number; dialogueId: number; isConfirmed: boolean },
): Promise<void> {
  if (isConfirmed) return;
  const optOut = await readOptOut(tx, cipher, leadId);
  if (!optOut || (await isAnswered(tx, optOut, dialogueId))) return;
  throw refuse(conversationRefusals, optOut.state === 'certain' ? 'person.opted_out' : 'person.may_opt_out');
}

function isAnswered(tx: Tx, { state, since, message_id: messageId }: OptOutRow, dialogueId: number): Promise<boolean> {
  // A doubtful message may itself be answered.
  const after = messageId !== null && state === 'doubtful' ? messageId - 1 : messageId;
  return hasInboundSince(tx, { dialogueId, after, since });
}

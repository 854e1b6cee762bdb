/** Reads the conversation behind a reply of ours. */

import type { AnswerOf } from '../platform/contract.ts';
import type { Reader } from '../platform/db.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { conversationOfAnswer } from './runsContract.ts';
import { findHistory, findParts } from './store/messages.ts';
import { HISTORY_LIMIT, toModelMessages } from './systemPrompt.ts';

/** Return what the model was given when it wrote a message. Throws not_found. */
export async function readConversationOfAnswer(
  reader: Reader,
  messageId: number,
): Promise<AnswerOf<typeof conversationOfAnswer>> {
  const parts = await findParts(reader, messageId);
  const [firstPart] = parts;
  if (!firstPart) throw refuse(commonRefusals, 'not_found', { noun: 'message' });
  const messages = await findHistory(reader, {
    dialogueId: firstPart.dialogue_id,
    limit: HISTORY_LIMIT,
    before: firstPart.id,
  });
  const { dialogue_id, lead_id, lead_name, prompt_id, prompt_version, model_vendor, model_name } = firstPart;
  return {
    talk: toModelMessages(messages),
    answer: parts.map((part) => part.message).join('\n\n'),
    dialogue_id,
    lead_id,
    lead_name,
    prompt_id,
    prompt_version,
    model_vendor,
    model_name,
  };
}

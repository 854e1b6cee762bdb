/** The talk behind an answer of ours. */
import { HISTORY, turns } from '../chatbot/compose.ts';
import type { AnswerOf } from '../platform/contract.ts';
import type { Reader } from '../platform/db.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { talkOfAnswer } from './runsContract.ts';
import { history, partsOf } from './store/messages.ts';

/** What the model was given when it wrote a message. Throws not_found. */
export async function readTalk(reader: Reader, messageId: number): Promise<AnswerOf<typeof talkOfAnswer>> {
  const parts = await partsOf(reader, messageId);
  const [first] = parts;
  if (!first) throw refuse(commonRefusals, 'not_found', { noun: 'message' });
  const said = await history(reader, first.dialogue_id, HISTORY, first.id);
  const { dialogue_id, lead_id, lead_name, prompt_id, prompt_version, model_vendor, model_name } = first;
  return {
    talk: turns(said),
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

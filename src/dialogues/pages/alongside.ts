/** What the deletion of dialogues takes along, counted. */
import { countAmong } from '../../kit/allIds.ts';
import { t } from '../../kit/t.ts';
import { messages } from '../contract.ts';

/** A sentence. */
export async function alongsideDialogues(ids: readonly number[]): Promise<string> {
  const count = await countAmong(messages.list, 'dialogue_id', ids);
  return t('Also deleted: {{count}} messages.', { count, defaultValue_one: 'Also deleted: {{count}} message.' });
}

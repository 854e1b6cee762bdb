/** Counts what is deleted together with dialogues. */
import { countRowsOf } from '../../ui/fetchAllRows.ts';
import { t } from '../../ui/i18n.ts';
import { messages } from '../contract.ts';

/** Return a sentence with the number of messages deleted too. */
export async function dialogueCascadeCounts(ids: readonly number[]): Promise<string> {
  const count = await countRowsOf(messages.list, 'dialogue_id', ids);
  return t('Also deleted: {{count}} messages.', { count, defaultValue_one: 'Also deleted: {{count}} message.' });
}

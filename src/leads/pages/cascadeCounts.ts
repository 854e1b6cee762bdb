/** Describes what a deletion removes, with counts. */
import { dialogues } from '../../conversations/contract.ts';
import { countRowsOf } from '../../ui/fetchAllRows.ts';
import { t } from '../../ui/i18n.ts';
import { contacts, type Lead } from '../contract.ts';

/** Describe in a sentence what is deleted with a lead. */
export async function leadCascadeCounts(lead: Lead): Promise<string> {
  const [contactCount, dialogueCount] = await Promise.all([
    countRowsOf(contacts.list, 'lead_id', [lead.id]),
    countRowsOf(dialogues.list, 'lead_id', [lead.id]),
  ]);
  return t('Also deleted: {{contacts}}, {{dialogues}} with their messages, and its events.', {
    contacts: t('{{count}} contacts', { count: contactCount, defaultValue_one: '{{count}} contact' }),
    dialogues: t('{{count}} dialogues', { count: dialogueCount, defaultValue_one: '{{count}} dialogue' }),
  });
}

/** Describe in a sentence what is deleted with contacts; null if nothing else is. */
export async function contactCascadeCounts(ids: readonly number[]): Promise<string | null> {
  const count = await countRowsOf(dialogues.list, 'contact_id', ids);
  if (count === 0) return null;
  return t('Also deleted: {{count}} dialogues with their messages.', {
    count,
    defaultValue_one: 'Also deleted: {{count}} dialogue with its messages.',
  });
}

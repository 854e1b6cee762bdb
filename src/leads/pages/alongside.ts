/** What a deletion takes along, counted. */
import { dialogues } from '../../dialogues/contract.ts';
import { countAmong } from '../../kit/allIds.ts';
import { t } from '../../kit/t.ts';
import { contacts, type Lead } from '../contract.ts';

/** What goes when a lead is deleted; a sentence. */
export async function alongsideLead(lead: Lead): Promise<string> {
  const [owned, talked] = await Promise.all([
    countAmong(contacts.list, 'lead_id', [lead.id]),
    countAmong(dialogues.list, 'lead_id', [lead.id]),
  ]);
  return t('With it go {{contacts}}, {{dialogues}} with their messages, and its events.', {
    contacts: t('{{count}} contacts', { count: owned, defaultValue_one: '{{count}} contact' }),
    dialogues: t('{{count}} dialogues', { count: talked, defaultValue_one: '{{count}} dialogue' }),
  });
}

/** What goes when contacts are deleted; a sentence, or null. */
export async function alongsideContacts(ids: readonly number[]): Promise<string | null> {
  const count = await countAmong(dialogues.list, 'contact_id', ids);
  if (count === 0) return null;
  return t('Also deleted: {{count}} dialogues with their messages.', {
    count,
    defaultValue_one: 'Also deleted: {{count}} dialogue with its messages.',
  });
}

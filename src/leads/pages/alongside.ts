/** What a deletion takes along, counted. */
import { dialogues } from '../../dialogues/contract.ts';
import { call } from '../../kit/api.ts';
import { t } from '../../kit/t.ts';
import { type Contact, contacts, type Lead } from '../contract.ts';

/** What goes when a lead is deleted; a sentence. */
export async function alongsideLead(lead: Lead): Promise<string> {
  const ofLead = { lead_id: [lead.id], limit: 1 };
  const [owned, talked] = await Promise.all([
    call(contacts.list, { query: ofLead }),
    call(dialogues.list, { query: ofLead }),
  ]);
  return t('With it go {{contacts}}, {{dialogues}} with their messages, and its events.', {
    contacts: t('{{count}} contacts', { count: owned.total ?? 0, defaultValue_one: '{{count}} contact' }),
    dialogues: t('{{count}} dialogues', { count: talked.total ?? 0, defaultValue_one: '{{count}} dialogue' }),
  });
}

/** What goes when a contact is deleted; a sentence, or null. */
export async function alongsideContact(contact: Contact): Promise<string | null> {
  const talked = await call(dialogues.list, { query: { contact_id: [contact.id], limit: 1 } });
  const count = talked.total ?? 0;
  if (count === 0) return null;
  return t('With it go {{count}} dialogues with their messages.', {
    count,
    defaultValue_one: 'With it goes {{count}} dialogue with its messages.',
  });
}

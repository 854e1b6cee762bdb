/** Dialogs of the message list: write a new message, or edit one that has not left yet. */
import { useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { contacts } from '../../leads/contract.ts';
import { call } from '../../ui/api.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { type Field, valuesOf } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { keyOf } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { editMessage, type Message, messages } from '../contract.ts';
import { contactsOf } from './dialogueForm.ts';

/** Choose the contact of a new message, then open the page that sends to it. */
export function NewMessageDialog({ productId, onClose }: { productId: number; onClose: () => void }) {
  const page = usePage();
  const source = contactsOf(productId);
  return (
    <FormDialog
      title={t('New {{noun}}', { noun: t(messages.resource) })}
      fields={[{ kind: 'select', name: 'contact_id', label: t('Lead'), source, required: true }]}
      initial={{ contact_id: '' }}
      submitLabel={t('Continue')}
      send={async (body) => {
        const { contact_id: id } = chosenContact.parse(body);
        return call(contacts.get, { params: { id } });
      }}
      onDone={({ id, contact }) => page.go('send-message', { contactId: id, contactName: contact })}
      onClose={onClose}
      draftKey={`message/new/${productId}`}
    />
  );
}

const chosenContact = z.object({ contact_id: z.int() });

export function EditMessageDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const refresh = useRefresh();
  const fields: Field[] = [{ kind: 'textarea', name: 'message', label: t('Message'), required: true }];
  return (
    <FormDialog
      title={t('Edit {{noun}}', { noun: t(messages.resource) })}
      fields={fields}
      initial={valuesOf(fields, message)}
      send={(body) => call(editMessage, { params: { id: message.id }, body: editMessage.body.parse(body) })}
      onDone={() => {
        toast.success(t('Message saved'));
        refresh();
      }}
      onClose={onClose}
      draftKey={`message/${message.id}`}
    />
  );
}

function useRefresh(): () => void {
  const cache = useQueryClient();
  return () => void cache.invalidateQueries({ queryKey: keyOf(messages.list) });
}

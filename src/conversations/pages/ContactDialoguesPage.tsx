import { contacts } from '../../leads/contract.ts';
import { t } from '../../ui/i18n.ts';
import { parseId, usePage } from '../../ui/page.ts';
import { useEndpoint } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { DialogueList } from './DialogueList.tsx';

/** The dialogues of one contact; the lead's id and name are kept for going back. */
export default function ContactDialoguesPage() {
  const page = usePage();
  const { product } = useScope();
  const { contactId, contactName, leadId, leadName } = page.params;
  const id = parseId(contactId);
  const contact = useEndpoint(contacts.get, { params: { id: id ?? 0 } }, { enabled: id !== null });
  const back = () =>
    leadId === undefined ? page.back('contacts') : page.back('crm-lead-contacts', { leadId, leadName });
  if (id === null) return null;
  const name = contact.data?.contact ?? contactName;
  return (
    <DialogueList
      title={name === undefined ? t('Dialogues') : t('Dialogues of {{name}}', { name })}
      description={t('The dialogues of one contact. A row opens the chat.')}
      productId={product?.id ?? null}
      contactId={id}
      onBack={back}
    />
  );
}

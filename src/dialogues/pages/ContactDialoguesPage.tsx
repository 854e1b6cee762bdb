import { Button } from '@mantine/core';
import { Notice } from '../../kit/Notice.tsx';
import { usePage } from '../../kit/page.ts';
import { useEndpoint } from '../../kit/query.ts';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { contacts } from '../../leads/contract.ts';
import { DialogueList } from './DialogueList.tsx';

/** The dialogues of one contact; the lead's id and name are kept for the way back. */
export default function ContactDialoguesPage() {
  const page = usePage();
  const { product } = useScope();
  const { contactId, contactName, leadId, leadName } = page.params;
  const id = Number(contactId ?? '');
  const known = Number.isSafeInteger(id) && id > 0;
  const contact = useEndpoint(contacts.get, { params: { id } }, { enabled: known });
  const back = () =>
    leadId === undefined ? page.back('contacts') : page.back('crm-lead-contacts', { leadId, leadName });
  if (!known) {
    return <Notice title={t('No contact is chosen')} action={<Button onClick={back}>{t('Go to contacts')}</Button>} />;
  }
  const name = contact.data?.contact ?? contactName;
  return (
    <DialogueList
      title={name === undefined ? t('Dialogues') : t('Dialogues of {{name}}', { name })}
      description={t('The dialogues of one contact. A row opens the chat.')}
      productId={contact.data?.product_id ?? product?.id ?? null}
      contactId={id}
      onBack={back}
    />
  );
}

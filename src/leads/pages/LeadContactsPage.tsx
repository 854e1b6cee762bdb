import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { useScope } from '../../ui/scope.ts';
import { ContactList } from './ContactList.tsx';
import { useLead } from './useLead.ts';

/** The contacts of one lead. */
export default function LeadContactsPage() {
  const page = usePage();
  const { product } = useScope();
  const { id, lead, name } = useLead();
  if (id === null) return null;
  return (
    <ContactList
      title={name === '' ? t('Contacts') : t('Contacts of {{name}}', { name })}
      description={t('The addresses of one lead. A row opens the dialogues of a contact.')}
      productId={product?.id ?? null}
      lead={{ id, data: lead }}
      returnParams={{ leadId: id, leadName: name }}
      onBack={() => page.back('lead-detail', { leadId: id })}
    />
  );
}

import { usePage } from '../../kit/page.ts';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
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
      lead={{ id, known: lead }}
      kept={{ leadId: id, leadName: name }}
      onBack={() => page.back('lead-detail', { leadId: id })}
    />
  );
}

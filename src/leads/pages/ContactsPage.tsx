import { t } from '../../ui/i18n.ts';
import { useScope } from '../../ui/scope.ts';
import { ContactList } from './ContactList.tsx';

/** All contacts of the selected product. */
export default function ContactsPage() {
  const { product } = useScope();
  return (
    <ContactList
      title={t('Contacts')}
      description={t('The addresses of all leads of the chosen product. A row opens the dialogues of a contact.')}
      productId={product?.id ?? null}
    />
  );
}

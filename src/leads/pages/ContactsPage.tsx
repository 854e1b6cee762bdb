import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { ContactList } from './ContactList.tsx';

/** All contacts of the chosen product. */
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

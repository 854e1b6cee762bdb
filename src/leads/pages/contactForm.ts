/** The form of a contact. */
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { type OptionSource, optionSource } from '../../ui/optionSource.ts';
import { type Contact, leads } from '../contract.ts';
import { contactTypeOptions } from './contactType.tsx';

/** Return the fields of a contact. `source` offers the leads to choose from; null: the lead is preset. */
export function contactFields(contact: Contact | null, source: OptionSource | null): Field[] {
  return [
    { kind: 'hidden', name: 'product_id', label: t('Product') },
    contact === null && source !== null
      ? { kind: 'select', name: 'lead_id', label: t('Lead'), source, required: true }
      : { kind: 'hidden', name: 'lead_id', label: t('Lead') },
    { kind: 'select', name: 'contact_type', label: t('Messenger'), options: contactTypeOptions(), required: true },
    {
      kind: 'text',
      name: 'contact',
      label: t('Address'),
      required: true,
      placeholder: t('+371 20 000 000 or @username'),
    },
    {
      kind: 'boolean',
      name: 'is_main',
      label: t('Main contact'),
      description: t('First messages are sent here rather than to other contacts.'),
    },
  ];
}

/** Return a product's leads as options, by name. */
export function leadSource(productId: number | null): OptionSource {
  return optionSource({
    resource: leads,
    labelOf: (lead) => lead.name,
    query: productId === null ? {} : { product_id: [productId] },
  });
}

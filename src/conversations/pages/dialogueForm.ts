/** Form for creating or editing a dialogue. */
import { channelSource } from '../../channels/pages/shared/channelSource.ts';
import { contacts } from '../../leads/contract.ts';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { type OptionSource, optionSource } from '../../ui/optionSource.ts';
import type { ResourceForm } from '../../ui/ResourceDialogs.tsx';
import type { Scope } from '../../ui/scope.ts';
import { type Dialogue, dialogues } from '../contract.ts';

/** Return the form of dialogues of a product, or of one contact. */
export function dialogueForm(
  { company, productId }: { readonly company: Scope['company']; readonly productId: number | null },
  contactId?: number,
): ResourceForm<Dialogue> {
  return {
    crud: dialogues,
    fields: (dialogue) =>
      dialogueFields(dialogue, { productId, companyId: company?.id ?? null, isContactPreset: contactId !== undefined }),
    preset: { product_id: productId, contact_id: contactId ?? '', skip_ping_for_msg_id: null, is_main: true },
  };
}

interface FieldsOptions {
  readonly productId: number | null;
  readonly companyId: number | null;
  readonly isContactPreset: boolean;
}

const activeChannels = (companyId: number | null): OptionSource =>
  channelSource(companyId, { labelOf: ({ name }) => name, query: { is_active: [true] } });

/** Return the fields of a dialogue; null creates one, with a contact of the product or with the preset contact. */
function dialogueFields(dialogue: Dialogue | null, { productId, companyId, isContactPreset }: FieldsOptions): Field[] {
  const fixed = dialogue !== null;
  return [
    { kind: 'hidden', name: 'product_id', label: t('Product') },
    { kind: 'hidden', name: 'skip_ping_for_msg_id', label: t('Skipped ping') },
    fixed || isContactPreset
      ? { kind: 'hidden', name: 'contact_id', label: t('Contact') }
      : { kind: 'select', name: 'contact_id', label: t('Lead'), source: contactsOf(productId), required: true },
    fixed
      ? { kind: 'hidden', name: 'channel_id', label: t('Channel') }
      : { kind: 'select', name: 'channel_id', label: t('Channel'), source: activeChannels(companyId), required: true },
    {
      kind: 'text',
      name: 'chat_id',
      label: t('Chat id'),
      advanced: true,
      description: t("The vendor's id of the chat. Filled in by the first message."),
    },
    {
      kind: 'boolean',
      name: 'is_main',
      label: t('Main dialogue'),
      description: t('Follow-ups are sent in the main dialogue of a lead.'),
    },
  ];
}

/** Return a product's contacts as options, by lead name and address. */
export function contactsOf(productId: number | null): OptionSource {
  return optionSource({
    resource: contacts,
    labelOf: (contact) => t('{{name}} · {{contact}}', { name: contact.lead_name, contact: contact.contact }),
    query: productId === null ? {} : { product_id: [productId] },
  });
}

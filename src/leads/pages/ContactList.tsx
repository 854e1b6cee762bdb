/** A list of contacts, of a product or of one lead. */
import { IconMessages, IconSend } from '@tabler/icons-react';
import { useMemo } from 'react';
import { z } from 'zod';
import { uncheckedId } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import type { Column } from '../../ui/columns.ts';
import { DualTimestamp } from '../../ui/DualTimestamp.tsx';
import type { Filter } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import type { OptionSource } from '../../ui/optionSource.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { type PageParams, usePage } from '../../ui/page.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { ReferenceName } from '../../ui/ReferenceName.tsx';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { YesNo, yesNoFilter } from '../../ui/YesNo.tsx';
import { type Contact, contacts, type Lead } from '../contract.ts';
import { contactCascadeCounts } from './cascadeCounts.ts';
import { contactFields, leadSource } from './contactForm.ts';
import { ContactTypeBadge, contactTypeOptions } from './contactType.tsx';

interface ContactListProps {
  title: string;
  description: string;
  productId: number | null;
  /** The lead whose contacts are shown; without it, those of the product. */
  lead?: { id: number; data: Lead | undefined };
  /** Kept in the address of a contact's dialogues, for the way back. */
  returnParams?: PageParams;
  onBack?: () => void;
}

export function ContactList({ title, description, productId, lead, returnParams = {}, onBack }: ContactListProps) {
  const page = usePage();
  const leadNames = useMemo(() => leadSource(productId), [productId]);
  const zone = lead?.data?.timezone ?? null;
  const ofOneLead = lead !== undefined;
  const columns = useMemo(() => contactColumns(ofOneLead ? null : leadNames, zone), [ofOneLead, leadNames, zone]);
  const dialoguesOf = (contact: Contact) => ({
    page: 'crm-contact-dialogues',
    params: { contactId: contact.id, contactName: contact.contact, ...returnParams },
  });
  return (
    <ResourcePage
      crud={contacts}
      title={title}
      description={description}
      columns={columns}
      filters={contactFilters(ofOneLead ? null : leadNames)}
      fixedQuery={ofOneLead ? { lead_id: lead.id } : { product_id: productId }}
      nameOf={(contact) => contact.contact}
      assistantFields={({ lead_id, contact_type, is_main }) => ({ lead_id, contact_type, is_main })}
      assistant={[writeMessageTool((contact) => page.go('send-message', contact))]}
      rowLink={dialoguesOf}
      form={{
        crud: contacts,
        fields: (contact) => contactFields(contact, ofOneLead ? null : leadNames),
        preset: {
          product_id: lead?.data?.product_id ?? productId,
          lead_id: lead?.id ?? '',
        },
        allowAssistant: true,
      }}
      removal={{
        crud: contacts,
        cascadeCounts: ({ id }) => contactCascadeCounts([id]),
        bulkCascadeCounts: contactCascadeCounts,
      }}
      actions={(contact) => {
        const { page: key, params } = dialoguesOf(contact);
        return [
          {
            label: t('Send Message'),
            icon: IconSend,
            run: () => page.go('send-message', { contactId: contact.id, contactName: contact.contact }),
          },
          { label: t('Dialogues'), icon: IconMessages, run: () => page.go(key, params) },
        ];
      }}
      {...(onBack ? { onBack } : {})}
    />
  );
}

/** @param open opens the form of a message to a contact. */
function writeMessageTool(open: (params: { contactId: number; contactName: string }) => void): ToolWithHandler {
  return pageTool({
    name: 'write_to_contact',
    description: t('Opens the message form for a contact by its id. Sends nothing.'),
    input: z.strictObject({ id: uncheckedId }),
    run: async ({ id }) => {
      const { contact } = await call(contacts.get, { params: { id } });
      open({ contactId: id, contactName: contact });
      return { status: 'opened', contact };
    },
  });
}

function contactColumns(leadNames: OptionSource | null, zone: string | null): Column<Contact>[] {
  return [
    {
      key: 'contact',
      label: t('Address'),
      sort: 'contact',
      primary: true,
      span: 1.9,
      render: (contact) => contact.contact,
    },
    ...(leadNames === null
      ? []
      : [
          {
            key: 'lead_id',
            label: t('Lead'),
            span: 1.75,
            render: (contact: Contact) => (
              <PageLink to="lead-detail" params={{ leadId: contact.lead_id }}>
                <ReferenceName source={leadNames} id={contact.lead_id} />
              </PageLink>
            ),
          },
        ]),
    {
      key: 'contact_type',
      label: t('Messenger'),
      sort: 'contact_type',
      span: 1.5,
      render: (contact) => <ContactTypeBadge type={contact.contact_type} />,
    },
    {
      key: 'is_main',
      label: t('Main'),
      sort: 'is_main',
      span: 1.25,
      render: (contact) => <YesNo value={contact.is_main} yes={t('Main')} no={t('Other')} />,
    },
    {
      key: 'id',
      label: t('ID'),
      sort: 'id',
      span: 1,
      number: true,
      hiddenByDefault: true,
      render: (contact) => contact.id,
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.35,
      render: (contact) => <DualTimestamp iso={contact.created_at} zone={zone} />,
    },
  ];
}

function contactFilters(leadNames: OptionSource | null): Filter[] {
  return [
    ...(leadNames === null ? [] : [{ kind: 'source' as const, name: 'lead_id', label: t('Lead'), source: leadNames }]),
    { kind: 'options', name: 'contact_type', label: t('Messenger'), options: contactTypeOptions() },
    yesNoFilter({ name: 'is_main', label: t('Main'), yes: t('Main'), no: t('Other') }),
  ];
}

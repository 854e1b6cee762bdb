import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../ui/api.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { valuesOf } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { QueryList } from '../../ui/QueryList.tsx';
import { keyOf, useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import { toast } from '../../ui/toast.ts';
import { contacts, type Lead } from '../contract.ts';
import { contactFields } from './contactForm.ts';
import { ContactTypeBadge } from './contactType.tsx';
import { leadContactsArgs } from './leadQueries.ts';

/** The contacts of a lead. */
export function LeadContacts({ lead }: { lead: Lead }) {
  const cache = useQueryClient();
  const [adding, setAdding] = useState(false);
  const list = useEndpoint(contacts.list, leadContactsArgs(lead.id));
  const returnParams = { leadId: lead.id, leadName: lead.name };
  const fields = contactFields(null, null);
  return (
    <Section
      title={t('Contacts')}
      actions={
        <>
          <Text size="sm">
            <PageLink to="crm-lead-contacts" params={returnParams}>
              {t('All contacts')}
            </PageLink>
          </Text>
          <Button size="xs" variant="default" leftSection={<IconPlus size="1rem" />} onClick={() => setAdding(true)}>
            {t('Add contact')}
          </Button>
        </>
      }
    >
      <QueryList query={list} entity={t(contacts.plural)}>
        {({ items }) => (
          <Stack gap="xs">
            {items.map((contact) => (
              <Group key={contact.id} gap="xs">
                <ContactTypeBadge type={contact.contact_type} />
                <Text size="sm">
                  <PageLink
                    to="crm-contact-dialogues"
                    params={{ contactId: contact.id, contactName: contact.contact, ...returnParams }}
                  >
                    {contact.contact}
                  </PageLink>
                </Text>
                {contact.is_main && <Badge color="gray">{t('Main')}</Badge>}
                <Text size="sm" ml="auto">
                  <PageLink to="send-message" params={{ contactId: contact.id, contactName: contact.contact }}>
                    {t('Send message')}
                  </PageLink>
                </Text>
              </Group>
            ))}
          </Stack>
        )}
      </QueryList>
      {adding && (
        <FormDialog
          title={t('New {{noun}}', { noun: t(contacts.resource) })}
          fields={fields}
          initial={valuesOf(fields, null, { lead_id: lead.id, product_id: lead.product_id })}
          submitLabel={t('Create')}
          send={(body) => call(contacts.create, { body: contacts.create.body.parse(body) })}
          onDone={(contact) => {
            toast.success(t('Created {{name}}', { name: contact.contact }));
            void cache.invalidateQueries({ queryKey: keyOf(contacts.list) });
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </Section>
  );
}

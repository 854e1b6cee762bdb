import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../kit/api.ts';
import { FormDialog } from '../../kit/FormDialog.tsx';
import { valuesOf } from '../../kit/form.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { PageLink } from '../../kit/PageLink.tsx';
import { keyOf, useEndpoint } from '../../kit/query.ts';
import { Section } from '../../kit/Section.tsx';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { contacts, type Lead } from '../contract.ts';
import { contactFields } from './contactForm.ts';
import { ContactTypeBadge } from './contactType.tsx';
import { contactsOfLead } from './talks.ts';

/** How a lead is reached. */
export function LeadContacts({ lead }: { lead: Lead }) {
  const cache = useQueryClient();
  const [adding, setAdding] = useState(false);
  const list = useEndpoint(contacts.list, contactsOfLead(lead.id));
  const kept = { leadId: lead.id, leadName: lead.name };
  const fields = contactFields(null, null);
  return (
    <Section
      title={t('Contacts')}
      actions={
        <>
          <Text size="sm">
            <PageLink to="crm-lead-contacts" params={kept}>
              {t('All contacts')}
            </PageLink>
          </Text>
          <Button size="xs" variant="default" leftSection={<IconPlus size="1rem" />} onClick={() => setAdding(true)}>
            {t('Add contact')}
          </Button>
        </>
      }
    >
      <Loaded query={list} entity={t(contacts.plural)}>
        {({ items }) => (
          <Stack gap="xs">
            {items.map((contact) => (
              <Group key={contact.id} gap="xs">
                <ContactTypeBadge type={contact.contact_type} />
                <Text size="sm">
                  <PageLink
                    to="crm-contact-dialogues"
                    params={{ contactId: contact.id, contactName: contact.contact, ...kept }}
                  >
                    {contact.contact}
                  </PageLink>
                </Text>
                {contact.is_main && <Badge color="gray">{t('Main')}</Badge>}
                <Text size="sm" ml="auto">
                  <PageLink to="send-message" params={{ contactId: contact.id, contactName: contact.contact }}>
                    {t('Write')}
                  </PageLink>
                </Text>
              </Group>
            ))}
          </Stack>
        )}
      </Loaded>
      {adding && (
        <FormDialog
          title={t('New {{noun}}', { noun: t(contacts.noun) })}
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

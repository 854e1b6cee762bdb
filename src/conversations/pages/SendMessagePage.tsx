import { Button, Skeleton, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { channels, listProductChannels } from '../../channels/contract.ts';
import { type Contact, contacts, leads } from '../../leads/contract.ts';
import { schedules } from '../../outreach/contract.ts';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLoading } from '../../ui/PageLoading.tsx';
import { parseId, usePage } from '../../ui/page.ts';
import { keyOf, useEndpoint } from '../../ui/query.ts';
import { dialogues } from '../contract.ts';
import { SendForm } from './SendForm.tsx';
import { findTargets } from './sending.ts';

/** Sends a message to the contact named in the URL; Back leads to the contacts of its lead. */
export default function SendMessagePage() {
  const page = usePage();
  const cache = useQueryClient();
  const params = { id: parseId(page.params.contactId) ?? 0 };
  const contact = useEndpoint(contacts.get, { params }, { enabled: params.id > 0 });
  const name = contact.data?.contact ?? page.params.contactName ?? '';
  const back = async () => {
    if (contact.error && !contact.data) return page.back('contacts');
    // While the contact loads, its lead is unknown.
    const loadedContact = await cache
      .ensureQueryData({ queryKey: keyOf(contacts.get, { params }), queryFn: () => call(contacts.get, { params }) })
      .catch(() => null);
    if (loadedContact === null) page.back('contacts');
    else page.back('crm-lead-contacts', { leadId: loadedContact.lead_id });
  };
  if (!contact.data)
    return (
      <PageLoading
        title={name === '' ? t('Send Message') : t('Send to {{name}}', { name })}
        entity={t('contact')}
        description={t('Sends a message to one contact.')}
        error={contact.error}
        onRetry={() => void contact.refetch()}
        onBack={() => void back()}
      />
    );
  return (
    <PageFrame title={t('Send to {{name}}', { name })} onBack={() => void back()}>
      <ToContact key={params.id} contact={contact.data} onBack={() => void back()} />
    </PageFrame>
  );
}

/** Load the channels on which the contact can be reached before showing the form. */
function ToContact({ contact, onBack }: { contact: Contact; onBack: () => void }) {
  const page = usePage();
  const { product_id: productId, contact_type: type } = contact;
  const lead = useEndpoint(leads.get, { params: { id: contact.lead_id } });
  const dialogueList = useEndpoint(
    dialogues.list,
    { query: { contact_id: [contact.id], limit: 100, with_total: false } },
    { staleTime: 0 },
  );
  const channelList = useEndpoint(channels.list, { query: { channel_type: [type], limit: 100 } });
  const links = useEndpoint(listProductChannels, { query: { product_id: [productId], limit: 100 } });
  const hours = useEndpoint(schedules.list, { query: { product_id: [productId], limit: 1 } });
  const queries = [lead, dialogueList, channelList, links, hours];
  const error = queries.find((query) => query.error)?.error;
  if (error) return <Failure error={error} onRetry={() => void Promise.all(queries.map((query) => query.refetch()))} />;
  if (!lead.data || !dialogueList.data || !channelList.data || !links.data || !hours.data) return <Loading />;
  const targets = findTargets(dialogueList.data.items, channelList.data.items, links.data.items);
  if (targets.length === 0) {
    return (
      <Notice
        title={t('This product has no active {{messenger}} channel', {
          messenger: type === 'telegram' ? 'Telegram' : 'WhatsApp',
        })}
        text={t('Link a channel to send messages.')}
        action={<Button onClick={() => page.go('settings-channel')}>{t('Go to Channel Settings')}</Button>}
      />
    );
  }
  return (
    <SendForm
      contact={contact}
      lead={lead.data}
      targets={targets}
      leadZone={lead.data.timezone ?? hours.data.items[0]?.timezone ?? 'UTC'}
      onCancel={onBack}
    />
  );
}

function Loading() {
  return (
    <Stack gap="md" maw="var(--rapport-form)" aria-busy>
      {[2, 8, 3, 3].map((height, index) => (
        <Skeleton key={`${index} ${height}`} height={`${height}rem`} />
      ))}
    </Stack>
  );
}

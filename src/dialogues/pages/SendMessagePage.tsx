import { Button, Skeleton, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { channels, listProductChannels } from '../../channels/contract.ts';
import { call } from '../../kit/api.ts';
import { Failure } from '../../kit/Failure.tsx';
import { Notice } from '../../kit/Notice.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { PageWaiting } from '../../kit/PageWaiting.tsx';
import { idIn, usePage } from '../../kit/page.ts';
import { keyOf, useEndpoint } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { type Contact, contacts, leads } from '../../leads/contract.ts';
import { schedules } from '../../outreach/contract.ts';
import { dialogues } from '../contract.ts';
import { SendForm } from './SendForm.tsx';
import { targetsOf } from './sending.ts';

/** Writes to the contact that the address names; back goes to the contacts of its lead. */
export default function SendMessagePage() {
  const page = usePage();
  const cache = useQueryClient();
  const params = { id: idIn(page.params.contactId) ?? 0 };
  const contact = useEndpoint(contacts.get, { params }, { enabled: params.id > 0 });
  const name = contact.data?.contact ?? page.params.contactName ?? '';
  const back = async () => {
    if (contact.error && !contact.data) return page.back('contacts');
    // While the contact loads, its lead is not known yet.
    const known = await cache
      .ensureQueryData({ queryKey: keyOf(contacts.get, { params }), queryFn: () => call(contacts.get, { params }) })
      .catch(() => null);
    if (known === null) page.back('contacts');
    else page.back('crm-lead-contacts', { leadId: known.lead_id });
  };
  if (!contact.data)
    return (
      <PageWaiting
        title={name === '' ? t('Send Message') : t('Send to {{name}}', { name })}
        entity={t('contact')}
        description={t('Writes to one contact.')}
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

/** Gathers where the contact can be written to before the form begins. */
function ToContact({ contact, onBack }: { contact: Contact; onBack: () => void }) {
  const page = usePage();
  const { product_id: productId, contact_type: type } = contact;
  const lead = useEndpoint(leads.get, { params: { id: contact.lead_id } });
  const talks = useEndpoint(
    dialogues.list,
    { query: { contact_id: [contact.id], limit: 100, with_total: false } },
    { staleTime: 0 },
  );
  const known = useEndpoint(channels.list, { query: { channel_type: [type], limit: 100 } });
  const links = useEndpoint(listProductChannels, { query: { product_id: [productId], limit: 100 } });
  const hours = useEndpoint(schedules.list, { query: { product_id: [productId], limit: 1 } });
  const all = [lead, talks, known, links, hours];
  const error = all.find((one) => one.error)?.error;
  if (error) return <Failure error={error} onRetry={() => void Promise.all(all.map((one) => one.refetch()))} />;
  if (!lead.data || !talks.data || !known.data || !links.data || !hours.data) return <Loading />;
  const targets = targetsOf(talks.data.items, known.data.items, links.data.items);
  if (targets.length === 0) {
    return (
      <Notice
        title={t('No active {{messenger}} channel is linked to the product', {
          messenger: type === 'telegram' ? 'Telegram' : 'WhatsApp',
        })}
        text={t('A message needs one to go out.')}
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

/** Page of the chosen company's outgoing webhooks. */
import { Group, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop, IconSend } from '@tabler/icons-react';
import { useMemo } from 'react';
import { products } from '../../products/contract.ts';
import type { Column } from '../../ui/columns.ts';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { ReferenceName } from '../../ui/ReferenceName.tsx';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { YesNo, yesNoFilter } from '../../ui/YesNo.tsx';
import { type Webhook, webhooks } from '../contract.ts';
import { useWebhookActions } from './useWebhookActions.ts';
import { eventLabel, eventOptions, StateBadge, webhookName } from './webhookLabels.tsx';
import { webhookTools } from './webhookTools.ts';

export default function WebhooksPage() {
  const { company } = useScope();
  const { test, toggle } = useWebhookActions();
  const columns = useMemo(webhookColumns, []);
  return (
    <ResourcePage
      crud={webhooks}
      title={t('Webhooks')}
      singular={t('webhook')}
      description={t(
        'Addresses of other systems that are sent what happens in the chosen company. A row opens what was sent.',
      )}
      columns={columns}
      filters={[yesNoFilter({ name: 'is_active', label: t('State'), yes: t('On'), no: t('Off') })]}
      fixedQuery={{ company_id: company?.id }}
      nameOf={webhookName}
      rowLink={({ id }) => ({ page: 'webhook', params: { webhookId: id } })}
      form={{
        crud: webhooks,
        fields: (webhook) => webhookFields(webhook, company?.id),
        preset: {
          company_id: company?.id,
          events: eventOptions().map(({ value }) => value),
          secret: newSecret(),
          is_active: true,
        },
      }}
      removal={{
        crud: webhooks,
        cascadeCounts: async () =>
          t('What waits for it is not sent any more, and the list of its deliveries is deleted.'),
      }}
      emptyText={t('No webhooks: nothing is sent to other systems.')}
      assistantFields={({ url, events, product_id, is_active, last_delivery }) => ({
        url,
        events,
        product_id,
        is_active,
        last_delivery,
      })}
      assistant={webhookTools()}
      actions={(webhook) => [
        ...(webhook.is_active ? [{ label: t('Send a test'), icon: IconSend, run: () => test(webhook) }] : []),
        webhook.is_active
          ? { label: t('Switch off'), icon: IconPlayerStop, run: () => toggle(webhook) }
          : { label: t('Switch on'), icon: IconPlayerPlay, run: () => toggle(webhook) },
      ]}
    />
  );
}

/** A random secret. It is made here, so that the server never has to show one. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

const productsOf = (companyId: number | undefined) =>
  optionSource({ resource: products, labelOf: ({ name }) => name, query: { company_id: companyId } });

function webhookColumns(): Column<Webhook>[] {
  const source = productsOf(undefined);
  return [
    { key: 'url', label: t('Address'), primary: true, span: 3, render: webhookName },
    {
      key: 'is_active',
      label: t('State'),
      sort: 'is_active',
      span: 1,
      render: ({ is_active }) => <YesNo value={is_active} yes={t('On')} no={t('Off')} />,
    },
    {
      key: 'last_delivery',
      label: t('Last delivery'),
      span: 2,
      render: ({ last_delivery: last }) =>
        last === null ? (
          t('None yet')
        ) : (
          <Group gap="xs" wrap="nowrap">
            <StateBadge state={last.state} />
            <Text span inherit c="dimmed">
              <Timestamp iso={last.created_at} />
            </Text>
          </Group>
        ),
    },
    {
      key: 'events',
      label: t('Events'),
      span: 1.75,
      render: ({ events }) => events.map(eventLabel).join(', '),
    },
    {
      key: 'product_id',
      label: t('Product'),
      span: 1.75,
      render: ({ product_id }) =>
        product_id === null ? t('All products') : <ReferenceName source={source} id={product_id} />,
    },
    { key: 'id', label: t('ID'), sort: 'id', number: true, span: 1, hiddenByDefault: true, render: ({ id }) => id },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      hiddenByDefault: true,
      render: ({ created_at }) => <Timestamp iso={created_at} />,
    },
  ];
}

function webhookFields(webhook: Webhook | null, companyId: number | undefined): Field[] {
  const isNew = webhook === null;
  return [
    {
      kind: 'text',
      name: 'url',
      label: t('Address'),
      placeholder: 'https://',
      required: true,
      description: t('Where the other system receives events, by POST.'),
    },
    { kind: 'checks', name: 'events', label: t('Events'), options: eventOptions(), required: true },
    {
      kind: 'text',
      name: 'secret',
      label: t('Secret'),
      required: true,
      description: isNew
        ? t('Copy it into the other system now, so that it can check signatures. The secret is not shown again.')
        : t('Leave unchanged to keep the stored secret. If you change the address, enter another one.'),
    },
    ...(isNew
      ? [
          { kind: 'hidden', name: 'company_id', label: t('Company') } as const,
          {
            kind: 'select',
            name: 'product_id',
            label: t('Product'),
            source: productsOf(companyId),
            description: t('If empty, the events of all products of the company are sent.'),
          } as const,
        ]
      : []),
    { kind: 'boolean', name: 'is_active', label: t('On'), description: t('When off, nothing is sent.') },
  ];
}

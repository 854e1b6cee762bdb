/** Page of one webhook: what it was sent, and what came of it. */
import { Button, Code, Modal, ScrollArea, Skeleton, Text } from '@mantine/core';
import { IconCode, IconRefresh, IconSend } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { Column } from '../../ui/columns.ts';
import { Failure } from '../../ui/Failure.tsx';
import type { Filter } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import { parseId, usePage } from '../../ui/page.ts';
import { useCall, useEndpoint } from '../../ui/query.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import { useRefresh } from '../../ui/useRefresh.ts';
import { YesNo } from '../../ui/YesNo.tsx';
import { readDeliveryBody, sendDeliveryAgain, type WebhookDelivery, webhookDeliveries, webhooks } from '../contract.ts';
import { useWebhookActions } from './useWebhookActions.ts';
import { deliveryName, eventLabel, StateBadge, stateOptions, webhookName } from './webhookLabels.tsx';
import { deliveryTools, refreshWebhooks, webhookTools } from './webhookTools.ts';

export default function WebhookPage() {
  const page = usePage();
  const id = parseId(page.params.webhookId) ?? 0;
  const webhook = useEndpoint(webhooks.get, { params: { id } }, { enabled: id > 0 }).data;
  const columns = useMemo(deliveryColumns, []);
  const { test } = useWebhookActions();
  const [opened, setOpened] = useState<WebhookDelivery | null>(null);
  const again = useCall(sendDeliveryAgain);
  const fixedQuery = useMemo(() => ({ webhook_id: [id] }), [id]);
  useRefresh(webhookDeliveries.list);
  const sendAgain = (delivery: WebhookDelivery) =>
    again.mutate(
      { params: { id: delivery.id } },
      {
        onSuccess: () => {
          toast.info(t('Sending {{name}} again', { name: deliveryName(delivery) }));
          void refreshWebhooks();
        },
        onError: toast.failure,
      },
    );
  return (
    <>
      <ResourcePage
        crud={webhookDeliveries}
        title={webhook ? webhookName(webhook) : t('Webhook')}
        singular={t('delivery')}
        description={t('What one webhook was sent, with the answers. Deliveries stay for 30 days.')}
        onBack={() => page.back('webhooks')}
        aside={webhook && <YesNo value={webhook.is_active} yes={t('On')} no={t('Off')} />}
        buttons={
          webhook?.is_active && (
            <Button size="xs" variant="default" leftSection={<IconSend size="1rem" />} onClick={() => test(webhook)}>
              {t('Send a test')}
            </Button>
          )
        }
        columns={columns}
        filters={deliveryFilters()}
        fixedQuery={fixedQuery}
        nameOf={deliveryName}
        emptyText={t('Nothing was sent in the last 30 days.')}
        assistantFields={({ event, event_id, state, attempts, response_status, error }) => ({
          event,
          event_id,
          state,
          attempts,
          response_status,
          error,
        })}
        assistant={[...webhookTools(), ...deliveryTools()]}
        actions={(delivery) => [
          { label: t('Show content'), icon: IconCode, run: () => setOpened(delivery) },
          { label: t('Send again'), icon: IconRefresh, run: () => sendAgain(delivery) },
        ]}
      />
      {opened && <Content delivery={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

/** What was sent. It is text from here, shown as it is. */
function Content({ delivery, onClose }: { delivery: WebhookDelivery; onClose: () => void }) {
  const body = useEndpoint(readDeliveryBody, { params: { id: delivery.id } });
  return (
    <Modal
      opened
      onClose={onClose}
      title={deliveryName(delivery)}
      size="xl"
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      {body.error && <Failure error={body.error} onRetry={() => body.refetch()} />}
      {body.data ? (
        <ScrollArea.Autosize mah="70vh" type="auto" viewportProps={{ tabIndex: 0 }}>
          <Code block>{JSON.stringify(body.data, null, 2)}</Code>
        </ScrollArea.Autosize>
      ) : (
        !body.error && <Skeleton height="12rem" aria-label={t('Loading {{entity}}...', { entity: t('content') })} />
      )}
    </Modal>
  );
}

function deliveryColumns(): Column<WebhookDelivery>[] {
  return [
    { key: 'event', label: t('Event'), primary: true, span: 1.7, render: ({ event }) => eventLabel(event) },
    { key: 'state', label: t('State'), span: 1.3, render: ({ state }) => <StateBadge state={state} /> },
    {
      key: 'created_at',
      label: t('Happened'),
      sort: 'created_at',
      span: 1.25,
      render: ({ created_at }) => <Timestamp iso={created_at} />,
    },
    { key: 'error', label: t('Answer'), span: 2.25, render: answerOf },
    {
      key: 'attempts',
      label: t('Attempts'),
      sort: 'attempts',
      number: true,
      span: 1.1,
      render: ({ attempts }) => attempts,
    },
    {
      key: 'next_attempt_at',
      label: t('Next attempt'),
      span: 1.4,
      render: ({ state, next_attempt_at: at }) =>
        at === null ? state === 'pending' ? t('Now') : '–' : <Timestamp iso={at} />,
    },
    { key: 'event_id', label: t('Event ID'), span: 2.5, hiddenByDefault: true, render: ({ event_id }) => event_id },
    {
      key: 'last_attempt_at',
      label: t('Last attempt'),
      span: 1.4,
      hiddenByDefault: true,
      render: ({ last_attempt_at: at }) => (at === null ? '–' : <Timestamp iso={at} />),
    },
    { key: 'id', label: t('ID'), sort: 'id', number: true, span: 1, hiddenByDefault: true, render: ({ id }) => id },
  ];
}

function answerOf({ error, response_status: status, attempts }: WebhookDelivery) {
  if (error !== null)
    return (
      <Text span inherit c="var(--mantine-color-error)">
        {error}
      </Text>
    );
  return status === null ? (attempts === 0 ? '–' : t('Under way')) : t('Received ({{status}})', { status });
}

function deliveryFilters(): Filter[] {
  return [
    { kind: 'options', name: 'state', label: t('State'), options: stateOptions() },
    { kind: 'days', name: 'created', label: t('Happened') },
  ];
}

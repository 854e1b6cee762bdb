import { Button } from '@mantine/core';
import { IconCheck, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { channels, channelVendors } from '../../channels/contract.ts';
import { companies } from '../../companies/contract.ts';
import { markSent, retryMessage } from '../../conversations/contract.ts';
import { MessageStatusBadge } from '../../conversations/pages/shared/status.tsx';
import {
  type DeliveryFailure,
  deliveryFailures,
  type FailureReason,
  listFailureReasons,
  retryBlocks,
} from '../../outbox/deliveryFailureContract.ts';
import { products } from '../../products/contract.ts';
import { call } from '../../ui/api.ts';
import type { Column } from '../../ui/columns.ts';
import { type Filter, filterParamNames } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import { listQuery, readListState, withoutPaging } from '../../ui/listState.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { PlainText } from '../../ui/PlainText.tsx';
import { usePage } from '../../ui/page.ts';
import { keyOf, useEndpoint } from '../../ui/query.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import type { RowAction } from '../../ui/RowMenu.tsx';
import { useProductZone } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import { REFRESH_MS, useRefresh } from '../../ui/useRefresh.ts';
import { deliveryFailureTools } from './deliveryFailureTools.ts';
import { blockReasonWords, stateWords, statusOfState } from './deliveryFailureWords.ts';
import { Reasons, reasonLabel } from './Reasons.tsx';
import type { Which } from './retry.ts';
import { SystemTabs } from './SystemTabs.tsx';

const RetryManyDialog = lazy(async () => ({ default: (await import('./RetryManyDialog.tsx')).RetryManyDialog }));

const CHANNELS = optionSource({ resource: channels, labelOf: ({ name }) => name });
const COMPANIES = optionSource({ resource: companies, labelOf: ({ name }) => name });
const PRODUCTS = optionSource({ resource: products, labelOf: ({ name }) => name });

const NO_REASONS: readonly FailureReason[] = [];

/** Delivery failures of all companies. */
export function DeliveryFailuresTab() {
  const page = usePage();
  const [asked, setAsked] = useState<Which | null>(null);
  const act = useRowAction();
  const columns = useMemo(() => failureColumns(act), [act]);
  useRefresh(deliveryFailures.list);
  const narrowing = useNarrowing(page.params);
  const reasons = useEndpoint(
    listFailureReasons,
    { query: { ...narrowing, reason_key: undefined } },
    { keepPrevious: true, refetchInterval: REFRESH_MS },
  );
  const items = reasons.data?.items ?? NO_REASONS;
  const filters = useMemo(() => failureFilters(items), [items]);
  return (
    <>
      <ResourcePage<DeliveryFailure>
        crud={deliveryFailures}
        title={t('System')}
        description={t(
          'Messages of all companies that failed, are unconfirmed, or were refused for now. A row opens its dialogue.',
        )}
        columns={columns}
        filters={filters}
        above={
          <>
            <SystemTabs />
            <Reasons items={items} />
          </>
        }
        nameOf={nameOf}
        emptyText={t('All messages were delivered or are on their way.')}
        rowLink={({ dialogue_id, id }) => ({
          page: 'dialogue-chat',
          params: { dialogueId: dialogue_id, messageId: id },
        })}
        actions={(row) => actionsOf(row, act)}
        bulk={{
          actions: ({ ids }) => (
            <Button
              size="xs"
              variant="light"
              leftSection={<IconRefresh size="1rem" />}
              onClick={() => setAsked({ narrowing: {}, ids: [...ids] })}
            >
              {t('Retry')}
            </Button>
          ),
        }}
        buttons={
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size="1rem" />}
            onClick={() => setAsked({ narrowing, ids: null })}
          >
            {t('Retry all matching')}
          </Button>
        }
        assistantFields={({ state, reason, lead_name, company_name, product_name, channel_name, thread_at }) => ({
          state,
          reason,
          lead_name,
          company_name,
          product_name,
          channel_name,
          thread_at,
        })}
        assistant={deliveryFailureTools()}
      />
      <Suspense>{asked && <RetryManyDialog which={asked} onClose={() => setAsked(null)} />}</Suspense>
    </>
  );
}

/** Return the list's present filters as the endpoints take them. */
function useNarrowing(params: Readonly<Record<string, string>>): Which['narrowing'] {
  const zone = useProductZone();
  const text = JSON.stringify(
    withoutPaging(
      listQuery(
        readListState(params, {
          orderBy: deliveryFailures.orderBy,
          filters: failureFilters(NO_REASONS).flatMap(filterParamNames),
          searchable: deliveryFailures.search.length > 0,
        }),
        zone,
      ),
    ),
  );
  return useMemo(() => listFailureReasons.query.parse(withNumericIds(JSON.parse(text))), [text]);
}

/** Convert ids, which are text in the URL, to numbers. */
function withNumericIds(narrowing: unknown): Record<string, unknown> {
  const entries = typeof narrowing === 'object' && narrowing !== null ? Object.entries(narrowing) : [];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name.endsWith('_id') && Array.isArray(value) ? value.map(Number) : value]),
  );
}

type RunAction = (endpoint: typeof retryMessage, row: DeliveryFailure, successText: string) => void;

function useRowAction(): RunAction {
  const cache = useQueryClient();
  const acting = useMutation({
    mutationFn: ({ endpoint, row }: { endpoint: typeof retryMessage; row: DeliveryFailure; successText: string }) =>
      call(endpoint, { params: { id: row.id } }),
    onSuccess: (_, { successText }) => toast.success(successText),
    onError: toast.failure,
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf(deliveryFailures.list) }),
  });
  const { mutate } = acting;
  return useCallback((endpoint, row, successText) => mutate({ endpoint, row, successText }), [mutate]);
}

const retry = (row: DeliveryFailure, act: RunAction): void => act(retryMessage, row, t('Sending again'));

function actionsOf(row: DeliveryFailure, act: RunAction): RowAction[] {
  if (row.state === 'refused') return [];
  const again = { label: t('Retry'), icon: IconRefresh, run: () => retry(row, act) };
  if (row.state === 'error') return [again];
  return [again, { label: t('Mark as sent'), icon: IconCheck, run: () => act(markSent, row, t('Marked as sent')) }];
}

const NAME_LENGTH = 40;

function nameOf({ message }: DeliveryFailure): string {
  const text = message.trim();
  return text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH)}…` : text;
}

function failureColumns(act: RunAction): Column<DeliveryFailure>[] {
  return [
    {
      key: 'message',
      label: t('Message'),
      primary: true,
      span: 2.3,
      render: ({ message }) => <PlainText text={message} />,
    },
    {
      key: 'state',
      label: t('State'),
      span: 1.7,
      render: ({ state }) =>
        state === 'refused' ? t(stateWords.refused) : <MessageStatusBadge status={statusOfState[state]} />,
    },
    { key: 'reason', label: t('Reason'), span: 2.3, render: ({ reason }) => reason ?? '–' },
    { key: 'lead', label: t('Dialogue with'), span: 1.4, hiddenByDefault: true, render: ({ lead_name }) => lead_name },
    {
      key: 'product',
      label: t('Product'),
      span: 1.4,
      hiddenByDefault: true,
      render: ({ product_name }) => product_name,
    },
    {
      key: 'thread_at',
      label: t('When'),
      sort: 'thread_at',
      span: 1.4,
      render: ({ thread_at }) => <Timestamp iso={thread_at} />,
    },
    {
      key: 'retry',
      label: t('Retry'),
      span: 1,
      render: (row) =>
        row.state === 'error' && (
          <Button size="compact-xs" variant="light" onClick={() => retry(row, act)}>
            {t('Retry')}
          </Button>
        ),
    },
    { key: 'company', label: t('Company'), hiddenByDefault: true, render: ({ company_name }) => company_name },
    { key: 'channel', label: t('Channel'), hiddenByDefault: true, render: ({ channel_name }) => channel_name },
    { key: 'vendor', label: t('Vendor'), span: 1.4, hiddenByDefault: true, render: ({ vendor }) => vendor },
    { key: 'code', label: t('Code'), span: 1, hiddenByDefault: true, render: ({ error_code }) => error_code ?? '–' },
    {
      key: 'retry_count',
      label: t('Retries'),
      span: 1,
      number: true,
      hiddenByDefault: true,
      render: ({ retry_count }) => retry_count,
    },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, hiddenByDefault: true, render: ({ id }) => id },
  ];
}

function failureFilters(reasons: readonly FailureReason[]): Filter[] {
  return [
    {
      kind: 'options',
      name: 'state',
      label: t('State'),
      options: Object.entries(stateWords).map(([value, label]) => ({ value, label: t(label) })),
    },
    {
      kind: 'options',
      name: 'vendor',
      label: t('Vendor'),
      options: channelVendors.map((vendor) => ({ value: vendor, label: vendor })),
    },
    { kind: 'source', name: 'channel_id', label: t('Channel'), source: CHANNELS },
    { kind: 'source', name: 'company_id', label: t('Company'), source: COMPANIES },
    { kind: 'source', name: 'product_id', label: t('Product'), source: PRODUCTS },
    {
      kind: 'options',
      name: 'reason_key',
      label: t('Reason'),
      options: [...new Map(reasons.map((one) => [one.reason_key, reasonLabel(one)]))].map(([value, label]) => ({
        value,
        label,
      })),
    },
    {
      kind: 'options',
      name: 'retry_block',
      label: t('Skipped because'),
      options: retryBlocks.map((value) => ({ value, label: t(blockReasonWords[value]) })),
    },
    { kind: 'days', name: 'created', label: t('Created') },
  ];
}

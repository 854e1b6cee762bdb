import { Button } from '@mantine/core';
import { IconCheck, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { channels, channelVendors } from '../../../channels/contract.ts';
import { companies } from '../../../companies/contract.ts';
import { markSent, retryMessage } from '../../../dialogues/contract.ts';
import { MessageStatusBadge } from '../../../dialogues/pages/status.tsx';
import { type Reason, readReasons, type Trouble, troubles } from '../../../dialogues/troubleContract.ts';
import { call } from '../../../kit/api.ts';
import type { Column } from '../../../kit/columns.ts';
import { type Filter, namesOf } from '../../../kit/filter.ts';
import { listQuery, narrowingOf, readListState } from '../../../kit/listState.ts';
import { Moment } from '../../../kit/Moment.tsx';
import { PlainText } from '../../../kit/PlainText.tsx';
import { usePage } from '../../../kit/page.ts';
import { keyOf, useEndpoint } from '../../../kit/query.ts';
import { ResourcePage } from '../../../kit/ResourcePage.tsx';
import type { RowAction } from '../../../kit/RowMenu.tsx';
import { useProductZone } from '../../../kit/scope.ts';
import { sourceOf } from '../../../kit/source.ts';
import { t } from '../../../kit/t.ts';
import { toast } from '../../../kit/toast.ts';
import { products } from '../../../products/contract.ts';
import { Reasons, reasonLabel } from './Reasons.tsx';
import type { Which } from './retry.ts';
import { SystemTabs } from './SystemTabs.tsx';
import { troubleTools } from './troubleTools.ts';
import { stateWords, statusOfState } from './troubleWords.ts';
import { REFRESH_MS, useRefresh } from './useRefresh.ts';

const RetryManyDialog = lazy(async () => ({ default: (await import('./RetryManyDialog.tsx')).RetryManyDialog }));

const CHANNELS = sourceOf(channels, ({ name }) => name);
const COMPANIES = sourceOf(companies, ({ name }) => name);
const PRODUCTS = sourceOf(products, ({ name }) => name);

const NO_REASONS: readonly Reason[] = [];

/** Messages that did not get through, over all companies. */
export function TroublesTab() {
  const page = usePage();
  const columns = useMemo(troubleColumns, []);
  const [asked, setAsked] = useState<Which | null>(null);
  const act = useAct();
  useRefresh(troubles.list);
  const narrowing = useNarrowing(page.params);
  const reasons = useEndpoint(
    readReasons,
    { query: { ...narrowing, reason_key: undefined } },
    { keepPrevious: true, refetchInterval: REFRESH_MS },
  );
  const items = reasons.data?.items ?? NO_REASONS;
  const filters = useMemo(() => troubleFilters(items), [items]);
  return (
    <>
      <ResourcePage<Trouble>
        crud={troubles}
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
        emptyText={t('Every message got through, or is on its way.')}
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
            {t('Retry for all matching')}
          </Button>
        }
        told={({ state, reason, lead_name, company_name, product_name, channel_name, thread_at }) => ({
          state,
          reason,
          lead_name,
          company_name,
          product_name,
          channel_name,
          thread_at,
        })}
        assistant={troubleTools()}
      />
      <Suspense>{asked && <RetryManyDialog which={asked} onClose={() => setAsked(null)} />}</Suspense>
    </>
  );
}

/** What narrows the list now, as the endpoints take it. */
function useNarrowing(params: Readonly<Record<string, string>>): Which['narrowing'] {
  const zone = useProductZone();
  const text = JSON.stringify(
    narrowingOf(
      listQuery(
        readListState(params, {
          orderBy: troubles.orderBy,
          filters: troubleFilters(NO_REASONS).flatMap(namesOf),
          searchable: troubles.search.length > 0,
        }),
        zone,
      ),
    ),
  );
  return useMemo(() => readReasons.query.parse(numbered(JSON.parse(text))), [text]);
}

/** Ids stand in the address as text. */
function numbered(narrowing: unknown): Record<string, unknown> {
  const known = typeof narrowing === 'object' && narrowing !== null ? Object.entries(narrowing) : [];
  return Object.fromEntries(
    known.map(([name, value]) => [name, name.endsWith('_id') && Array.isArray(value) ? value.map(Number) : value]),
  );
}

type Act = (endpoint: typeof retryMessage, row: Trouble, told: string) => void;

function useAct(): Act {
  const cache = useQueryClient();
  const acting = useMutation({
    mutationFn: ({ endpoint, row }: { endpoint: typeof retryMessage; row: Trouble; told: string }) =>
      call(endpoint, { params: { id: row.id } }),
    onSuccess: (_, { told }) => toast.success(told),
    onError: toast.failure,
    onSettled: () => cache.invalidateQueries({ queryKey: keyOf(troubles.list) }),
  });
  return (endpoint, row, told) => acting.mutate({ endpoint, row, told });
}

function actionsOf(row: Trouble, act: Act): RowAction[] {
  if (row.state === 'refused') return [];
  const retry = { label: t('Retry'), icon: IconRefresh, run: () => act(retryMessage, row, t('Sending again')) };
  if (row.state === 'error') return [retry];
  return [retry, { label: t('Mark as sent'), icon: IconCheck, run: () => act(markSent, row, t('Marked as sent')) }];
}

const NAME_LENGTH = 40;

function nameOf({ message }: Trouble): string {
  const text = message.trim();
  return text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH)}…` : text;
}

function troubleColumns(): Column<Trouble>[] {
  return [
    {
      key: 'message',
      label: t('Message'),
      main: true,
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
    { key: 'lead', label: t('Dialogue with'), span: 1.4, extra: true, render: ({ lead_name }) => lead_name },
    { key: 'product', label: t('Product'), span: 1.4, extra: true, render: ({ product_name }) => product_name },
    {
      key: 'thread_at',
      label: t('When'),
      sort: 'thread_at',
      span: 1.4,
      render: ({ thread_at }) => <Moment iso={thread_at} />,
    },
    { key: 'company', label: t('Company'), extra: true, render: ({ company_name }) => company_name },
    { key: 'channel', label: t('Channel'), extra: true, render: ({ channel_name }) => channel_name },
    { key: 'vendor', label: t('Vendor'), span: 1.4, extra: true, render: ({ vendor }) => vendor },
    { key: 'code', label: t('Code'), span: 1, extra: true, render: ({ error_code }) => error_code ?? '–' },
    {
      key: 'retry_count',
      label: t('Retries'),
      span: 1,
      number: true,
      extra: true,
      render: ({ retry_count }) => retry_count,
    },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, extra: true, render: ({ id }) => id },
  ];
}

function troubleFilters(reasons: readonly Reason[]): Filter[] {
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
    { kind: 'created', label: t('Created') },
  ];
}

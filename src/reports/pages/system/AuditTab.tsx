import { Badge, Text } from '@mantine/core';
import { IconFileDiff } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { companies } from '../../../companies/contract.ts';
import type { Column } from '../../../kit/columns.ts';
import type { Filter } from '../../../kit/filter.ts';
import { Moment } from '../../../kit/Moment.tsx';
import { PageLink } from '../../../kit/PageLink.tsx';
import { useEndpoint } from '../../../kit/query.ts';
import { ResourcePage } from '../../../kit/ResourcePage.tsx';
import { sourceOf } from '../../../kit/source.ts';
import { t } from '../../../kit/t.ts';
import { operators } from '../../../operators/accountContract.ts';
import { type AuditEntry, audit, readAuditWords } from '../../../operators/auditContract.ts';
import { products } from '../../../products/contract.ts';
import { placeOf } from './auditPlaces.ts';
import { auditTools } from './auditTools.ts';
import { SystemTabs } from './SystemTabs.tsx';
import { useRefresh } from './useRefresh.ts';

const AuditDialog = lazy(async () => ({ default: (await import('./AuditDialog.tsx')).AuditDialog }));

const OPERATORS = sourceOf(operators, ({ login }) => login);
const COMPANIES = sourceOf(companies, ({ name }) => name);
const PRODUCTS = sourceOf(products, ({ name }) => name);

/** Who did what, when, and what stood before. */
export function AuditTab() {
  const words = useEndpoint(readAuditWords, {});
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const columns = useMemo(auditColumns, []);
  const filters = useMemo(() => auditFilters(words.data), [words.data]);
  useRefresh(audit.list);
  return (
    <>
      <ResourcePage<AuditEntry>
        crud={audit}
        title={t('System')}
        description={t('The audit trail: who did what to which row, when, and what stood before and after.')}
        columns={columns}
        filters={filters}
        above={<SystemTabs />}
        nameOf={nameOf}
        emptyText={t('Nothing was done yet.')}
        actions={(entry) => [{ label: t('What changed'), icon: IconFileDiff, run: () => setShown(entry) }]}
        told={({ at, operator, action, noun, row_id, company_id, product_id, request_id }) => ({
          at,
          operator,
          action,
          noun,
          row_id,
          company_id,
          product_id,
          request_id,
        })}
        assistant={auditTools()}
      />
      <Suspense>{shown && <AuditDialog entry={shown} onClose={() => setShown(null)} />}</Suspense>
    </>
  );
}

const nameOf = ({ action, noun, row_id }: AuditEntry): string =>
  `${noun.replaceAll('_', ' ')} ${row_id ?? ''} ${action}`.replace(/\s+/g, ' ');

function auditColumns(): Column<AuditEntry>[] {
  return [
    { key: 'at', label: t('When'), span: 1.5, render: ({ at }) => <Moment iso={at} /> },
    {
      key: 'operator',
      label: t('Who'),
      span: 1.5,
      render: ({ operator }) =>
        operator ?? (
          <Text span inherit c="dimmed">
            {t('Rapport')}
          </Text>
        ),
    },
    { key: 'action', label: t('Action'), main: true, span: 2, render: ({ action }) => action },
    { key: 'row', label: t('Row'), span: 2, render: (entry) => <RowOf entry={entry} /> },
    {
      key: 'rows',
      label: t('Details'),
      span: 1.3,
      render: ({ has_rows }) => (has_rows ? <Badge variant="default">{t('kept')}</Badge> : '–'),
    },
    { key: 'request', label: t('Request'), span: 2.5, extra: true, render: ({ request_id }) => request_id ?? '–' },
    { key: 'company', label: t('Company'), span: 1.2, extra: true, render: ({ company_id }) => company_id ?? '–' },
    { key: 'product', label: t('Product'), span: 1.2, extra: true, render: ({ product_id }) => product_id ?? '–' },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, extra: true, render: ({ id }) => id },
  ];
}

/** The row's own page, where it has one. */
function RowOf({ entry }: { entry: AuditEntry }) {
  const name = `${entry.noun.replaceAll('_', ' ')} ${entry.row_id ?? ''}`.trim();
  const place = placeOf(entry);
  if (place === null) return name;
  return (
    <PageLink to={place.page} params={place.params}>
      {name}
    </PageLink>
  );
}

function auditFilters(words: { actions: string[]; nouns: string[] } | undefined): Filter[] {
  const options = (known: readonly string[] | undefined) => (known ?? []).map((value) => ({ value, label: value }));
  return [
    { kind: 'source', name: 'operator_id', label: t('Who'), source: OPERATORS },
    { kind: 'options', name: 'action', label: t('Action'), options: options(words?.actions) },
    { kind: 'options', name: 'noun', label: t('Noun'), options: options(words?.nouns) },
    { kind: 'text', name: 'row_id', label: t('Row'), digits: true },
    { kind: 'text', name: 'request_id', label: t('Request') },
    { kind: 'source', name: 'company_id', label: t('Company'), source: COMPANIES },
    { kind: 'source', name: 'product_id', label: t('Product'), source: PRODUCTS },
    { kind: 'created', label: t('When') },
  ];
}

import { Button, Text } from '@mantine/core';
import { IconFileDiff } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { operators } from '../../access/accountContract.ts';
import { type AuditEntry, audit, readAuditWords } from '../../access/auditContract.ts';
import { companies } from '../../companies/contract.ts';
import { products } from '../../products/contract.ts';
import type { Column } from '../../ui/columns.ts';
import { fieldLabel } from '../../ui/fieldLabels.ts';
import type { Filter } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { usePage } from '../../ui/page.ts';
import { useEndpoint } from '../../ui/query.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { useRefresh } from '../../ui/useRefresh.ts';
import { rowLinkOf } from './auditLinks.ts';
import { auditTools } from './auditTools.ts';
import { isBulk, rowWords, sentenceOf } from './auditWords.ts';
import { SystemTabs } from './SystemTabs.tsx';

const ExportLog = lazy(async () => ({ default: (await import('./ExportLog.tsx')).ExportLog }));
const AuditDialog = lazy(async () => ({ default: (await import('./AuditDialog.tsx')).AuditDialog }));

const OPERATORS = optionSource({ resource: operators, labelOf: ({ login }) => login });
const COMPANIES = optionSource({ resource: companies, labelOf: ({ name }) => name });
const PRODUCTS = optionSource({ resource: products, labelOf: ({ name }) => name });

const ONE_BY_ONE = {};
/** Query that shows a request's change of many rows as one entry. */
const GROUPED = { grouped: true, with_same: true };

/** The audit log: who did what, when, and the state before. */
export function AuditTab() {
  const words = useEndpoint(readAuditWords, {});
  const [selected, setSelected] = useState<AuditEntry | null>(null);
  const columns = useMemo(() => auditColumns(setSelected), []);
  // A narrow search may look for any of the rows that a request changed.
  const { params } = usePage();
  const isNarrow = [params.search, params.row_id, params.request_id].some((value) => (value ?? '') !== '');
  const filters = useMemo(() => auditFilters(words.data), [words.data]);
  useRefresh(audit.list);
  return (
    <>
      <ResourcePage<AuditEntry>
        crud={audit}
        title={t('System')}
        description={t('The audit log: who changed what and when, with the values before and after.')}
        columns={columns}
        filters={filters}
        above={<SystemTabs />}
        buttons={<ExportLog filters={filters} />}
        fixedQuery={isNarrow ? ONE_BY_ONE : GROUPED}
        nameOf={sentenceOf}
        emptyText={t('No activity yet.')}
        actions={(entry) => [{ label: t('What changed'), icon: IconFileDiff, run: () => setSelected(entry) }]}
        assistantFields={({ at, operator, action, noun, row_id, company_id, product_id, request_id }) => ({
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
      <Suspense>{selected && <AuditDialog entry={selected} onClose={() => setSelected(null)} />}</Suspense>
    </>
  );
}

function auditColumns(onShow: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  return [
    { key: 'at', label: t('When'), span: 1.5, render: ({ at }) => <Timestamp iso={at} /> },
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
    { key: 'action', label: t('Action'), primary: true, span: 1.5, render: ({ action }) => fieldLabel(action) },
    { key: 'row', label: t('What'), span: 3, render: (entry) => <RowOf entry={entry} /> },
    {
      key: 'rows',
      label: t('Details'),
      span: 1.3,
      render: (entry) =>
        isBulk(entry) ? (
          <PageLink
            to="system"
            params={{ tab: 'audit', request_id: entry.request_id, noun: entry.noun, action: entry.action }}
          >
            {t('Show all {{count}}', { count: entry.same ?? 1 })}
          </PageLink>
        ) : entry.has_rows ? (
          <Button size="compact-xs" variant="subtle" onClick={() => onShow(entry)}>
            {t('View change')}
          </Button>
        ) : (
          '–'
        ),
    },
    {
      key: 'request',
      label: t('Request'),
      span: 2.5,
      hiddenByDefault: true,
      render: ({ request_id }) => request_id ?? '–',
    },
    {
      key: 'company',
      label: t('Company'),
      span: 1.2,
      hiddenByDefault: true,
      render: ({ company_id }) => company_id ?? '–',
    },
    {
      key: 'product',
      label: t('Product'),
      span: 1.2,
      hiddenByDefault: true,
      render: ({ product_id }) => product_id ?? '–',
    },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, hiddenByDefault: true, render: ({ id }) => id },
  ];
}

/** The row's name, as a link if the row has a page. */
function RowOf({ entry }: { entry: AuditEntry }) {
  const name = rowWords(entry);
  const place = isBulk(entry) ? null : rowLinkOf(entry);
  if (place === null) return name;
  return (
    <PageLink to={place.page} params={place.params}>
      {name}
    </PageLink>
  );
}

function auditFilters(words: { actions: string[]; nouns: string[] } | undefined): Filter[] {
  const options = (values: readonly string[] | undefined) =>
    (values ?? []).map((value) => ({ value, label: fieldLabel(value) }));
  return [
    { kind: 'source', name: 'operator_id', label: t('Who'), source: OPERATORS },
    { kind: 'options', name: 'action', label: t('Action'), options: options(words?.actions) },
    { kind: 'options', name: 'noun', label: t('Type'), options: options(words?.nouns) },
    { kind: 'text', name: 'row_id', label: t('ID'), digits: true },
    { kind: 'text', name: 'request_id', label: t('Request') },
    { kind: 'source', name: 'company_id', label: t('Company'), source: COMPANIES },
    { kind: 'source', name: 'product_id', label: t('Product'), source: PRODUCTS },
    { kind: 'days', name: 'created', label: t('When') },
  ];
}

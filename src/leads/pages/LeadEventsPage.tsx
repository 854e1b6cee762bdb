import { useMemo } from 'react';
import type { Column } from '../../kit/columns.ts';
import { DataTable } from '../../kit/DataTable.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { Notice } from '../../kit/Notice.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { Pager, rowsCaption } from '../../kit/Pager.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { useEndpoint } from '../../kit/query.ts';
import { ReferenceSelect } from '../../kit/ReferenceSelect.tsx';
import { useScope } from '../../kit/scope.ts';
import { TwoClocks } from '../../kit/TwoClocks.tsx';
import { t } from '../../kit/t.ts';
import { useListState } from '../../kit/useListState.ts';
import { eventsOfLead, type LeadEvent } from '../contract.ts';
import { leadsOf } from './contactForm.ts';
import { authorOf, LeadEventLine } from './LeadEvent.tsx';
import { useLead } from './useLead.ts';

/** What happened to a lead: the one named in the address, or one chosen here. */
export default function LeadEventsPage() {
  const page = usePage();
  const { product } = useScope();
  const { id, lead, name } = useLead();
  const source = useMemo(() => leadsOf(product?.id ?? null), [product?.id]);
  const [state, change] = useListState({ orderBy: ['id'], filters: [], searchable: false });
  const list = useEndpoint(
    eventsOfLead,
    { params: { id: id ?? 0 }, query: { page: state.page + 1, limit: state.size } },
    { enabled: id !== null, keepPrevious: true },
  );
  const zone = lead?.timezone ?? null;
  const columns = useMemo(() => eventColumns(zone), [zone]);
  const rows = id === null ? undefined : list.data?.items;
  const total = list.data?.total ?? 0;
  const entity = t('lead events');
  usePageContext({
    description: t('What happened to one lead: activations and changes of stage or CRM status, newest first.'),
    summary: JSON.stringify({ lead: id === null ? null : { id, name }, total, events: rows ?? null }),
    tools: [],
  });

  return (
    <PageFrame
      title={name === '' ? t('Lead events') : t('Events of {{name}}', { name })}
      fill
      {...(id === null ? {} : { onBack: () => page.back('lead-detail', { leadId: id }) })}
      actions={
        <ReferenceSelect
          size="xs"
          source={source}
          value={id === null ? '' : String(id)}
          aria-label={t('Lead')}
          placeholder={t('Choose a lead')}
          onChange={(leadId) => page.setParams({ leadId, leadName: null, list_page: null })}
        />
      }
    >
      {id === null ? (
        <Notice title={t('Choose a lead')} text={t('Its events are shown here, newest first.')} />
      ) : list.error ? (
        <Failure error={list.error} onRetry={() => list.refetch()} />
      ) : rows?.length === 0 ? (
        <Notice title={t('No {{entity}} found', { entity })} />
      ) : (
        <DataTable caption={entity} columns={columns} rows={rows} stale={list.isPlaceholderData} />
      )}
      {id !== null && !list.error && (
        <Pager
          caption={rows ? rowsCaption(total, state.page, state.size, entity) : t('Loading {{entity}}...', { entity })}
          total={total}
          page={state.page}
          size={state.size}
          onPage={(next) => change({ page: next })}
          onSize={(size) => change({ size })}
        />
      )}
    </PageFrame>
  );
}

function eventColumns(zone: string | null): Column<LeadEvent>[] {
  return [
    { key: 'event', label: t('Event'), span: 4, render: (row) => <LeadEventLine event={row.event} /> },
    { key: 'by', label: t('By'), span: 1.5, render: (row) => authorOf(row.event) },
    { key: 'created_at', label: t('When'), span: 1.5, render: (row) => <TwoClocks iso={row.created_at} zone={zone} /> },
  ];
}

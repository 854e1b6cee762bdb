import { useMemo, useState } from 'react';
import { z } from 'zod';
import { explainLeadTool } from '../../outreach/pages/shared/explainTools.ts';
import { day, uncheckedId } from '../../platform/contract.ts';
import type { Column } from '../../ui/columns.ts';
import { DualTimestamp } from '../../ui/DualTimestamp.tsx';
import type { Filter } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import { rowsForAssistant } from '../../ui/listTools.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLink } from '../../ui/PageLink.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTool, pageTools } from '../../ui/pageTool.ts';
import { ReferenceSelect } from '../../ui/ReferenceSelect.tsx';
import { ResourceList, type VisibleRows } from '../../ui/ResourceList.tsx';
import { useScope } from '../../ui/scope.ts';
import { LEAD_EVENT_ORDER, type LeadEvent, leadEvents, leadEventTypes } from '../contract.ts';
import { leadSource } from './contactForm.ts';
import { eventAuthor, eventTypeOptions, LeadEventLine } from './LeadEvent.tsx';
import { useLead } from './useLead.ts';

const EVENTS = { plural: 'lead events', orderBy: LEAD_EVENT_ORDER, search: [], list: leadEvents } as const;

/** Events of the leads of the selected product, or of the lead named in the address. */
export default function LeadEventsPage() {
  const page = usePage();
  const { product } = useScope();
  const { id, lead, name } = useLead();
  const source = useMemo(() => leadSource(product?.id ?? null), [product?.id]);
  const [list, setList] = useState<VisibleRows<LeadEvent> | null>(null);
  const ofOne = id !== null;
  const zone = lead?.timezone ?? null;
  const columns = useMemo(() => eventColumns(ofOne, zone), [ofOne, zone]);
  const choose = (leadId: string | number) => page.setParams({ leadId, leadName: null, list_page: null });
  usePageContext({
    description: t(
      'What happened to leads, newest first: activations and changes of stage or CRM status; of all leads of the product, or of one.',
    ),
    summary: JSON.stringify({
      lead: ofOne ? { id, name } : null,
      filters: page.params,
      total: list?.total ?? null,
      ...(list && !list.stale ? rowsForAssistant(list.rows) : { state: 'loading' }),
    }),
    ...pageTools(
      pageTool({
        name: 'show_events',
        description: t('Shows events of one lead or all, of some types or days. Omitted filters are cleared.'),
        input: SHOW_INPUT,
        run: async (input) => {
          page.setParams(toParams(input));
          return { status: 'shown' };
        },
      }),
      pageTool({
        name: 'open_lead',
        description: t('Opens the page of a lead by its id.'),
        input: z.strictObject({ lead_id: uncheckedId }),
        run: async ({ lead_id }) => {
          page.go('lead-detail', { leadId: lead_id });
          return { status: 'opened' };
        },
      }),
      explainLeadTool(id),
    ),
  });

  return (
    <PageFrame
      title={name === '' ? t('Lead Events') : t('Events of {{name}}', { name })}
      fill
      {...(ofOne ? { onBack: () => page.back('lead-detail', { leadId: id }) } : {})}
      actions={
        <ReferenceSelect
          size="xs"
          source={source}
          value={ofOne ? String(id) : ''}
          aria-label={t('Lead')}
          placeholder={t('All leads')}
          clearable
          onChange={choose}
        />
      }
    >
      <ResourceList
        // Page numbers of one lead's events do not apply to another's.
        key={id}
        crud={EVENTS}
        columns={columns}
        filters={eventFilters()}
        fixedQuery={ofOne ? { lead_id: id } : { product_id: product?.id }}
        emptyText={t('Stage changes and deactivations appear here.')}
        onRowsChange={setList}
      />
    </PageFrame>
  );
}

const SHOW_INPUT = z.strictObject({
  lead_id: uncheckedId.nullable().optional().describe(t('null: all leads')),
  event_types: z.array(z.enum(leadEventTypes)).optional(),
  created_from: day.optional(),
  created_to: day.optional(),
});

/** Convert the input to URL parameters. */
function toParams({
  lead_id: lead,
  event_types: types,
  created_from: from,
  created_to: to,
}: z.output<typeof SHOW_INPUT>) {
  return {
    leadId: lead,
    leadName: null,
    event_type: types?.join(','),
    created_from: from,
    created_to: to,
    list_page: null,
  };
}

function eventColumns(ofOne: boolean, zone: string | null): Column<LeadEvent>[] {
  return [
    ...(ofOne
      ? []
      : [
          {
            key: 'lead',
            label: t('Lead'),
            span: 1.5,
            render: (row: LeadEvent) => (
              <PageLink to="lead-detail" params={{ leadId: row.lead_id }}>
                {row.lead_name}
              </PageLink>
            ),
          },
        ]),
    {
      key: 'event',
      label: t('Event'),
      primary: true,
      span: 3,
      render: (row) => <LeadEventLine event={row.event} oneLine />,
    },
    { key: 'by', label: t('By'), span: 1.5, render: (row) => eventAuthor(row.event) },
    {
      key: 'created_at',
      label: t('When'),
      sort: 'created_at',
      span: 1.5,
      render: (row) => <DualTimestamp iso={row.created_at} zone={zone} />,
    },
  ];
}

function eventFilters(): Filter[] {
  return [
    { kind: 'options', name: 'event_type', label: t('Event'), options: eventTypeOptions() },
    { kind: 'days', name: 'created', label: t('When') },
  ];
}

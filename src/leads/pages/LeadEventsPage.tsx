import { useMemo, useState } from 'react';
import { z } from 'zod';
import type { Column } from '../../kit/columns.ts';
import type { Filter } from '../../kit/filter.ts';
import { rowsTold } from '../../kit/listTools.ts';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { PageLink } from '../../kit/PageLink.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { pageTool, pageTools } from '../../kit/pageTool.ts';
import { ReferenceSelect } from '../../kit/ReferenceSelect.tsx';
import { ResourceList, type Shown } from '../../kit/ResourceList.tsx';
import { useScope } from '../../kit/scope.ts';
import { TwoClocks } from '../../kit/TwoClocks.tsx';
import { t } from '../../kit/t.ts';
import { whyTool } from '../../outreach/pages/whyTools.ts';
import { day, plainId } from '../../platform/contract.ts';
import { LEAD_EVENT_ORDER, type LeadEvent, leadEvents, leadEventTypes } from '../contract.ts';
import { leadsOf } from './contactForm.ts';
import { authorOf, eventTypeOptions, LeadEventLine } from './LeadEvent.tsx';
import { useLead } from './useLead.ts';

const EVENTS = { plural: 'lead events', orderBy: LEAD_EVENT_ORDER, search: [], list: leadEvents } as const;

/** What happened to the leads of the chosen product, or to the one named in the address. */
export default function LeadEventsPage() {
  const page = usePage();
  const { product } = useScope();
  const { id, lead, name } = useLead();
  const source = useMemo(() => leadsOf(product?.id ?? null), [product?.id]);
  const [shown, setShown] = useState<Shown<LeadEvent> | null>(null);
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
      total: shown?.total ?? null,
      ...(shown ? rowsTold(shown.rows) : {}),
    }),
    ...pageTools(
      pageTool({
        name: 'show_events',
        description: t(
          'Shows the events of one lead or of all, of some types, of some days; what is left out is taken off.',
        ),
        input: SHOWN,
        run: async (asked) => {
          page.setParams(narrowing(asked));
          return { status: 'shown' };
        },
      }),
      pageTool({
        name: 'open_lead',
        description: t('Opens the page of a lead by its id.'),
        input: z.strictObject({ lead_id: plainId }),
        run: async ({ lead_id }) => {
          page.go('lead-detail', { leadId: lead_id });
          return { status: 'opened' };
        },
      }),
      whyTool(id),
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
        // The pages of one lead's events are not those of another's.
        key={id}
        crud={EVENTS}
        columns={columns}
        filters={eventFilters()}
        fixedQuery={ofOne ? { lead_id: id } : { product_id: product?.id }}
        emptyText={t('A change of stage or a deactivation is noted here when it happens.')}
        onShown={setShown}
      />
    </PageFrame>
  );
}

const SHOWN = z.strictObject({
  lead_id: plainId.nullable().optional().describe(t('null: all leads')),
  event_types: z.array(z.enum(leadEventTypes)).optional(),
  created_from: day.optional(),
  created_to: day.optional(),
});

/** The address for what is wished. */
function narrowing({ lead_id: lead, event_types: types, created_from: from, created_to: to }: z.output<typeof SHOWN>) {
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
      main: true,
      span: 3,
      render: (row) => <LeadEventLine event={row.event} oneLine />,
    },
    { key: 'by', label: t('By'), span: 1.5, render: (row) => authorOf(row.event) },
    {
      key: 'created_at',
      label: t('When'),
      sort: 'created_at',
      span: 1.5,
      render: (row) => <TwoClocks iso={row.created_at} zone={zone} />,
    },
  ];
}

function eventFilters(): Filter[] {
  return [
    { kind: 'options', name: 'event_type', label: t('Event'), options: eventTypeOptions() },
    { kind: 'created', label: t('When') },
  ];
}

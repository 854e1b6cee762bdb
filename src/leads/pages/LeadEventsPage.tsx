import { useMemo, useState } from 'react';
import type { Column } from '../../kit/columns.ts';
import type { Filter } from '../../kit/filter.ts';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { PageLink } from '../../kit/PageLink.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { ReferenceSelect } from '../../kit/ReferenceSelect.tsx';
import { ResourceList, type Shown } from '../../kit/ResourceList.tsx';
import { useScope } from '../../kit/scope.ts';
import { TwoClocks } from '../../kit/TwoClocks.tsx';
import { t } from '../../kit/t.ts';
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
      events: shown?.rows ?? null,
    }),
    tools: [
      {
        name: 'show_events',
        description: t('Shows the events of one lead or of all, of some types, of some days.'),
        parameters: {
          type: 'object',
          properties: {
            lead_id: { type: ['integer', 'null'], description: t('null: all leads') },
            event_types: { type: 'array', items: { enum: leadEventTypes } },
            created_from: { type: 'string', format: 'date' },
            created_to: { type: 'string', format: 'date' },
          },
        },
      },
    ],
    handlers: { show_events: { call: async (args) => page.setParams(narrowing(args)) } },
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

/** What of the assistant's wish the address can say. */
function narrowing(args: Readonly<Record<string, unknown>>) {
  const { lead_id: lead, event_types: types, created_from: from, created_to: to } = args;
  return {
    leadId: typeof lead === 'number' ? lead : null,
    leadName: null,
    event_type: Array.isArray(types) ? types.join(',') : null,
    created_from: typeof from === 'string' ? from : null,
    created_to: typeof to === 'string' ? to : null,
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

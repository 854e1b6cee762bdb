import { Button } from '@mantine/core';
import { IconAddressBook, IconFileImport, IconHistory } from '@tabler/icons-react';
import { type ComponentProps, lazy, Suspense, useMemo } from 'react';
import { call } from '../../ui/api.ts';
import type { Column } from '../../ui/columns.ts';
import { DualTimestamp, ZoneClock } from '../../ui/DualTimestamp.tsx';
import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { useLateTools } from '../../ui/useLateTools.ts';
import { YesNo } from '../../ui/YesNo.tsx';
import { leadIds } from '../bulkContract.ts';
import { type Lead, leads } from '../contract.ts';
import { Messengers } from './contactType.tsx';
import { LeadState } from './LeadState.tsx';
import { LastMessage, NextActionCell, TagBadges } from './leadCells.tsx';
import { useLeadFilters } from './leadFilters.ts';
import { leadFields } from './leadForm.ts';

/** Loaded with the first selected row. */
const BulkLeads = lazy(async () => ({ default: (await import('./BulkLeads.tsx')).BulkLeads }));

const readCascadeCounts = async (lead: Lead) => (await import('./cascadeCounts.ts')).leadCascadeCounts(lead);

const loadTools = async () => (await import('./shared/leadTools.ts')).leadListTools();

export default function LeadsPage() {
  const { product } = useScope();
  const page = usePage();
  const columns = useMemo(leadColumns, []);
  const filters = useLeadFilters();
  const tools = useLateTools(loadTools);
  return (
    <ResourcePage
      crud={leads}
      title={t('Leads')}
      description={t('The leads of the chosen product, with their stage. A row opens the lead.')}
      columns={columns}
      filters={filters}
      fixedQuery={{ product_id: product?.id }}
      nameOf={(lead) => lead.name}
      rowLink={(lead) => ({ page: 'lead-detail', params: { leadId: lead.id } })}
      form={{ crud: leads, fields: leadFields }}
      newLink={{ page: 'lead-detail', params: {} }}
      removal={{ crud: leads, cascadeCounts: readCascadeCounts }}
      bulk={{ allIds: readAllIds, actions: renderBulkActions }}
      assistantFields={({
        stage,
        is_active,
        recognized_deactivation_request: optedOut,
        timezone,
        status,
        ...more
      }) => ({
        stage,
        is_active,
        ...(optedOut ? { asked_to_be_left_alone: true } : {}),
        timezone,
        crm_status: status,
        tags: more.tags,
        owner: more.owner,
        import: more.import_name,
        last_message: more.last_message,
        last_message_by: more.last_message_by,
        next_action: more.next_action,
        next_reason: more.next_reason,
      })}
      assistant={tools}
      buttons={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFileImport size="1rem" />}
          onClick={() => page.go('leads-import', {})}
        >
          {t('Import')}
        </Button>
      }
      actions={(lead) => [
        {
          label: t('Contacts'),
          icon: IconAddressBook,
          run: () => page.go('crm-lead-contacts', { leadId: lead.id, leadName: lead.name }),
        },
        {
          label: t('Events'),
          icon: IconHistory,
          run: () => page.go('crm-lead-events', { leadId: lead.id, leadName: lead.name }),
        },
      ]}
    />
  );
}

const renderBulkActions = (chosen: ComponentProps<typeof BulkLeads>['chosen']) => (
  <Suspense>
    <BulkLeads chosen={chosen} />
  </Suspense>
);

async function readAllIds(narrowing: Readonly<Record<string, unknown>>): Promise<readonly number[]> {
  return (await call(leadIds, { query: narrowing })).ids;
}

function leadColumns(): Column<Lead>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 1.85, render: (lead) => lead.name },
    { key: 'stage', label: t('Stage'), sort: 'stage', span: 1.7, render: (lead) => <LeadState lead={lead} /> },
    { key: 'tags', label: t('Tags'), span: 1.7, render: (lead) => <TagBadges tags={lead.tags} /> },
    { key: 'owner', label: t('Owner'), span: 1, render: (lead) => lead.owner ?? '–' },
    {
      key: 'last_message',
      label: t('Last message'),
      span: 2,
      listQuery: { with_last_message: true, with_last_message_at: true, with_last_message_by: true },
      render: (lead) => <LastMessage lead={lead} />,
    },
    {
      key: 'next_action',
      label: t('Next step'),
      span: 2.1,
      listQuery: { with_next_action: true, with_next_action_at: true, with_next_reason: true },
      render: (lead) => <NextActionCell lead={lead} />,
    },
    { key: 'import', label: t('Import'), span: 1.2, hiddenByDefault: true, render: (lead) => lead.import_name ?? '–' },
    {
      key: 'messengers',
      label: t('Messengers'),
      span: 0.8,
      hiddenByDefault: true,
      render: (lead) => <Messengers leadId={lead.id} />,
    },
    {
      key: 'timezone',
      label: t('Local time'),
      span: 1.35,
      hiddenByDefault: true,
      render: (lead) => (lead.timezone === null ? '–' : <ZoneClock zone={lead.timezone} />),
    },
    {
      key: 'is_active',
      label: t('State'),
      sort: 'is_active',
      span: 1.25,
      hiddenByDefault: true,
      render: (lead) => <YesNo value={lead.is_active} yes={t('Active')} no={t('Inactive')} />,
    },
    { key: 'status', label: t('CRM status'), hiddenByDefault: true, render: (lead) => lead.status ?? '–' },
    { key: 'crm_id', label: t('CRM id'), hiddenByDefault: true, render: (lead) => lead.crm_id ?? '–' },
    {
      key: 'opt_out',
      label: t('Opted out'),
      hiddenByDefault: true,
      render: (lead) => (lead.recognized_deactivation_request ? t('Yes') : t('No')),
    },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, hiddenByDefault: true, render: (lead) => lead.id },
    {
      key: 'updated_at',
      label: t('Updated'),
      sort: 'updated_at',
      span: 1.3,
      render: (lead) => <DualTimestamp iso={lead.updated_at} zone={lead.timezone} />,
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.2,
      hiddenByDefault: true,
      render: (lead) => <DualTimestamp iso={lead.created_at} zone={lead.timezone} />,
    },
  ];
}

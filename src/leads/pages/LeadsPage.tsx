import { Button } from '@mantine/core';
import { IconAddressBook, IconFileImport, IconHistory } from '@tabler/icons-react';
import { useMemo } from 'react';
import { call } from '../../ui/api.ts';
import type { Column } from '../../ui/columns.ts';
import { DualTimestamp, ZoneClock } from '../../ui/DualTimestamp.tsx';
import type { Filter } from '../../ui/filter.ts';
import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { YesNo, yesNoFilter } from '../../ui/YesNo.tsx';
import { leadIds } from '../bulkContract.ts';
import { type Lead, leads } from '../contract.ts';
import { BulkLeads } from './BulkLeads.tsx';
import { leadCascadeCounts } from './cascadeCounts.ts';
import { Messengers } from './contactType.tsx';
import { LeadState } from './LeadState.tsx';
import { leadFields } from './leadForm.ts';
import { leadListTools } from './shared/leadTools.ts';
import { stageOptions } from './shared/stage.tsx';

export default function LeadsPage() {
  const { product } = useScope();
  const page = usePage();
  const columns = useMemo(leadColumns, []);
  return (
    <ResourcePage
      crud={leads}
      title={t('Leads')}
      description={t('The leads of the chosen product, with their stage. A row opens the lead.')}
      columns={columns}
      filters={leadFilters()}
      fixedQuery={{ product_id: product?.id }}
      nameOf={(lead) => lead.name}
      rowLink={(lead) => ({ page: 'lead-detail', params: { leadId: lead.id } })}
      form={{ crud: leads, fields: leadFields }}
      newLink={{ page: 'lead-detail', params: {} }}
      removal={{ crud: leads, cascadeCounts: leadCascadeCounts }}
      bulk={{ allIds: readAllIds, actions: (chosen) => <BulkLeads chosen={chosen} /> }}
      assistantFields={({ stage, is_active, recognized_deactivation_request: optedOut, timezone, status }) => ({
        stage,
        is_active,
        ...(optedOut ? { asked_to_be_left_alone: true } : {}),
        timezone,
        crm_status: status,
      })}
      assistant={leadListTools()}
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

async function readAllIds(narrowing: Readonly<Record<string, unknown>>): Promise<readonly number[]> {
  return (await call(leadIds, { query: narrowing })).ids;
}

function leadColumns(): Column<Lead>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 2.1, render: (lead) => lead.name },
    { key: 'stage', label: t('Stage'), sort: 'stage', span: 1.75, render: (lead) => <LeadState lead={lead} /> },
    { key: 'messengers', label: t('Messengers'), span: 0.8, render: (lead) => <Messengers leadId={lead.id} /> },
    {
      key: 'timezone',
      label: t('Local time'),
      span: 1.35,
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
      span: 1.2,
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

function leadFilters(): Filter[] {
  return [
    { kind: 'options', name: 'stage', label: t('Stage'), options: stageOptions() },
    yesNoFilter({ name: 'is_active', label: t('State'), yes: t('Active'), no: t('Inactive') }),
    yesNoFilter({ name: 'recognized_deactivation_request', label: t('Opted out'), yes: t('Yes'), no: t('No') }),
    { kind: 'created', label: t('Created') },
  ];
}

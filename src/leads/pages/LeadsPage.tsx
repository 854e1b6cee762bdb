import { Button } from '@mantine/core';
import { IconAddressBook, IconFileImport, IconHistory } from '@tabler/icons-react';
import { useMemo } from 'react';
import { call } from '../../kit/api.ts';
import type { Column } from '../../kit/columns.ts';
import type { Filter } from '../../kit/filter.ts';
import { usePage } from '../../kit/page.ts';
import { ResourcePage } from '../../kit/ResourcePage.tsx';
import { useScope } from '../../kit/scope.ts';
import { ClockIn, TwoClocks } from '../../kit/TwoClocks.tsx';
import { t } from '../../kit/t.ts';
import { YesNo, yesNoFilter } from '../../kit/YesNo.tsx';
import { leadIds } from '../bulkContract.ts';
import { type Lead, leads } from '../contract.ts';
import { alongsideLead } from './alongside.ts';
import { BulkLeads } from './BulkLeads.tsx';
import { Messengers } from './contactType.tsx';
import { LeadState } from './LeadState.tsx';
import { leadFields } from './leadForm.ts';
import { toolsOfLeads } from './leadTools.ts';
import { stageOptions } from './stage.tsx';

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
      removal={{ crud: leads, alongside: alongsideLead }}
      bulk={{ allIds: idsOf, actions: (chosen) => <BulkLeads chosen={chosen} /> }}
      told={({ stage, is_active, recognized_deactivation_request: asked, timezone, status }) => ({
        stage,
        is_active,
        ...(asked ? { asked_to_be_left_alone: true } : {}),
        timezone,
        crm_status: status,
      })}
      assistant={toolsOfLeads()}
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

async function idsOf(narrowing: Readonly<Record<string, unknown>>): Promise<readonly number[]> {
  return (await call(leadIds, { query: narrowing })).ids;
}

function leadColumns(): Column<Lead>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', main: true, span: 2.1, render: (lead) => lead.name },
    { key: 'stage', label: t('Stage'), sort: 'stage', span: 1.75, render: (lead) => <LeadState lead={lead} /> },
    { key: 'messengers', label: t('Reach'), span: 0.8, render: (lead) => <Messengers leadId={lead.id} /> },
    {
      key: 'timezone',
      label: t('Local time'),
      span: 1.35,
      render: (lead) => (lead.timezone === null ? '–' : <ClockIn zone={lead.timezone} />),
    },
    {
      key: 'is_active',
      label: t('State'),
      sort: 'is_active',
      span: 1.25,
      extra: true,
      render: (lead) => <YesNo value={lead.is_active} yes={t('Active')} no={t('Inactive')} />,
    },
    { key: 'status', label: t('CRM status'), extra: true, render: (lead) => lead.status ?? '–' },
    { key: 'crm_id', label: t('CRM id'), extra: true, render: (lead) => lead.crm_id ?? '–' },
    {
      key: 'opt_out',
      label: t('Opted out'),
      extra: true,
      render: (lead) => (lead.recognized_deactivation_request ? t('Yes') : t('No')),
    },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, extra: true, render: (lead) => lead.id },
    {
      key: 'updated_at',
      label: t('Updated'),
      sort: 'updated_at',
      span: 1.2,
      render: (lead) => <TwoClocks iso={lead.updated_at} zone={lead.timezone} />,
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.2,
      extra: true,
      render: (lead) => <TwoClocks iso={lead.created_at} zone={lead.timezone} />,
    },
  ];
}

function leadFilters(): Filter[] {
  return [
    { kind: 'options', name: 'stage', label: t('Stage'), options: stageOptions() },
    yesNoFilter('is_active', t('State'), t('Active'), t('Inactive')),
    yesNoFilter('recognized_deactivation_request', t('Opted out'), t('Yes'), t('No')),
    { kind: 'created', label: t('Created') },
  ];
}

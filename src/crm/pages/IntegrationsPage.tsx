import { useMemo } from 'react';
import type { Column } from '../../kit/columns.ts';
import { Moment } from '../../kit/Moment.tsx';
import { ResourcePage } from '../../kit/ResourcePage.tsx';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { YesNo, yesNoFilter } from '../../kit/YesNo.tsx';
import { type CrmIntegration, crmIntegrations } from '../contract.ts';

/** CRM accounts of the chosen company. */
export default function IntegrationsPage() {
  const { company } = useScope();
  const columns = useMemo(integrationColumns, []);
  return (
    <ResourcePage
      crud={crmIntegrations}
      title={t('CRM Integrations')}
      noun={t('CRM integration')}
      description={t("The chosen company's CRM accounts. They come from the consent given in the CRM.")}
      columns={columns}
      filters={[
        yesNoFilter('is_active', t('State'), t('Active'), t('Inactive')),
        { kind: 'created', label: t('Created') },
      ]}
      fixedQuery={{ company_id: company?.id }}
      emptyText={t('One appears here once an amoCRM account is connected. Connecting is not possible yet.')}
      nameOf={(integration) => integration.name}
      removal={{ crud: crmIntegrations }}
    />
  );
}

function integrationColumns(): Column<CrmIntegration>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', main: true, span: 3, render: (one) => one.name },
    { key: 'crm_type', label: t('CRM'), span: 1.5, render: () => 'amoCRM' },
    {
      key: 'is_active',
      label: t('State'),
      sort: 'is_active',
      span: 1.25,
      render: (one) => <YesNo value={one.is_active} yes={t('Active')} no={t('Inactive')} />,
    },
    { key: 'id', label: t('ID'), sort: 'id', number: true, span: 1, extra: true, render: (one) => one.id },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      render: (one) => <Moment iso={one.created_at} />,
    },
  ];
}

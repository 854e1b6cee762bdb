import { useMemo } from 'react';
import type { Column } from '../../ui/columns.ts';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { type Company, companies } from '../contract.ts';
import { countCompanyCascade } from './cascadeCounts.ts';

export default function CompaniesPage() {
  const { operator } = useScope();
  const columns = useMemo(companyColumns, []);
  return (
    <ResourcePage
      crud={companies}
      title={t('Companies')}
      description={t('All companies that products, credentials and CRM integrations belong to.')}
      columns={columns}
      filters={[{ kind: 'days', name: 'created', label: t('Created') }]}
      nameOf={(company) => company.name}
      form={{ crud: companies, fields: companyFields, allowAssistant: true }}
      removal={{
        crud: companies,
        cascadeCounts: ({ id }) => countCompanyCascade([id]),
        bulkCascadeCounts: countCompanyCascade,
      }}
      canWrite={operator.role === 'admin'}
    />
  );
}

function companyColumns(): Column<Company>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 4, render: (company) => company.name },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, render: (company) => company.id },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      render: (company) => <Timestamp iso={company.created_at} />,
    },
  ];
}

function companyFields(): Field[] {
  return [{ kind: 'text', name: 'name', label: t('Name'), required: true }];
}

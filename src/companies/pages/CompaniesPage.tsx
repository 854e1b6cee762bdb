import { useMemo } from 'react';
import type { Column } from '../../kit/columns.ts';
import type { Field } from '../../kit/form.ts';
import { Moment } from '../../kit/Moment.tsx';
import { ResourcePage } from '../../kit/ResourcePage.tsx';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { type Company, companies } from '../contract.ts';
import { alongsideCompanies } from './alongside.ts';

export default function CompaniesPage() {
  const { operator } = useScope();
  const columns = useMemo(companyColumns, []);
  return (
    <ResourcePage
      crud={companies}
      title={t('Companies')}
      description={t('All companies that products, credentials and CRM integrations belong to.')}
      columns={columns}
      filters={[{ kind: 'created', label: t('Created') }]}
      nameOf={(company) => company.name}
      form={{ crud: companies, fields: companyFields, assisted: true }}
      removal={{
        crud: companies,
        alongside: ({ id }) => alongsideCompanies([id]),
        alongsideAll: alongsideCompanies,
      }}
      canWrite={operator.role === 'admin'}
    />
  );
}

function companyColumns(): Column<Company>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', main: true, span: 4, render: (company) => company.name },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, render: (company) => company.id },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      render: (company) => <Moment iso={company.created_at} />,
    },
  ];
}

function companyFields(): Field[] {
  return [{ kind: 'text', name: 'name', label: t('Name'), required: true }];
}

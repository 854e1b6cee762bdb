import { useMemo } from 'react';
import { companies } from '../../companies/contract.ts';
import type { Column } from '../../ui/columns.ts';
import type { Filter } from '../../ui/filter.ts';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { ReferenceName } from '../../ui/ReferenceName.tsx';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { allZones, zoneName } from '../../ui/timeZones.ts';
import { YesNo, yesNoFilter } from '../../ui/YesNo.tsx';
import { DEFAULT_PRODUCT_ZONE, type Product, products } from '../contract.ts';
import { countProductCascade } from './cascadeCounts.ts';
import { handOverLabels } from './settings.ts';

const COMPANIES = optionSource({
  resource: companies,
  labelOf: (company) => company.name,
  query: { order_by: 'name', order: 'asc' },
});

export default function ProductsPage() {
  const { company } = useScope();
  const columns = useMemo(productColumns, []);
  return (
    <ResourcePage
      crud={products}
      title={t('Products')}
      description={t('All products; a product is what is offered, and what leads, prompts and channels belong to.')}
      columns={columns}
      filters={productFilters()}
      nameOf={(product) => product.name}
      assistantFields={({ company_id, is_active, crm_id }) => ({ company_id, is_active, crm_id })}
      form={{
        crud: products,
        fields: productFields,
        preset: { company_id: company?.id ?? '', is_active: true, timezone: DEFAULT_PRODUCT_ZONE },
        allowAssistant: true,
      }}
      removal={{
        crud: products,
        cascadeCounts: ({ id }) => countProductCascade([id]),
        bulkCascadeCounts: countProductCascade,
      }}
    />
  );
}

function productColumns(): Column<Product>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', primary: true, span: 2.25, render: (product) => product.name },
    {
      key: 'company_id',
      label: t('Company'),
      sort: 'company_id',
      span: 2,
      render: (product) => <ReferenceName source={COMPANIES} id={product.company_id} />,
    },
    {
      key: 'is_active',
      label: t('State'),
      sort: 'is_active',
      span: 1.4,
      render: (product) => <YesNo value={product.is_active} yes={t('Active')} no={t('Inactive')} />,
    },
    { key: 'timezone', label: t('Time zone'), hiddenByDefault: true, render: (product) => zoneName(product.timezone) },
    { key: 'crm_id', label: t('CRM id'), hiddenByDefault: true, render: (product) => product.crm_id ?? '–' },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, render: (product) => product.id },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      render: (product) => <Timestamp iso={product.created_at} />,
    },
  ];
}

function productFilters(): Filter[] {
  return [
    { kind: 'source', name: 'company_id', label: t('Company'), source: COMPANIES },
    yesNoFilter({ name: 'is_active', label: t('State'), yes: t('Active'), no: t('Inactive') }),
    { kind: 'days', name: 'created', label: t('Created') },
  ];
}

function productFields(row: Product | null): Field[] {
  return [
    { kind: 'text', name: 'name', label: t('Name'), required: true },
    { kind: 'select', name: 'company_id', label: t('Company'), source: COMPANIES, required: true },
    { kind: 'text', name: 'crm_id', label: t('CRM id') },
    {
      kind: 'boolean',
      name: 'is_active',
      label: t('Active'),
      description: t('The bot answers only for active products.'),
    },
    {
      kind: 'select',
      name: 'timezone',
      label: t('Time zone'),
      options: allZones(row?.timezone ?? null),
      description: t('Daily limits, “Send at”, charts and date filters use this time zone.'),
      required: true,
    },
    // Models and messaging are edited on their own page; a replacement must not lose them.
    { kind: 'hidden', name: 'config', label: t('Configuration') },
    { kind: 'hidden', name: 'reply_hours', label: t('Bot replies') },
    ...Object.entries(handOverLabels).map(([name, label]): Field => ({ kind: 'hidden', name, label })),
  ];
}

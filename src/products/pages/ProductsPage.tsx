import { useMemo } from 'react';
import { companies } from '../../companies/contract.ts';
import type { Column } from '../../kit/columns.ts';
import type { Filter } from '../../kit/filter.ts';
import type { Field } from '../../kit/form.ts';
import { Moment } from '../../kit/Moment.tsx';
import { ReferenceName } from '../../kit/ReferenceSelect.tsx';
import { ResourcePage } from '../../kit/ResourcePage.tsx';
import { useScope } from '../../kit/scope.ts';
import { sourceOf } from '../../kit/source.ts';
import { t } from '../../kit/t.ts';
import { YesNo, yesNoFilter } from '../../kit/YesNo.tsx';
import { everyZone, zoneName } from '../../kit/zones.ts';
import { DEFAULT_PRODUCT_ZONE, type Product, products } from '../contract.ts';
import { alongsideProducts } from './alongside.ts';

const COMPANIES = sourceOf(companies, (company) => company.name, { order_by: 'name', order: 'asc' });

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
      told={({ company_id, is_active, crm_id }) => ({ company_id, is_active, crm_id })}
      form={{
        crud: products,
        fields: productFields,
        preset: { company_id: company?.id ?? '', is_active: true, timezone: DEFAULT_PRODUCT_ZONE },
        assisted: true,
      }}
      removal={{
        crud: products,
        alongside: ({ id }) => alongsideProducts([id]),
        alongsideAll: alongsideProducts,
      }}
    />
  );
}

function productColumns(): Column<Product>[] {
  return [
    { key: 'name', label: t('Name'), sort: 'name', main: true, span: 2.25, render: (product) => product.name },
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
    { key: 'timezone', label: t('Time zone'), extra: true, render: (product) => zoneName(product.timezone) },
    { key: 'crm_id', label: t('CRM id'), extra: true, render: (product) => product.crm_id ?? '–' },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, render: (product) => product.id },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      render: (product) => <Moment iso={product.created_at} />,
    },
  ];
}

function productFilters(): Filter[] {
  return [
    { kind: 'source', name: 'company_id', label: t('Company'), source: COMPANIES },
    yesNoFilter('is_active', t('State'), t('Active'), t('Inactive')),
    { kind: 'created', label: t('Created') },
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
      options: everyZone(row?.timezone ?? null),
      description: t('Daily limits, “Send at”, charts and date filters follow its days and clock.'),
      required: true,
    },
    // Models and messaging have a page of their own; a replacement must not lose them.
    { kind: 'hidden', name: 'config', label: t('Configuration') },
    { kind: 'hidden', name: 'reply_hours', label: t('Bot replies') },
  ];
}

/**
 * Show a page only if the row in its address belongs to the chosen product or company. Otherwise say whose row it is.
 */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { companies } from '../companies/contract.ts';
import { products } from '../products/contract.ts';
import { t } from '../ui/i18n.ts';
import { emptyContext } from '../ui/loadingContext.ts';
import { Notice } from '../ui/Notice.tsx';
import { PageFrame } from '../ui/PageFrame.tsx';
import { PageLoading } from '../ui/PageLoading.tsx';
import { parseId, usePage } from '../ui/page.ts';
import { usePageContext } from '../ui/pageContext.ts';
import { type PageRow, useRowOwner } from '../ui/pageRow.ts';
import type { PageEntry } from '../ui/pages.ts';
import { useEndpoint } from '../ui/query.ts';
import { useScope } from '../ui/scope.ts';
import { findPage } from './registry.ts';

interface RowScopeGuardProps {
  page: PageEntry;
  row: PageRow;
  children: ReactNode;
}

export function RowScopeGuard({ page, row, children }: RowScopeGuardProps) {
  const { params } = usePage();
  const { company, product } = useScope();
  const param = params[row.param] ?? '';
  const id = parseId(param);
  const { owner, isMissing } = useRowOwner(row, id);
  if (param === '' && row.optional) return children;
  const singular = t(row.singular);
  if (param === '') return <RowNotFound page={page} row={row} title={t('No {{noun}} is chosen', { noun: singular })} />;
  if (id === null || isMissing)
    return <RowNotFound page={page} row={row} title={t('There is no such {{noun}}.', { noun: singular })} />;
  if (owner !== undefined && 'product_id' in owner && owner.product_id !== product?.id)
    return <OtherProductNotice page={page} singular={singular} productId={owner.product_id} />;
  if (owner !== undefined && 'company_id' in owner && owner.company_id !== company?.id)
    return <OtherCompanyNotice page={page} singular={singular} companyId={owner.company_id} />;
  return children;
}

/** Shown when the address names no row, or none that the operator may see. */
function RowNotFound({ page, row, title }: { page: PageEntry; row: PageRow; title: string }) {
  const { back } = usePage();
  const list = t(findPage(row.list)?.title ?? row.list);
  const leave = () => back(row.list);
  const label = t('Go to {{page}}', { page: list });
  usePageContext(
    emptyContext({
      description: t(page.title),
      state: title,
      goTo: { name: 'go_to_list', title: label, run: leave },
    }),
  );
  return (
    <PageFrame title={t(page.title)} onBack={leave} fill>
      <Notice title={title} action={<Button onClick={leave}>{label}</Button>} />
    </PageFrame>
  );
}

interface OtherScopeProps {
  page: PageEntry;
  singular: string;
}

function OtherProductNotice({ page, singular, productId }: OtherScopeProps & { productId: number }) {
  const { company, product, switchTo } = useScope();
  const found = useEndpoint(products.get, { params: { id: productId } });
  const companyId = found.data?.company_id ?? company?.id ?? 0;
  const isElsewhere = company !== null && companyId !== company.id;
  const other = useEndpoint(companies.get, { params: { id: companyId } }, { enabled: isElsewhere });
  if (!found.data) return <RowLoading page={page} error={found.error} onRetry={() => void found.refetch()} />;
  const name = isElsewhere && other.data ? `${found.data.name} (${other.data.name})` : found.data.name;
  return (
    <OtherScopeNotice
      page={page}
      title={t('This {{noun}} belongs to {{name}}.', { noun: singular, name })}
      text={product && t('You are working in {{name}}.', { name: product.name })}
      label={t('Switch product')}
      run={() => switchTo(companyId, productId)}
    />
  );
}

/**
 * Notice for a row of another company. The row can be edited in any product of its company, so it switches to the
 * first.
 */
function OtherCompanyNotice({ page, singular, companyId }: OtherScopeProps & { companyId: number }) {
  const { company, switchTo } = useScope();
  const found = useEndpoint(companies.get, { params: { id: companyId } });
  const listed = useEndpoint(products.list, { query: { company_id: [companyId], order_by: 'id', limit: 1 } });
  const error = found.error ?? listed.error;
  if (!found.data || !listed.data)
    return (
      <RowLoading page={page} error={error} onRetry={() => void Promise.all([found.refetch(), listed.refetch()])} />
    );
  const first = listed.data.items[0];
  return (
    <OtherScopeNotice
      page={page}
      title={t('This {{noun}} belongs to {{name}}.', { noun: singular, name: found.data.name })}
      text={
        first === undefined
          ? t('The company has no products yet, so you cannot work in it.')
          : company && t('You are working in {{name}}.', { name: company.name })
      }
      label={t('Switch company')}
      run={first && (() => switchTo(companyId, first.id))}
    />
  );
}

function RowLoading({ page, error, onRetry }: { page: PageEntry; error: Error | null; onRetry: () => void }) {
  const title = t(page.title);
  return <PageLoading title={title} entity={t('product')} description={title} error={error} onRetry={onRetry} />;
}

interface OtherScopeNoticeProps {
  page: PageEntry;
  title: string;
  text: string | null;
  label: string;
  /** Undefined: there is no product to switch to. */
  run: (() => void) | undefined;
}

function OtherScopeNotice({ page, title, text, label, run }: OtherScopeNoticeProps) {
  usePageContext({ description: t(page.title), summary: JSON.stringify({ state: title }), tools: [] });
  return (
    <PageFrame title={t(page.title)} fill>
      <Notice title={title} text={text} action={run && <Button onClick={run}>{label}</Button>} />
    </PageFrame>
  );
}

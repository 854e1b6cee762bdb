/** Opens a page with an id only for a row of the chosen product, or company; else says whose it is. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { companies } from '../companies/contract.ts';
import { type AddressedRow, useRowOwner } from '../kit/addressedRow.ts';
import { Notice } from '../kit/Notice.tsx';
import { PageFrame } from '../kit/PageFrame.tsx';
import { PageWaiting } from '../kit/PageWaiting.tsx';
import { idIn, usePage } from '../kit/page.ts';
import { usePageContext } from '../kit/pageContext.ts';
import type { PageEntry } from '../kit/pages.ts';
import { useEndpoint } from '../kit/query.ts';
import { useScope } from '../kit/scope.ts';
import { t } from '../kit/t.ts';
import { restingContext } from '../kit/waitingContext.ts';
import { products } from '../products/contract.ts';
import { findPage } from './registry.ts';

interface RowGateProps {
  page: PageEntry;
  row: AddressedRow;
  children: ReactNode;
}

export function RowGate({ page, row, children }: RowGateProps) {
  const { params } = usePage();
  const { company, product } = useScope();
  const given = params[row.param] ?? '';
  const id = idIn(given);
  const { owner, isMissing } = useRowOwner(row, id);
  if (given === '' && row.optional) return children;
  const noun = t(row.noun);
  if (given === '') return <NoRow page={page} row={row} title={t('No {{noun}} is chosen', { noun })} />;
  if (id === null || isMissing)
    return <NoRow page={page} row={row} title={t('There is no such {{noun}}.', { noun })} />;
  if (owner !== undefined && 'product_id' in owner && owner.product_id !== product?.id)
    return <OfAnotherProduct page={page} noun={noun} productId={owner.product_id} />;
  if (owner !== undefined && 'company_id' in owner && owner.company_id !== company?.id)
    return <OfAnotherCompany page={page} noun={noun} companyId={owner.company_id} />;
  return children;
}

/** The address names no row, or none that the operator can see. */
function NoRow({ page, row, title }: { page: PageEntry; row: AddressedRow; title: string }) {
  const { back } = usePage();
  const list = t(findPage(row.list)?.title ?? row.list);
  const leave = () => back(row.list);
  const label = t('Go to {{page}}', { page: list });
  usePageContext(
    restingContext({
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

interface OtherOwnerProps {
  page: PageEntry;
  noun: string;
}

function OfAnotherProduct({ page, noun, productId }: OtherOwnerProps & { productId: number }) {
  const { company, product, switchTo } = useScope();
  const found = useEndpoint(products.get, { params: { id: productId } });
  const companyId = found.data?.company_id ?? company?.id ?? 0;
  const isElsewhere = company !== null && companyId !== company.id;
  const other = useEndpoint(companies.get, { params: { id: companyId } }, { enabled: isElsewhere });
  if (!found.data) return <Waiting page={page} error={found.error} onRetry={() => void found.refetch()} />;
  const name = isElsewhere && other.data ? `${found.data.name} (${other.data.name})` : found.data.name;
  return (
    <Foreign
      page={page}
      title={t('This {{noun}} belongs to {{name}}.', { noun, name })}
      text={product && t('You are working in {{name}}.', { name: product.name })}
      label={t('Switch product')}
      run={() => switchTo(companyId, productId)}
    />
  );
}

/** A row of a company can be worked on in any of its products. */
function OfAnotherCompany({ page, noun, companyId }: OtherOwnerProps & { companyId: number }) {
  const { company, switchTo } = useScope();
  const found = useEndpoint(companies.get, { params: { id: companyId } });
  const listed = useEndpoint(products.list, { query: { company_id: [companyId], order_by: 'id', limit: 1 } });
  const error = found.error ?? listed.error;
  if (!found.data || !listed.data)
    return <Waiting page={page} error={error} onRetry={() => void Promise.all([found.refetch(), listed.refetch()])} />;
  const first = listed.data.items[0];
  return (
    <Foreign
      page={page}
      title={t('This {{noun}} belongs to {{name}}.', { noun, name: found.data.name })}
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

function Waiting({ page, error, onRetry }: { page: PageEntry; error: Error | null; onRetry: () => void }) {
  const title = t(page.title);
  return <PageWaiting title={title} entity={t('product')} description={title} error={error} onRetry={onRetry} />;
}

interface ForeignProps {
  page: PageEntry;
  title: string;
  text: string | null;
  label: string;
  /** Undefined: there is nothing to switch to. */
  run: (() => void) | undefined;
}

function Foreign({ page, title, text, label, run }: ForeignProps) {
  usePageContext({ description: t(page.title), summary: JSON.stringify({ state: title }), tools: [] });
  return (
    <PageFrame title={t(page.title)} fill>
      <Notice title={title} text={text} action={run && <Button onClick={run}>{label}</Button>} />
    </PageFrame>
  );
}

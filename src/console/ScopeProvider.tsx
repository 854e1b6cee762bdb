/** Reads the chosen company and product, and lets the operator choose others. */
import { Button, Group } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { companies } from '../companies/contract.ts';
import { type Choice, choiceCookies, readChoice } from '../companies/pages/choice.ts';
import { Notice } from '../kit/Notice.tsx';
import { setClockOffset } from '../kit/now.ts';
import { hrefOf, usePage } from '../kit/page.ts';
import { useEndpoint } from '../kit/query.ts';
import { type Scope, ScopeContext } from '../kit/scope.ts';
import { t } from '../kit/t.ts';
import type { OperatorSelf } from '../operators/contract.ts';
import { products } from '../products/contract.ts';
import { installation, readClock } from '../sandbox/contract.ts';
import { menuKeyOf } from './registry.ts';

/** Seldom needed, so it does not weigh on the first load. */
const SelectionDialog = lazy(() => import('../companies/pages/SelectionDialog.tsx'));

/** The sandbox's clock can be moved at any time, by anyone. */
const CLOCK_EVERY_MS = 10_000;

interface ScopeProviderProps {
  operator: OperatorSelf;
  /** In words; null: it is known that the operator is signed in. */
  checking: string | null;
  children: ReactNode;
}

export function ScopeProvider({ operator, checking, children }: ScopeProviderProps) {
  const choice = useMemo(() => readChoice(document.cookie), []);
  const isChecked = checking === null;
  const chosen = useChosen(choice, isChecked);
  const sandbox = useSandbox(isChecked);
  const waiting = checking ?? (chosen.loading ? t('Loading') : null);
  // Null: nobody has opened or closed it yet, so it stands as the start demands.
  const [asked, setAsked] = useState<boolean | null>(null);
  const { key } = usePage();

  const scope = useMemo<Scope>(
    () => ({
      operator,
      company: chosen.company,
      product: chosen.product,
      sandbox,
      waiting,
      change: () => setAsked(true),
    }),
    [operator, chosen.company, chosen.product, sandbox, waiting],
  );

  function choose(companyId: number, productId: number) {
    for (const cookie of choiceCookies(companyId, productId)) document.cookie = cookie;
    // Ids in the address belong to the former product, so only the page is kept.
    if (choice.productId !== null && choice.productId !== productId && key !== '') {
      window.history.replaceState(null, '', hrefOf(menuKeyOf(key)));
    }
    window.location.reload();
  }

  const opened = asked ?? (waiting === null && (chosen.error !== null || chosen.product === null));
  return (
    <ScopeContext value={scope}>
      {chosen.error === null ? (
        children
      ) : (
        <Notice
          title={t('Failed to load application data')}
          text={chosen.error.message}
          order={1}
          action={
            <Group gap="xs" justify="center">
              <Button variant="default" onClick={chosen.retry}>
                {t('Retry')}
              </Button>
              <Button onClick={scope.change}>{t('Select Different Product')}</Button>
            </Group>
          }
        />
      )}
      {opened && (
        <Suspense>
          <SelectionDialog
            choice={{ companyId: chosen.company?.id ?? null, productId: chosen.product?.id ?? null }}
            onCancel={() => setAsked(false)}
            onChoose={choose}
          />
        </Suspense>
      )}
    </ScopeContext>
  );
}

function useChosen({ companyId, productId }: Choice, isChecked: boolean) {
  const complete = companyId !== null && productId !== null;
  const enabled = complete && isChecked;
  const company = useEndpoint(companies.get, { params: { id: companyId ?? 0 } }, { enabled });
  const product = useEndpoint(products.get, { params: { id: productId ?? 0 } }, { enabled });
  const misfit =
    product.data !== undefined && company.data !== undefined && product.data.company_id !== company.data.id;
  const error = misfit
    ? new Error(t('The chosen product belongs to another company.'))
    : // What is shown stays when only a later reading fails.
      ((company.data ? null : company.error) ?? (product.data ? null : product.error));
  return {
    loading: complete && error === null && (company.data === undefined || product.data === undefined),
    error,
    company: company.data ?? null,
    product: error === null ? (product.data ?? null) : null,
    retry: () => {
      void company.refetch();
      void product.refetch();
    },
  };
}

function useSandbox(isChecked: boolean): boolean {
  const place = useEndpoint(installation, {}, { staleTime: Number.POSITIVE_INFINITY, enabled: isChecked });
  const sandbox = place.data?.sandbox === true;
  const clock = useEndpoint(
    readClock,
    {},
    // Who has moved it in another tab comes back to the right time.
    { enabled: sandbox, refetchInterval: CLOCK_EVERY_MS, refetchOnWindowFocus: true, staleTime: 0 },
  );
  const offset = clock.data?.offset_seconds ?? 0;
  useEffect(() => setClockOffset(offset), [offset]);
  return sandbox;
}

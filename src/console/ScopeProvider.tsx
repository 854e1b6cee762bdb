/** Reads the chosen company and product, and lets the operator choose others. */
import { Button, Group } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { companies } from '../companies/contract.ts';
import { type Choice, choose, readChoice } from '../companies/pages/choice.ts';
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

export function ScopeProvider({ operator, children }: { operator: OperatorSelf; children: ReactNode }) {
  const choice = useMemo(() => readChoice(document.cookie), []);
  const chosen = useChosen(choice);
  const sandbox = useSandbox();
  // Null: nobody has opened or closed it yet, so it stands as the start demands.
  const [asked, setAsked] = useState<boolean | null>(null);
  const { key } = usePage();

  const scope = useMemo<Scope>(
    () => ({
      operator,
      company: chosen.company,
      product: chosen.product,
      sandbox,
      change: () => setAsked(true),
    }),
    [operator, chosen.company, chosen.product, sandbox],
  );

  function onChoose(companyId: number, productId: number) {
    // The page may have a question to ask.
    setAsked(false);
    choose(companyId, productId, () => {
      // Ids in the address belong to the former product, so only the page is kept.
      if (choice.productId !== null && choice.productId !== productId && key !== '') {
        window.history.replaceState(null, '', hrefOf(menuKeyOf(key)));
      }
      window.location.reload();
    });
  }

  const opened = asked ?? (chosen.error !== null || chosen.product === null);
  if (chosen.loading) return <Notice title={t('Loading')} order={1} />;
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
            onChoose={onChoose}
          />
        </Suspense>
      )}
    </ScopeContext>
  );
}

function useChosen({ companyId, productId }: Choice) {
  const complete = companyId !== null && productId !== null;
  const company = useEndpoint(companies.get, { params: { id: companyId ?? 0 } }, { enabled: complete });
  const product = useEndpoint(products.get, { params: { id: productId ?? 0 } }, { enabled: complete });
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

function useSandbox(): boolean {
  const place = useEndpoint(installation, {}, { staleTime: Number.POSITIVE_INFINITY });
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

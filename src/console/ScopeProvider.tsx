/** Reads the chosen company and product, and lets the operator choose others. */
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { companies } from '../companies/contract.ts';
import { type Choice, choose, readChoice } from '../companies/pages/choice.ts';
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

const MISFIT = new Error(t('The chosen product belongs to another company.'));

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

  const { error, retry } = chosen;
  const scope = useMemo<Scope>(
    () => ({
      operator,
      company: chosen.company,
      product: chosen.product,
      failure: error && { error, retry },
      sandbox,
      waiting,
      change: () => setAsked(true),
      switchTo,
    }),
    [operator, chosen.company, chosen.product, error, retry, sandbox, waiting],
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

  const opened = asked ?? (waiting === null && (error !== null || chosen.product === null));
  return (
    <ScopeContext value={scope}>
      {children}
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

/** Opens the same page in another product. */
function switchTo(companyId: number, productId: number): void {
  choose(companyId, productId, () => window.location.reload());
}

function useChosen({ companyId, productId }: Choice, isChecked: boolean) {
  // A company alone is kept: the pages that need no product work in it.
  const hasCompany = companyId !== null;
  const hasProduct = hasCompany && productId !== null;
  const company = useEndpoint(companies.get, { params: { id: companyId ?? 0 } }, { enabled: hasCompany && isChecked });
  const product = useEndpoint(products.get, { params: { id: productId ?? 0 } }, { enabled: hasProduct && isChecked });
  const misfit =
    product.data !== undefined && company.data !== undefined && product.data.company_id !== company.data.id;
  const error = misfit
    ? MISFIT
    : // What is shown stays when only a later reading fails.
      ((company.data ? null : company.error) ?? (product.data ? null : product.error));
  const { refetch: readCompany } = company;
  const { refetch: readProduct } = product;
  const retry = useCallback(() => {
    void readCompany();
    void readProduct();
  }, [readCompany, readProduct]);
  return {
    loading:
      error === null && ((hasCompany && company.data === undefined) || (hasProduct && product.data === undefined)),
    error,
    company: company.data ?? null,
    product: error === null ? (product.data ?? null) : null,
    retry,
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

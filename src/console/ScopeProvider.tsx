/** Load the chosen company and product and let the operator choose others. */
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import type { OperatorSelf } from '../access/contract.ts';
import { companies } from '../companies/contract.ts';
import { type Choice, choose, readChoice } from '../companies/pages/productSelection.ts';
import { installation, readClock } from '../platform/installationContract.ts';
import { products } from '../products/contract.ts';
import { setClockOffset } from '../ui/clock.ts';
import { t } from '../ui/i18n.ts';
import { hrefOf, usePage } from '../ui/page.ts';
import { useEndpoint } from '../ui/query.ts';
import { type Scope, ScopeContext } from '../ui/scope.ts';
import { startPage } from '../ui/startPage.ts';
import { findPage, menuKeyOf } from './registry.ts';

/** Loaded on demand, because it is rarely needed. */
const SelectionDialog = lazy(() => import('../companies/pages/SelectionDialog.tsx'));

const WRONG_COMPANY_ERROR = new Error(t('The chosen product belongs to another company.'));

/** How often to read the sandbox's clock, which anyone can move at any time. */
const CLOCK_REFETCH_MS = 10_000;

interface ScopeProviderProps {
  operator: OperatorSelf;
  /** Progress text while the session is being checked; null once the operator is known to be signed in. */
  checking: string | null;
  children: ReactNode;
}

export function ScopeProvider({ operator, checking, children }: ScopeProviderProps) {
  const choice = useMemo(() => readChoice(document.cookie), []);
  const isChecked = checking === null;
  const selected = useSelectedScope(choice, isChecked);
  const sandbox = useSandbox(isChecked);
  const loadingText = checking ?? (selected.loading ? t('Loading') : null);
  // Null until the operator opens or closes the dialog. Until then it opens if no product is available.
  const [dialogRequest, setDialogRequest] = useState<boolean | null>(null);
  const { key } = usePage();

  const { error, retry } = selected;
  const scope = useMemo<Scope>(
    () => ({
      operator,
      company: selected.company,
      product: selected.product,
      failure: error && { error, retry },
      sandbox,
      loadingText,
      openSelection: () => setDialogRequest(true),
      switchTo,
    }),
    [operator, selected.company, selected.product, error, retry, sandbox, loadingText],
  );

  function onChoose(companyId: number, productId: number) {
    // Close the dialog first, because the page may ask about unsaved changes.
    setDialogRequest(false);
    choose(companyId, productId, () => {
      // Ids in the address belong to the previous product, so keep only the page.
      if (choice.productId !== null && choice.productId !== productId && key !== '') {
        window.history.replaceState(null, '', hrefOf(menuKeyOf(key)));
      }
      window.location.reload();
    });
  }

  const mustChoose = error !== null || (selected.product === null && !isAcrossProducts(key));
  const opened = dialogRequest ?? (loadingText === null && mustChoose);
  return (
    <ScopeContext value={scope}>
      {children}
      {opened && (
        <Suspense>
          <SelectionDialog
            choice={{ companyId: selected.company?.id ?? null, productId: selected.product?.id ?? null }}
            onCancel={() => setDialogRequest(false)}
            onChoose={onChoose}
          />
        </Suspense>
      )}
    </ScopeContext>
  );
}

/** Whether the page that the key opens needs no product at all. */
const isAcrossProducts = (key: string): boolean => findPage(key === '' ? startPage() : key)?.isAcrossProducts === true;

/** Reload the current page in another product. */
function switchTo(companyId: number, productId: number): void {
  choose(companyId, productId, () => window.location.reload());
}

function useSelectedScope({ companyId, productId }: Choice, isChecked: boolean) {
  // A company without a product is valid: pages that need no product work with it.
  const hasCompany = companyId !== null;
  const hasProduct = hasCompany && productId !== null;
  const company = useEndpoint(companies.get, { params: { id: companyId ?? 0 } }, { enabled: hasCompany && isChecked });
  const product = useEndpoint(products.get, { params: { id: productId ?? 0 } }, { enabled: hasProduct && isChecked });
  const isWrongCompany =
    product.data !== undefined && company.data !== undefined && product.data.company_id !== company.data.id;
  const error = isWrongCompany
    ? WRONG_COMPANY_ERROR
    : // Loaded data stays visible when only a later read fails.
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
  const installationInfo = useEndpoint(installation, {}, { staleTime: Number.POSITIVE_INFINITY, enabled: isChecked });
  const sandbox = installationInfo.data?.sandbox === true;
  const clock = useEndpoint(
    readClock,
    {},
    // Read the clock again on focus, because it may have been moved in another tab.
    { enabled: sandbox, refetchInterval: CLOCK_REFETCH_MS, refetchOnWindowFocus: true, staleTime: 0 },
  );
  const offset = clock.data?.offset_seconds ?? 0;
  useEffect(() => setClockOffset(offset), [offset]);
  return sandbox;
}

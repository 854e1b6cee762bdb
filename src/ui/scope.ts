/** The signed-in operator with the chosen company and product. The console provides it. */
import { createContext, useContext } from 'react';

interface Named {
  readonly id: number;
  readonly name: string;
}

export interface Scope {
  readonly operator: { readonly id: number; readonly login: string; readonly role: 'admin' | 'member' };
  readonly company: Named | null;
  /** Days, and times that belong to neither an operator nor a lead, use the product's time zone. */
  readonly product: (Named & { readonly timezone: string }) | null;
  /** The chosen company or product could not be loaded. */
  readonly failure: { readonly error: Error; readonly retry: () => void } | null;
  readonly sandbox: boolean;
  /** What must load before a page can be shown, as text; null if nothing. */
  readonly loadingText: string | null;
  /** Opens 'Select company & product'. */
  readonly openSelection: () => void;
  /** Switches to another product and stays on the page. */
  readonly switchTo: (companyId: number, productId: number) => void;
}

export const ScopeContext = createContext<Scope | null>(null);

export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (scope === null) throw new Error('useScope is used outside the console');
  return scope;
}

/** Return the time zone of the chosen product; UTC without a product. */
export function useProductZone(): string {
  return useScope().product?.timezone ?? 'UTC';
}

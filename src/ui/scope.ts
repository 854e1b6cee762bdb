/** Who works in what: the signed-in operator and the chosen company and product. The console provides it. */
import { createContext, useContext } from 'react';

interface Named {
  readonly id: number;
  readonly name: string;
}

export interface Scope {
  readonly operator: { readonly id: number; readonly login: string; readonly role: 'admin' | 'member' };
  readonly company: Named | null;
  /** Its days, and the times that are not an operator's or a lead's, are those of its time zone. */
  readonly product: (Named & { readonly timezone: string }) | null;
  /** The chosen company or product could not be loaded. */
  readonly failure: { readonly error: Error; readonly retry: () => void } | null;
  readonly sandbox: boolean;
  /** What is waited for, in words, before a page can be shown; null: nothing. */
  readonly loadingText: string | null;
  /** Opens 'Select company & product'. */
  readonly openSelection: () => void;
  /** Works in another product from now on; the page stays. */
  readonly switchTo: (companyId: number, productId: number) => void;
}

export const ScopeContext = createContext<Scope | null>(null);

export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (scope === null) throw new Error('useScope is used outside the console');
  return scope;
}

/** The time zone of the chosen product; UTC without one. */
export function useProductZone(): string {
  return useScope().product?.timezone ?? 'UTC';
}

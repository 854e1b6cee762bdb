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
  readonly sandbox: boolean;
  /** Opens 'Select company & product'. */
  readonly change: () => void;
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

/** The page declarations that a module exports to the console. */
import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react';
import type { PageRow } from './pageRow.ts';
import type { queryOf } from './query.ts';

type MenuGroup = 'main' | 'Product' | 'Settings' | 'Company' | 'Admin';

interface Page {
  /** The page key in the address: `?page=crm-leads`. */
  readonly key: string;
  /** Heading and browser title, in English. */
  readonly title: string;
  /** The selection that the page requires. Without it the console shows 'No Product Selected'. */
  readonly needs: 'product' | 'company' | null;
  /** It works across the products of all companies: nobody is asked to choose one first. */
  readonly isAcrossProducts?: boolean;
  /** Rows that the address names. The page opens only if they belong to the chosen product or company. */
  readonly rows?: readonly PageRow[];
  readonly component: ComponentType<{ fallback: ReactNode }>;
  /** Loads the component's code. */
  readonly load: () => Promise<unknown>;
  /** A query that the page begins with, beside its rows. */
  readonly firstQuery?: (params: Readonly<Record<string, string>>) => ReturnType<typeof queryOf>;
}

/**
 * Declare a page's component: `...lazyPage(() => import('./LeadsPage.tsx'))`. It renders `fallback` until its code is
 * loaded. Without `lazy`: React shows what suspended, if only for a moment, not before 300 ms after its placeholder.
 */
export function lazyPage(load: () => Promise<{ default: ComponentType }>): Pick<Page, 'component' | 'load'> {
  let loaded: ComponentType | null = null;
  const loadOnce = async () => {
    const module = await load();
    loaded = module.default;
    return loaded;
  };
  return {
    component: function LazyPage({ fallback }) {
      const [Component, setComponent] = useState(() => loaded);
      const [error, setError] = useState<unknown>(null);
      useEffect(() => {
        if (Component === null) loadOnce().then((now) => setComponent(() => now), setError);
      }, [Component]);
      if (error !== null) throw error;
      return Component === null ? fallback : createElement(Component);
    },
    load: loadOnce,
  };
}

interface MenuPage extends Page {
  /** `Settings` is the collapsible list inside the Product group. */
  readonly group: MenuGroup;
  /** Menu label, in English. */
  readonly label: string;
  /** A Tabler icon. */
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** Position within its group. */
  readonly order: number;
}

interface HiddenPage extends Page {
  readonly group: null;
  /** The menu page that stays highlighted while this page is open. */
  readonly parent?: string;
}

export type PageEntry = MenuPage | HiddenPage;

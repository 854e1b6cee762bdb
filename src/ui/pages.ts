/** The page declarations that a module exports to the console. */
import { type ComponentType, createElement, lazy, useState } from 'react';
import type { PageRow } from './pageRow.ts';

type MenuGroup = 'main' | 'Product' | 'Settings' | 'Company' | 'Admin';

interface Page {
  /** The page key in the address: `?page=crm-leads`. */
  readonly key: string;
  /** Heading and browser title, in English. */
  readonly title: string;
  /** The selection that the page requires. Without it the console shows 'No Product Selected'. */
  readonly needs: 'product' | 'company' | null;
  /** Rows that the address names. The page opens only if they belong to the chosen product or company. */
  readonly rows?: readonly PageRow[];
  readonly component: ComponentType;
  /** Loads the component's code. */
  readonly load: () => Promise<unknown>;
  /** Requests data of the page before it is rendered, beside its rows. */
  readonly prefetch?: (params: Readonly<Record<string, string>>) => Promise<void>;
}

/**
 * Declare a page's component: `...lazyPage(() => import('./LeadsPage.tsx'))`. Code that is loaded already is rendered at
 * once: React shows what suspended, if only for a moment, not before 300 ms after its placeholder.
 */
export function lazyPage(load: () => Promise<{ default: ComponentType }>): Pick<Page, 'component' | 'load'> {
  let loaded: ComponentType | null = null;
  const loadOnce = async () => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const Lazy = lazy(loadOnce);
  return {
    component: function LazyPage() {
      const [Component] = useState(() => loaded ?? Lazy);
      return createElement(Component);
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

/** The page declarations that a module exports to the console. */
import type { ComponentType, LazyExoticComponent } from 'react';
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
  /** The lazy component: `lazy(() => import('./LeadsPage.tsx'))`. */
  readonly component: LazyExoticComponent<ComponentType>;
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

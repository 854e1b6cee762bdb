/** What a room tells the console about its pages. */
import type { ComponentType, LazyExoticComponent } from 'react';
import type { PageRow } from './pageRow.ts';

type MenuGroup = 'main' | 'Product' | 'Settings' | 'Company' | 'Admin';

interface Page {
  /** The page key in the address: `?page=crm-leads`. */
  readonly key: string;
  /** Heading and browser title, English. */
  readonly title: string;
  /** What has to be chosen before the page makes sense; without it: 'No Product Selected'. */
  readonly needs: 'product' | 'company' | null;
  /** Rows that the address names. The page opens only for those of the chosen product, or company. */
  readonly rows?: readonly PageRow[];
  /** `lazy(() => import('./LeadsPage.tsx'))` */
  readonly component: LazyExoticComponent<ComponentType>;
}

interface MenuPage extends Page {
  /** `Settings` is the collapsible list inside the Product group. */
  readonly group: MenuGroup;
  /** The menu's word for it, English. */
  readonly label: string;
  /** A tabler icon. */
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** Position within its group. */
  readonly order: number;
}

interface HiddenPage extends Page {
  readonly group: null;
  /** The menu page that stays marked while this one is open. */
  readonly parent?: string;
}

export type PageEntry = MenuPage | HiddenPage;

/** The pages of products, for the console's registry. */
import { IconAdjustments, IconPackage } from '@tabler/icons-react';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';

export const productPages: readonly PageEntry[] = [
  {
    key: 'crm-products',
    title: 'Products',
    label: 'Products',
    group: 'Admin',
    icon: IconPackage,
    order: 3,
    needs: null,
    ...lazyPage(() => import('./ProductsPage.tsx')),
  },
  {
    key: 'settings-product',
    title: 'Product Settings',
    label: 'Product',
    group: 'Settings',
    icon: IconAdjustments,
    order: 1,
    needs: 'product',
    ...lazyPage(() => import('./ProductSettingsPage.tsx')),
  },
  {
    key: 'settings',
    title: 'Product Settings',
    group: null,
    parent: 'settings-product',
    needs: 'product',
    ...lazyPage(() => import('./ProductSettingsPage.tsx')),
  },
];

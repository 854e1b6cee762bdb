/** The pages of products, for the console's registry. */
import { IconPackage } from '@tabler/icons-react';
import { lazy } from 'react';
import type { PageEntry } from '../../kit/pages.ts';

export const productPages: readonly PageEntry[] = [
  {
    key: 'crm-products',
    title: 'Products',
    label: 'Products',
    group: 'Admin',
    icon: IconPackage,
    order: 3,
    needs: null,
    component: lazy(() => import('./ProductsPage.tsx')),
  },
];

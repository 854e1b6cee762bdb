/** The pages of companies, for the console's registry. */
import { IconBuilding } from '@tabler/icons-react';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';

export const companyPages: readonly PageEntry[] = [
  {
    key: 'crm-companies',
    title: 'Companies',
    label: 'Companies',
    group: 'Admin',
    icon: IconBuilding,
    order: 2,
    needs: null,
    ...lazyPage(() => import('./CompaniesPage.tsx')),
  },
];

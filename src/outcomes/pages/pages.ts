/** The dashboard, for the console's registry. */
import { IconLayoutDashboard } from '@tabler/icons-react';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';

export const outcomePages: readonly PageEntry[] = [
  {
    key: 'dashboard',
    title: 'Dashboard',
    label: 'Dashboard',
    group: 'main',
    icon: IconLayoutDashboard,
    order: 1,
    needs: null,
    ...lazyPage(() => import('./DashboardPage.tsx')),
  },
];

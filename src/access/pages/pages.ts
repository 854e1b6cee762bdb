/** The account page, for the console's registry. */
import { lazy } from 'react';
import type { PageEntry } from '../../ui/pages.ts';

export const operatorPages: readonly PageEntry[] = [
  {
    key: 'account',
    title: 'Account security',
    group: null,
    needs: null,
    component: lazy(() => import('./AccountPage.tsx')),
  },
];

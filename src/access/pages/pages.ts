/** The account page, for the console's registry. */
import { lazyPage, type PageEntry } from '../../ui/pages.ts';

export const operatorPages: readonly PageEntry[] = [
  {
    key: 'account',
    title: 'Account',
    group: null,
    needs: null,
    ...lazyPage(() => import('./AccountPage.tsx')),
  },
];

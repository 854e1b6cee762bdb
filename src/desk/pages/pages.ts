/** The inbox, for the console's registry. */
import { IconInbox } from '@tabler/icons-react';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';

export const deskPages: readonly PageEntry[] = [
  {
    key: 'inbox',
    title: 'Inbox',
    label: 'Inbox',
    group: 'main',
    icon: IconInbox,
    order: 0,
    needs: null,
    isAcrossProducts: true,
    ...lazyPage(() => import('./InboxPage.tsx')),
  },
];

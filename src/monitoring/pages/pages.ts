/** The System page, for the console's registry. */
import { IconActivityHeartbeat } from '@tabler/icons-react';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';

export const monitoringPages: readonly PageEntry[] = [
  {
    key: 'system',
    title: 'System',
    label: 'System',
    group: 'Admin',
    icon: IconActivityHeartbeat,
    order: 4,
    needs: null,
    ...lazyPage(() => import('./SystemPage.tsx')),
  },
];

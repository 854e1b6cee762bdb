/** The pages of outreach, for the console's registry. */
import { IconBell, IconCalendarSearch, IconCalendarTime } from '@tabler/icons-react';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';

export const outreachPages: readonly PageEntry[] = [
  {
    key: 'rehearsal',
    title: 'Rehearsal',
    label: 'Rehearsal',
    group: 'Product',
    icon: IconCalendarSearch,
    order: 9,
    needs: 'product',
    ...lazyPage(() => import('./RehearsalPage.tsx')),
  },
  {
    key: 'settings-schedule',
    title: 'Schedule Settings',
    label: 'Schedule',
    group: 'Settings',
    icon: IconCalendarTime,
    order: 4,
    needs: 'product',
    ...lazyPage(() => import('./ScheduleSettingsPage.tsx')),
  },
  {
    key: 'settings-ping',
    title: 'Ping Settings',
    label: 'Ping',
    group: 'Settings',
    icon: IconBell,
    order: 5,
    needs: 'product',
    ...lazyPage(() => import('./PingSettingsPage.tsx')),
  },
];

/** The pages of outreach, for the console's registry. */
import { IconBell, IconCalendarTime } from '@tabler/icons-react';
import { lazy } from 'react';
import type { PageEntry } from '../../kit/pages.ts';

export const outreachPages: readonly PageEntry[] = [
  {
    key: 'settings-schedule',
    title: 'Schedule Settings',
    label: 'Schedule',
    group: 'Settings',
    icon: IconCalendarTime,
    order: 4,
    needs: 'product',
    component: lazy(() => import('./ScheduleSettingsPage.tsx')),
  },
  {
    key: 'settings-ping',
    title: 'Ping Settings',
    label: 'Ping',
    group: 'Settings',
    icon: IconBell,
    order: 5,
    needs: 'product',
    component: lazy(() => import('./PingSettingsPage.tsx')),
  },
];

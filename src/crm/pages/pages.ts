/** The pages of CRM integrations, for the console's registry. */
import { IconPlugConnected } from '@tabler/icons-react';
import { lazy } from 'react';
import type { PageEntry } from '../../kit/pages.ts';

export const crmPages: readonly PageEntry[] = [
  {
    key: 'crm-integrations',
    title: 'CRM Integrations',
    label: 'CRM Integrations',
    group: 'Company',
    icon: IconPlugConnected,
    order: 1,
    needs: 'company',
    component: lazy(() => import('./IntegrationsPage.tsx')),
  },
];

/** The pages of CRM integrations, for the console's registry. */
import { IconAffiliate, IconPlugConnected } from '@tabler/icons-react';
import { pageRow } from '../../ui/pageRow.ts';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';
import { crmIntegrations } from '../contract.ts';

export const crmPages: readonly PageEntry[] = [
  {
    key: 'crm-integrations',
    title: 'CRM Integrations',
    label: 'CRM Integrations',
    group: 'Company',
    icon: IconPlugConnected,
    order: 1,
    needs: 'company',
    ...lazyPage(() => import('./IntegrationsPage.tsx')),
  },
  {
    key: 'crm-integration',
    title: 'CRM integration',
    group: null,
    parent: 'crm-integrations',
    needs: 'company',
    rows: [
      pageRow(
        { param: 'integrationId', singular: 'integration', list: 'crm-integrations', read: () => crmIntegrations.get },
        (integration) => integration,
      ),
    ],
    ...lazyPage(() => import('./IntegrationPage.tsx')),
  },
  {
    key: 'settings-integration',
    title: 'Integration Settings',
    label: 'Integration',
    group: 'Settings',
    icon: IconAffiliate,
    order: 3,
    needs: 'product',
    ...lazyPage(() => import('./IntegrationSettingsPage.tsx')),
  },
];

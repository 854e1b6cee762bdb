/** The pages of leads and contacts, for the console's registry. */
import { IconHistory, IconUsers } from '@tabler/icons-react';
import { lazy } from 'react';
import { pageRow } from '../../ui/pageRow.ts';
import type { PageEntry } from '../../ui/pages.ts';
import { leads } from '../contract.ts';

const leadRow = pageRow(
  { param: 'leadId', singular: leads.resource, list: 'crm-leads', optional: true, read: leads.get },
  (lead) => lead,
);

export const leadPages: readonly PageEntry[] = [
  {
    key: 'crm-leads',
    title: 'Leads',
    label: 'Leads',
    group: 'Product',
    icon: IconUsers,
    order: 5,
    needs: 'product',
    component: lazy(() => import('./LeadsPage.tsx')),
  },
  {
    key: 'crm-lead-events',
    title: 'Lead Events',
    label: 'Lead Events',
    group: 'Product',
    icon: IconHistory,
    order: 8,
    needs: 'product',
    rows: [leadRow],
    component: lazy(() => import('./LeadEventsPage.tsx')),
  },
  {
    key: 'lead-detail',
    title: 'Lead',
    group: null,
    parent: 'crm-leads',
    needs: 'product',
    rows: [leadRow],
    component: lazy(() => import('./LeadDetailPage.tsx')),
  },
  {
    key: 'crm-lead-contacts',
    title: 'Lead Contacts',
    group: null,
    parent: 'crm-leads',
    needs: 'product',
    rows: [{ ...leadRow, optional: false }],
    component: lazy(() => import('./LeadContactsPage.tsx')),
  },
  {
    key: 'contacts',
    title: 'Contacts',
    group: null,
    parent: 'crm-leads',
    needs: 'product',
    component: lazy(() => import('./ContactsPage.tsx')),
  },
  {
    key: 'leads-import',
    title: 'Import leads',
    group: null,
    parent: 'crm-leads',
    needs: 'product',
    component: lazy(() => import('./LeadsImportPage.tsx')),
  },
];

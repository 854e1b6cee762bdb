/** The pages of leads and contacts, for the console's registry. */
import { IconHistory, IconUsers } from '@tabler/icons-react';
import { pageRow } from '../../ui/pageRow.ts';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';
import { leads } from '../contract.ts';

const leadRow = pageRow(
  { param: 'leadId', singular: leads.resource, list: 'crm-leads', optional: true, read: () => leads.get },
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
    ...lazyPage(() => import('./LeadsPage.tsx')),
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
    ...lazyPage(() => import('./LeadEventsPage.tsx')),
  },
  {
    key: 'lead-detail',
    title: 'Lead',
    group: null,
    parent: 'crm-leads',
    needs: 'product',
    rows: [leadRow],
    ...lazyPage(() => import('./LeadDetailPage.tsx')),
  },
  {
    key: 'crm-lead-contacts',
    title: 'Lead Contacts',
    group: null,
    parent: 'crm-leads',
    needs: 'product',
    rows: [{ ...leadRow, optional: false }],
    ...lazyPage(() => import('./LeadContactsPage.tsx')),
  },
  {
    key: 'contacts',
    title: 'Contacts',
    group: null,
    parent: 'crm-leads',
    needs: 'product',
    ...lazyPage(() => import('./ContactsPage.tsx')),
  },
  {
    key: 'leads-import',
    title: 'Import leads',
    group: null,
    parent: 'crm-leads',
    needs: 'product',
    ...lazyPage(() => import('./LeadsImportPage.tsx')),
  },
];

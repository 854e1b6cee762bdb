/** The pages of outgoing webhooks, for the console's registry. */
import { IconWebhook } from '@tabler/icons-react';
import { pageRow } from '../../ui/pageRow.ts';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';
import { webhooks } from '../contract.ts';

export const webhookPages: readonly PageEntry[] = [
  {
    key: 'webhooks',
    title: 'Webhooks',
    label: 'Webhooks',
    group: 'Company',
    icon: IconWebhook,
    order: 3,
    needs: 'company',
    ...lazyPage(() => import('./WebhooksPage.tsx')),
  },
  {
    key: 'webhook',
    title: 'Webhook',
    group: null,
    parent: 'webhooks',
    needs: 'company',
    rows: [
      pageRow(
        { param: 'webhookId', singular: 'webhook', list: 'webhooks', read: () => webhooks.get },
        ({ company_id }) => ({
          company_id,
        }),
      ),
    ],
    ...lazyPage(() => import('./WebhookPage.tsx')),
  },
];

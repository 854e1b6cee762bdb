/** The playground, for the console's registry. */
import { IconRobot } from '@tabler/icons-react';
import { leads } from '../../leads/contract.ts';
import { prompts } from '../../prompts/contract.ts';
import { pageRow } from '../../ui/pageRow.ts';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';

export const studioPages: readonly PageEntry[] = [
  {
    key: 'chatbot',
    title: 'Chatbot Playground',
    label: 'Chatbot Playground',
    group: 'Product',
    icon: IconRobot,
    order: 1,
    needs: 'product',
    rows: [
      pageRow(
        { param: 'promptId', singular: prompts.resource, list: 'prompts', optional: true, read: prompts.get },
        (prompt) => prompt,
      ),
      pageRow(
        { param: 'leadId', singular: leads.resource, list: 'crm-leads', optional: true, read: leads.get },
        (lead) => lead,
      ),
    ],
    ...lazyPage(() => import('./PlaygroundPage.tsx')),
  },
];

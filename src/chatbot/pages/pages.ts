/** The playground, for the console's registry. */
import { IconRobot } from '@tabler/icons-react';
import { lazy } from 'react';
import { addressedRow } from '../../kit/addressedRow.ts';
import type { PageEntry } from '../../kit/pages.ts';
import { leads } from '../../leads/contract.ts';
import { prompts } from '../../prompts/contract.ts';

export const chatbotPages: readonly PageEntry[] = [
  {
    key: 'chatbot',
    title: 'Chatbot Playground',
    label: 'Chatbot Playground',
    group: 'Product',
    icon: IconRobot,
    order: 1,
    needs: 'product',
    rows: [
      addressedRow(
        { param: 'promptId', noun: prompts.noun, list: 'prompts', optional: true, read: prompts.get },
        (prompt) => prompt,
      ),
      addressedRow(
        { param: 'leadId', noun: leads.noun, list: 'crm-leads', optional: true, read: leads.get },
        (lead) => lead,
      ),
    ],
    component: lazy(() => import('./PlaygroundPage.tsx')),
  },
];

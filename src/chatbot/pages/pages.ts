/** The playground, for the console's registry. */
import { IconRobot } from '@tabler/icons-react';
import { lazy } from 'react';
import type { PageEntry } from '../../kit/pages.ts';

export const chatbotPages: readonly PageEntry[] = [
  {
    key: 'chatbot',
    title: 'Chatbot Playground',
    label: 'Chatbot Playground',
    group: 'Product',
    icon: IconRobot,
    order: 1,
    needs: 'product',
    component: lazy(() => import('./PlaygroundPage.tsx')),
  },
];

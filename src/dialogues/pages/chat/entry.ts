/** The dialogue page in the console's registry. */
import { lazy } from 'react';
import type { PageEntry } from '../../../kit/pages.ts';

export const chatPage: PageEntry = {
  key: 'dialogue-chat',
  title: 'Dialogue',
  group: null,
  parent: 'crm-dialogues',
  needs: null,
  component: lazy(() => import('./DialogueChatPage.tsx')),
};

/** The dialogue page in the console's registry. */
import { lazy } from 'react';
import { pageRow } from '../../../ui/pageRow.ts';
import type { PageEntry } from '../../../ui/pages.ts';
import { dialogues, viewDialogue } from '../../contract.ts';

export const chatPage: PageEntry = {
  key: 'dialogue-chat',
  title: 'Dialogue',
  group: null,
  parent: 'crm-dialogues',
  needs: 'product',
  rows: [
    pageRow(
      { param: 'dialogueId', singular: dialogues.resource, list: 'crm-dialogues', read: viewDialogue },
      ({ dialogue }) => dialogue,
    ),
  ],
  component: lazy(() => import('./DialogueChatPage.tsx')),
};

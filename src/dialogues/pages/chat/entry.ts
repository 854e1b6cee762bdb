/** The dialogue page in the console's registry. */
import { lazy } from 'react';
import { addressedRow } from '../../../kit/addressedRow.ts';
import type { PageEntry } from '../../../kit/pages.ts';
import { dialogues, viewDialogue } from '../../contract.ts';

export const chatPage: PageEntry = {
  key: 'dialogue-chat',
  title: 'Dialogue',
  group: null,
  parent: 'crm-dialogues',
  needs: 'product',
  rows: [
    addressedRow(
      { param: 'dialogueId', noun: dialogues.noun, list: 'crm-dialogues', read: viewDialogue },
      ({ dialogue }) => dialogue,
    ),
  ],
  component: lazy(() => import('./DialogueChatPage.tsx')),
};

/** The dialogue page in the console's registry. */
import { parseId } from '../../../ui/page.ts';
import { pageRow } from '../../../ui/pageRow.ts';
import { lazyPage, type PageEntry } from '../../../ui/pages.ts';
import { dialogues, viewDialogue } from '../../contract.ts';
import { firstPage } from './firstPage.ts';

export const chatPage: PageEntry = {
  key: 'dialogue-chat',
  title: 'Dialogue',
  group: null,
  parent: 'crm-dialogues',
  needs: 'product',
  rows: [
    pageRow(
      { param: 'dialogueId', singular: dialogues.resource, list: 'crm-dialogues', read: () => viewDialogue },
      ({ dialogue }) => dialogue,
    ),
  ],
  ...lazyPage(() => import('./DialogueChatPage.tsx')),
  firstQuery: ({ dialogueId, messageId }) => firstPage(parseId(dialogueId) ?? 0, parseId(messageId)),
};

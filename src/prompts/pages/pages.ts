/** The pages of prompts and prepared messages. */
import { IconFileText, IconMessageCog, IconPrompt, IconVocabulary } from '@tabler/icons-react';
import { pageRow } from '../../ui/pageRow.ts';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';
import { preparedMessages, prompts } from '../contract.ts';

export const promptPages: readonly PageEntry[] = [
  {
    key: 'prompts',
    title: 'Prompts',
    label: 'Prompts',
    group: 'Product',
    icon: IconPrompt,
    order: 2,
    needs: 'product',
    ...lazyPage(() => import('./PromptsPage.tsx')),
  },
  {
    key: 'prompt-groups',
    title: 'RAG Prompts',
    label: 'RAG Prompts',
    group: 'Product',
    icon: IconVocabulary,
    order: 3,
    needs: 'product',
    ...lazyPage(() => import('./PromptGroupsPage.tsx')),
  },
  {
    key: 'prepared-messages',
    title: 'Prepared Messages',
    label: 'Prepared Messages',
    group: 'Product',
    icon: IconMessageCog,
    order: 4,
    needs: 'product',
    ...lazyPage(() => import('./PreparedMessagesPage.tsx')),
  },
  {
    key: 'document-prompts',
    title: 'Document Prompts',
    label: 'Document Prompts',
    group: 'Product',
    icon: IconFileText,
    order: 4.5,
    needs: 'product',
    ...lazyPage(() => import('./DocumentPromptsPage.tsx')),
  },
  {
    key: 'prompt-detail',
    title: 'Prompt',
    group: null,
    parent: 'prompts',
    needs: 'product',
    rows: [
      pageRow(
        { param: 'promptId', singular: prompts.resource, list: 'prompts', optional: true, read: () => prompts.get },
        (prompt) => prompt,
      ),
    ],
    ...lazyPage(() => import('./PromptDetailPage.tsx')),
  },
  {
    key: 'prepared-message-detail',
    title: 'Prepared Message',
    group: null,
    parent: 'prepared-messages',
    needs: 'product',
    rows: [
      pageRow(
        {
          param: 'messageId',
          singular: 'prepared message',
          list: 'prepared-messages',
          optional: true,
          read: () => preparedMessages.get,
        },
        (message) => message,
      ),
    ],
    ...lazyPage(() => import('./PreparedDetailPage.tsx')),
  },
];
